// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/elementwise/cast.cuh"

namespace tessera::cuda {

Status launch_cast_from_float(const CastProblem& problem, const Operands& operands,
                              Stream& stream) {
  switch (problem.from) {
    case DType::kF32:
      return launch_cast_from<float>(problem, operands, stream);
    case DType::kF64:
      return launch_cast_from<double>(problem, operands, stream);
    case DType::kF16:
      return launch_cast_from<__half>(problem, operands, stream);
    case DType::kBF16:
      return launch_cast_from<__nv_bfloat16>(problem, operands, stream);
    default:
      return internal_error("cast was launched for a dtype of another group");
  }
}

}  // namespace tessera::cuda
