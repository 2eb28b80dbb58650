// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/elementwise/cast.cuh"

namespace tessera::cuda {

Status launch_cast_from_signed(const CastProblem& problem, const Operands& operands,
                               Stream& stream) {
  switch (problem.from) {
    case DType::kI8:
      return launch_cast_from<int8_t>(problem, operands, stream);
    case DType::kI16:
      return launch_cast_from<int16_t>(problem, operands, stream);
    case DType::kI32:
      return launch_cast_from<int32_t>(problem, operands, stream);
    case DType::kI64:
      return launch_cast_from<int64_t>(problem, operands, stream);
    default:
      return internal_error("cast was launched for a dtype of another group");
  }
}

}  // namespace tessera::cuda
