// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/device_probe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

#include "core/buffer.h"
#include "kernels/select.h"

namespace tessera::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds for `work` plus waiting for it: the median of `repeats`, after one run to warm up.
Result<double> median_seconds(Stream& stream, int repeats, const std::function<Status()>& work) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    TESSERA_RETURN_IF_ERROR(stream.synchronize());
    const Clock::time_point start = Clock::now();
    TESSERA_RETURN_IF_ERROR(work());
    TESSERA_RETURN_IF_ERROR(stream.synchronize());
    if (i > 0) times.push_back(seconds_since(start));
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<size_t>(repeats / 2)];
}

Result<CopyRates> measure_copies(Device& device, Stream& stream) {
  constexpr size_t kBytes = size_t{256} << 20;
  constexpr int kRepeats = 5;
  TESSERA_ASSIGN_OR_RETURN(const Buffer on_device, device.allocate(kBytes));
  TESSERA_ASSIGN_OR_RETURN(const Buffer pinned, device.allocate_host(kBytes));
  TESSERA_ASSIGN_OR_RETURN(const Buffer pageable, allocate_host_buffer(kBytes));
  std::memset(pinned.data(), 1, kBytes);
  std::memset(pageable.data(), 1, kBytes);
  const auto rate = [&](const std::function<Status()>& copy) -> Result<double> {
    TESSERA_ASSIGN_OR_RETURN(const double seconds, median_seconds(stream, kRepeats, copy));
    return static_cast<double>(kBytes) / seconds;
  };
  const auto to_device = [&](const Buffer& host) {
    return rate([&] { return stream.copy_to_device(on_device.data(), host.data(), kBytes); });
  };
  const auto to_host = [&](const Buffer& host) {
    return rate([&] { return stream.copy_to_host(host.data(), on_device.data(), kBytes); });
  };
  CopyRates rates;
  TESSERA_ASSIGN_OR_RETURN(rates.pinned_to_device, to_device(pinned));
  TESSERA_ASSIGN_OR_RETURN(rates.pinned_to_host, to_host(pinned));
  TESSERA_ASSIGN_OR_RETURN(rates.pageable_to_device, to_device(pageable));
  TESSERA_ASSIGN_OR_RETURN(rates.pageable_to_host, to_host(pageable));
  return rates;
}

// Microseconds per call when many are enqueued before waiting, and when each is waited for.
struct CallTimes {
  double enqueue_us = 0;
  double wait_us = 0;
};

Result<CallTimes> measure_calls(Stream& stream, const std::function<Status()>& call) {
  constexpr int kCalls = 1000;
  constexpr int kRepeats = 21;
  constexpr double kMicro = 1e6;
  const auto many = [&]() -> Status {
    for (int i = 0; i < kCalls; ++i) TESSERA_RETURN_IF_ERROR(call());
    return {};
  };
  CallTimes times;
  TESSERA_ASSIGN_OR_RETURN(const double in_a_row, median_seconds(stream, kRepeats, many));
  TESSERA_ASSIGN_OR_RETURN(const double one, median_seconds(stream, kCalls, call));
  times.enqueue_us = in_a_row / kCalls * kMicro;
  times.wait_us = one * kMicro;
  return times;
}

Result<LaunchTimes> measure_launches(const Backend& backend, Device& device, Stream& stream) {
  UnaryProblem relu;
  relu.count = 1;
  relu.activation.kind = ActivationKind::kRelu;
  TESSERA_ASSIGN_OR_RETURN(const KernelEntry* const entry, select(relu, backend, device.info()));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, entry->create(relu, device));
  TESSERA_ASSIGN_OR_RETURN(const Buffer src, device.allocate(sizeof(float)));
  TESSERA_ASSIGN_OR_RETURN(const Buffer dst, device.allocate(sizeof(float)));
  TESSERA_ASSIGN_OR_RETURN(const Buffer workspace, device.allocate(kernel->workspace_bytes()));
  TESSERA_ASSIGN_OR_RETURN(const Buffer host, device.allocate_host(sizeof(float)));
  std::memset(host.data(), 0, sizeof(float));
  TESSERA_RETURN_IF_ERROR(stream.copy_to_device(src.data(), host.data(), sizeof(float)));
  const std::array<const void*, 1> inputs = {src.data()};
  const Operands operands{inputs, dst.data(), workspace.data()};
  const auto launch = [&] { return kernel->launch(operands, stream); };
  LaunchTimes result;
  TESSERA_ASSIGN_OR_RETURN(const CallTimes alone, measure_calls(stream, launch));
  result.launch_us = alone.enqueue_us;
  result.launch_and_wait_us = alone.wait_us;
  if (!device.supports_graphs()) return result;
  TESSERA_RETURN_IF_ERROR(stream.begin_capture());
  TESSERA_RETURN_IF_ERROR(launch());
  TESSERA_ASSIGN_OR_RETURN(const auto graph, stream.end_capture());
  TESSERA_ASSIGN_OR_RETURN(const CallTimes as_graph,
                           measure_calls(stream, [&] { return graph->launch(stream); }));
  result.graph_us = as_graph.enqueue_us;
  result.graph_and_wait_us = as_graph.wait_us;
  return result;
}

}  // namespace

Result<DeviceProbe> probe_device(const Backend& backend, int ordinal) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, backend.open(ordinal));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device->create_stream());
  DeviceProbe probe;
  TESSERA_ASSIGN_OR_RETURN(probe.launches, measure_launches(backend, *device, *stream));
  if (!device->shares_host_memory()) {
    TESSERA_ASSIGN_OR_RETURN(probe.copies, measure_copies(*device, *stream));
  }
  return probe;
}

}  // namespace tessera::cli
