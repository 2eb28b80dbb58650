// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/elementwise/cast.cuh"

namespace tessera::cuda {

Status launch_cast_from_unsigned(const CastProblem& problem, const Operands& operands,
                                 Stream& stream) {
  switch (problem.from) {
    case DType::kU8:
      return launch_cast_from<uint8_t>(problem, operands, stream);
    case DType::kU16:
      return launch_cast_from<uint16_t>(problem, operands, stream);
    case DType::kU32:
      return launch_cast_from<uint32_t>(problem, operands, stream);
    case DType::kU64:
      return launch_cast_from<uint64_t>(problem, operands, stream);
    case DType::kBool:
      return launch_cast_from<bool>(problem, operands, stream);
    default:
      return internal_error("cast was launched for a dtype of another group");
  }
}

}  // namespace tessera::cuda
