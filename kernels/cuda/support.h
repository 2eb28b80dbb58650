// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/dtype.h"
#include "core/layout.h"
#include "kernels/kernel.h"

namespace tessera::cuda {

// Yes for float32, otherwise the reason that names the dtype.
inline Support support_float32(DType dtype) {
  if (dtype == DType::kF32) return Support::yes();
  return Support::no(std::string(dtype_name(dtype)) + " is not float32");
}

// Yes for the types that are computed in float32, otherwise the reason that names the dtype.
inline Support support_float(DType dtype) {
  if (dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16) return Support::yes();
  return Support::no(std::string(dtype_name(dtype)) + " is not float32, float16 or bfloat16");
}

// Yes for what arithmetic on two tensors is implemented for.
inline Support support_binary(DType dtype) {
  if (dtype == DType::kI32 || dtype == DType::kI64 || support_float(dtype).ok()) {
    return Support::yes();
  }
  return Support::no(std::string(dtype_name(dtype)) +
                     " is not float32, float16, bfloat16, int32 or int64");
}

// Yes where cp.async exists, otherwise the reason.
inline Support support_async_copies(const DeviceInfo& device) {
  if (device.compute_major >= 8) return Support::yes();
  return Support::no("asynchronous copies need compute capability 8.0, this device has " +
                     std::to_string(device.compute_major) + "." +
                     std::to_string(device.compute_minor));
}

// Yes for a GEMM or convolution whose precision tensor cores have and the problem allows, otherwise
// the reason.
template <typename ProblemT>
Support support_tensor_cores(const ProblemT& problem) {
  if (problem.dtype == DType::kF16 || problem.dtype == DType::kBF16) return Support::yes();
  if (problem.dtype == DType::kF32 && problem.allow_tf32) return Support::yes();
  return Support::no(
      std::string(dtype_name(problem.dtype)) +
      " is strict: tensor cores take float16, bfloat16 and TF32 where it is allowed");
}

// The layouts whose elements lie at constant strides: NCHW and NHWC.
inline bool is_strided_layout(Layout layout) {
  return layout == Layout::kRowMajor || layout == Layout::kNHWC;
}

inline Support support_strided_layout(Layout layout) {
  if (is_strided_layout(layout)) return Support::yes();
  return Support::no(std::string("layout ") + layout_name(layout) + " is neither NCHW nor NHWC");
}

}  // namespace tessera::cuda
