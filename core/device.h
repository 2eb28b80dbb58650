// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/buffer.h"
#include "core/status.h"

namespace tessera {

// Facts about one device that kernels base their choices on. Fields that do not apply are 0.
struct DeviceInfo {
  std::string backend;  // "reference", "cpu", "cuda"
  std::string name;     // "NVIDIA H200", "AMD EPYC", ...
  int ordinal = 0;
  int threads = 0;                    // CPU: worker threads
  size_t last_level_cache_bytes = 0;  // L2 on CUDA, usually L3 on a CPU; 0 when it is not known
  // CUDA:
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int max_threads_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  size_t shared_bytes_per_multiprocessor = 0;
  size_t shared_bytes_per_block_optin = 0;
  size_t memory_bytes = 0;
  int memory_bus_bits = 0;
  int clock_khz = 0;            // of the multiprocessors, the highest they run at
  int memory_clock_khz = 0;     // data moves on both edges
  std::string driver_version;   // "580.159.04" or "13.0"
  std::string runtime_version;  // CUDA runtime or oneDNN version
};

class Stream;

// A moment in a stream's work.
class Event {
 public:
  virtual ~Event() = default;
  // Waits on the host until the work recorded before the event is done.
  virtual Status synchronize() = 0;
  // Milliseconds from `start` to this event. Requires: both recorded and done.
  virtual Result<float> milliseconds_since(const Event& start) const = 0;
};

// Recorded work that can be launched again and again as one unit (a CUDA graph).
class ExecutableGraph {
 public:
  virtual ~ExecutableGraph() = default;
  virtual Status launch(Stream& stream) = 0;
};

// A queue of work on one device, done in order. Work is asynchronous on a CUDA device and done
// before the call returns on the others. Not thread-safe; streams of one device may be used from
// different threads.
class Stream {
 public:
  virtual ~Stream() = default;
  // Copies between host memory and device memory. On a CUDA device the host side must be pinned
  // memory (Device::allocate_host), otherwise the copy does not overlap with anything.
  virtual Status copy_to_device(void* device_dst, const void* host_src, size_t bytes) = 0;
  virtual Status copy_to_host(void* host_dst, const void* device_src, size_t bytes) = 0;
  virtual Status copy_on_device(void* device_dst, const void* device_src, size_t bytes) = 0;
  virtual Status record(Event& event) = 0;
  // Later work of this stream waits for `event`.
  virtual Status wait(Event& event) = 0;
  // Waits on the host until all work enqueued so far is done; returns errors of that work.
  virtual Status synchronize() = 0;
  // Between begin_capture and end_capture, work is recorded and not run. kUnsupported on a device
  // without graphs (Device::supports_graphs).
  virtual Status begin_capture() = 0;
  virtual Result<std::unique_ptr<ExecutableGraph>> end_capture() = 0;
  // The backend's own handle: a cudaStream_t on a CUDA device, null elsewhere.
  [[nodiscard]] virtual void* native_handle() const = 0;
};

// Memory and streams of one device. Thread-safe. Outlives everything that it made.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  // True when host pointers are device pointers, so that no copies are needed.
  [[nodiscard]] virtual bool shares_host_memory() const = 0;
  [[nodiscard]] virtual bool supports_graphs() const = 0;
  // Device memory, aligned to 256 bytes, uninitialised. kOutOfMemory names size and free memory.
  virtual Result<Buffer> allocate(size_t size_bytes) = 0;
  // Host memory from which copies to this device run at full speed (pinned on CUDA).
  virtual Result<Buffer> allocate_host(size_t size_bytes) = 0;
  virtual Result<std::unique_ptr<Stream>> create_stream() = 0;
  virtual Result<std::unique_ptr<Event>> create_event() = 0;
};

// The host seen as a device: copies are memcpy, streams run at once. `info` is taken as given.
std::unique_ptr<Device> make_host_device(DeviceInfo info);

}  // namespace tessera
