// SPDX-License-Identifier: Apache-2.0
// cast: dst[i] = (to) src[i], in vectors of 16 bytes of the wider type.
//
//   operands  all pairs of types
//   alignment that of the elements; 16 bytes for the vectors, otherwise one by one
//   values    float to integer truncates and saturates, NaN gives 0; integer to integer wraps; to
//             bool is != 0; to a float rounds to nearest even, to a 16-bit one by way of float32
//   deterministic
#include "kernels/cuda/elementwise/cast.h"

#include "kernels/cuda/kernels.h"

namespace tessera::cuda {
namespace {

Support supports(const CastProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch_cast(const CastProblem& problem, const Operands& operands, Stream& stream) {
  switch (problem.from) {
    case DType::kF32:
    case DType::kF64:
    case DType::kF16:
    case DType::kBF16:
      return launch_cast_from_float(problem, operands, stream);
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      return launch_cast_from_signed(problem, operands, stream);
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
    case DType::kBool:
      return launch_cast_from_unsigned(problem, operands, stream);
  }
  return internal_error("cast was launched for an unknown dtype");
}

}  // namespace

const KernelEntry cast_entry = stateless_kernel_entry<CastProblem, supports, launch_cast>(
    "cast", "four vectors of 16 bytes per thread");

}  // namespace tessera::cuda
