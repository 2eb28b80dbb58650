// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/device.h"
#include "core/tensor.h"

namespace tessera {

// A constant's copy in device memory; on a device that shares host memory, the constant itself.
class DeviceConstant {
 public:
  DeviceConstant(Tensor host, Buffer device) : host_(std::move(host)), device_(std::move(device)) {}
  [[nodiscard]] const void* data() const {
    return device_.data() != nullptr ? device_.data() : host_.data();
  }

 private:
  Tensor host_;  // keeps the address, which is the store's key, from being used again
  Buffer device_;
};

// The weights on one device, each uploaded once however many compiled models (one per batch size,
// say) use it. A constant goes when its last user goes. Thread-safe.
class ConstantStore {
 public:
  explicit ConstantStore(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  // Uploads through `stream` and waits for it, unless the constant is there already.
  Result<std::shared_ptr<const DeviceConstant>> get(const Tensor& constant, Stream& stream);

 private:
  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::map<const void*, std::weak_ptr<const DeviceConstant>> by_address_;
};

}  // namespace tessera
