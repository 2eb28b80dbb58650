// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/constant_store.h"

namespace tessera {

Result<std::shared_ptr<const DeviceConstant>> ConstantStore::get(const Tensor& constant,
                                                                 Stream& stream) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const DeviceConstant>& slot = by_address_[constant.data()];
  if (auto known = slot.lock()) return known;
  Buffer copy;
  if (!device_->shares_host_memory() && constant.size_bytes() > 0) {
    TESSERA_ASSIGN_OR_RETURN(copy, device_->allocate(constant.size_bytes()));
    TESSERA_RETURN_IF_ERROR(
        stream.copy_to_device(copy.data(), constant.data(), constant.size_bytes()));
    TESSERA_RETURN_IF_ERROR(stream.synchronize());
  }
  auto uploaded = std::make_shared<const DeviceConstant>(constant, std::move(copy));
  slot = uploaded;
  return uploaded;
}

}  // namespace tessera
