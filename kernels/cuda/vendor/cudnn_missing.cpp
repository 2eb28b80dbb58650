// SPDX-License-Identifier: Apache-2.0
// The kernels of cuDNN in a build that had no headers of it: they refuse everything and say why.
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/vendor/describe_cudnn.h"

namespace tessera::cuda {
namespace {

constexpr std::string_view kReason =
    "cuDNN is not in this build; install its headers (cudnn.h of version 9) and build again";

// `create` requires a problem that is supported, which none is.
constexpr KernelEntry missing(std::string_view name, std::string_view family) {
  return {name, family, kReason,
          [](const Problem&, const DeviceInfo&) { return Support::no(std::string(kReason)); },
          [](const Problem&, Device&) -> Result<std::unique_ptr<Kernel>> {
            return unavailable(std::string(kReason));
          }};
}

}  // namespace

std::string describe_cudnn() { return std::string(kReason); }

const KernelEntry cudnn_conv_entry = missing("cudnn_conv", ConvProblem::kFamily);
const KernelEntry cudnn_pool_entry = missing("cudnn_pool", PoolProblem::kFamily);
const KernelEntry cudnn_softmax_entry = missing("cudnn_softmax", SoftmaxProblem::kFamily);

}  // namespace tessera::cuda
