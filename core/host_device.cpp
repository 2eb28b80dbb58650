// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>

#include "core/device.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

// Host work is done when the call returns, so an event is the time of its recording.
class HostEvent final : public Event {
 public:
  Status synchronize() override { return {}; }
  [[nodiscard]] Result<float> milliseconds_since(const Event& start) const override {
    const auto& host_start = static_cast<const HostEvent&>(start);
    return std::chrono::duration<float, std::milli>(time_ - host_start.time_).count();
  }
  void record() { time_ = Clock::now(); }

 private:
  Clock::time_point time_;
};

class HostStream final : public Stream {
 public:
  Status copy_to_device(void* dst, const void* src, size_t bytes) override {
    return copy(dst, src, bytes);
  }
  Status copy_to_host(void* dst, const void* src, size_t bytes) override {
    return copy(dst, src, bytes);
  }
  Status copy_on_device(void* dst, const void* src, size_t bytes) override {
    return copy(dst, src, bytes);
  }
  Status record(Event& event) override {
    static_cast<HostEvent&>(event).record();
    return {};
  }
  Status wait(Event&) override { return {}; }
  Status synchronize() override { return {}; }
  Status begin_capture() override { return unsupported("a host device has no graphs"); }
  Result<std::unique_ptr<ExecutableGraph>> end_capture() override {
    return unsupported("a host device has no graphs");
  }
  [[nodiscard]] void* native_handle() const override { return nullptr; }

 private:
  static Status copy(void* dst, const void* src, size_t bytes) {
    if (bytes > 0 && dst != src) std::memcpy(dst, src, bytes);
    return {};
  }
};

class HostDevice final : public Device {
 public:
  explicit HostDevice(DeviceInfo info) : info_(std::move(info)) {}
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] bool shares_host_memory() const override { return true; }
  [[nodiscard]] bool supports_graphs() const override { return false; }
  Result<Buffer> allocate(size_t size_bytes) override { return allocate_host_buffer(size_bytes); }
  Result<Buffer> allocate_host(size_t size_bytes) override {
    return allocate_host_buffer(size_bytes);
  }
  Result<std::unique_ptr<Stream>> create_stream() override {
    return std::unique_ptr<Stream>(std::make_unique<HostStream>());
  }
  Result<std::unique_ptr<Event>> create_event() override {
    return std::unique_ptr<Event>(std::make_unique<HostEvent>());
  }

 private:
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> make_host_device(DeviceInfo info) {
  return std::make_unique<HostDevice>(std::move(info));
}

}  // namespace tessera
