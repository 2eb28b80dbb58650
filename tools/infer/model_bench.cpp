// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/model_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace tessera::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMicro = 1e6;
constexpr double kMicrosecondsPerMillisecond = 1e3;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count() * kMicro;
}

// Begin and end of something on the stream.
struct Span {
  std::unique_ptr<Event> begin;
  std::unique_ptr<Event> end;

  static Result<Span> create(Device& device) {
    Span span;
    TESSERA_ASSIGN_OR_RETURN(span.begin, device.create_event());
    TESSERA_ASSIGN_OR_RETURN(span.end, device.create_event());
    return span;
  }
  [[nodiscard]] Result<double> microseconds() const {
    TESSERA_ASSIGN_OR_RETURN(const float milliseconds, end->milliseconds_since(*begin));
    return milliseconds * kMicrosecondsPerMillisecond;
  }
};

// Repeats `work` for the time and number of runs that `limits` ask for.
template <typename Work>
Status repeat(const BenchLimits& limits, Work&& work) {
  const Clock::time_point begin = Clock::now();
  for (int64_t runs = 0;
       runs < limits.iterations || microseconds_since(begin) < limits.seconds * kMicro;) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t done, work());
    runs += done;
  }
  return {};
}

// A compiled model with all that a run needs.
class Runner {
 public:
  static Result<std::unique_ptr<Runner>> create(const CompiledModel& compiled,
                                                const OpenDevice& device,
                                                std::span<const Tensor> inputs);

  Status copy_in();
  Status enqueue() { return context_->enqueue(*stream_); }
  Status copy_out();
  Status warm_up(double seconds);
  Result<BatchTiming> measure(const BenchLimits& limits);
  Result<double> time_step(size_t step);
  Stream& stream() { return *stream_; }

 private:
  Runner(const CompiledModel& compiled, const OpenDevice& device)
      : compiled_(compiled), device_(*device.device) {}
  Status measure_host_to_host(const BenchLimits& limits, BatchTiming& timing);
  Status measure_device_only(const BenchLimits& limits, BatchTiming& timing);
  Result<std::unique_ptr<ExecutableGraph>> capture_step(size_t step, int repeats);

  const CompiledModel& compiled_;
  Device& device_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<ExecutionContext> context_;
  std::vector<Buffer> host_inputs_;  // memory from which copies run at full speed
  std::vector<Buffer> host_outputs_;
  bool is_filled_ = false;
};

Result<std::unique_ptr<Runner>> Runner::create(const CompiledModel& compiled,
                                               const OpenDevice& device,
                                               std::span<const Tensor> inputs) {
  std::unique_ptr<Runner> runner(new Runner(compiled, device));
  TESSERA_ASSIGN_OR_RETURN(runner->stream_, device.device->create_stream());
  TESSERA_ASSIGN_OR_RETURN(runner->context_, compiled.create_context());
  for (const Tensor& input : inputs) {
    TESSERA_ASSIGN_OR_RETURN(Buffer buffer, device.device->allocate_host(input.size_bytes()));
    if (input.size_bytes() > 0) std::memcpy(buffer.data(), input.data(), input.size_bytes());
    runner->host_inputs_.push_back(std::move(buffer));
  }
  for (const TensorDesc& output : compiled.outputs()) {
    TESSERA_ASSIGN_OR_RETURN(Buffer buffer, device.device->allocate_host(output.size_bytes()));
    runner->host_outputs_.push_back(std::move(buffer));
  }
  return runner;
}

// A device that shares the host's memory reads what the caller wrote there, and back.
Status Runner::copy_in() {
  if (device_.shares_host_memory() && is_filled_) return {};
  is_filled_ = true;
  for (size_t i = 0; i < host_inputs_.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(stream_->copy_to_device(context_->input(i), host_inputs_[i].data(),
                                                    host_inputs_[i].size_bytes()));
  }
  return {};
}

Status Runner::copy_out() {
  if (device_.shares_host_memory()) return {};
  for (size_t i = 0; i < host_outputs_.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(stream_->copy_to_host(host_outputs_[i].data(), context_->output(i),
                                                  host_outputs_[i].size_bytes()));
  }
  return {};
}

// At least three runs: the first loads code, the second captures the graph.
Status Runner::warm_up(double seconds) {
  constexpr int kLeastRuns = 3;
  const Clock::time_point begin = Clock::now();
  for (int run = 0; run < kLeastRuns || microseconds_since(begin) < seconds * kMicro; ++run) {
    TESSERA_RETURN_IF_ERROR(copy_in());
    TESSERA_RETURN_IF_ERROR(enqueue());
    TESSERA_RETURN_IF_ERROR(copy_out());
    TESSERA_RETURN_IF_ERROR(stream_->synchronize());
  }
  return {};
}

Status Runner::measure_host_to_host(const BenchLimits& limits, BatchTiming& timing) {
  std::vector<double> whole;
  std::vector<double> enqueuing;
  std::vector<double> in;
  std::vector<double> out;
  TESSERA_ASSIGN_OR_RETURN(const Span copying_in, Span::create(device_));
  TESSERA_ASSIGN_OR_RETURN(const Span copying_out, Span::create(device_));
  const auto run = [&]() -> Result<int64_t> {
    const Clock::time_point begin = Clock::now();
    TESSERA_RETURN_IF_ERROR(stream_->record(*copying_in.begin));
    TESSERA_RETURN_IF_ERROR(copy_in());
    TESSERA_RETURN_IF_ERROR(stream_->record(*copying_in.end));
    const Clock::time_point before_enqueue = Clock::now();
    TESSERA_RETURN_IF_ERROR(enqueue());
    enqueuing.push_back(microseconds_since(before_enqueue));
    TESSERA_RETURN_IF_ERROR(stream_->record(*copying_out.begin));
    TESSERA_RETURN_IF_ERROR(copy_out());
    TESSERA_RETURN_IF_ERROR(stream_->record(*copying_out.end));
    TESSERA_RETURN_IF_ERROR(stream_->synchronize());
    whole.push_back(microseconds_since(begin));
    TESSERA_ASSIGN_OR_RETURN(const double in_us, copying_in.microseconds());
    TESSERA_ASSIGN_OR_RETURN(const double out_us, copying_out.microseconds());
    in.push_back(in_us);
    out.push_back(out_us);
    return 1;
  };
  TESSERA_RETURN_IF_ERROR(repeat(limits, run));
  timing.host_to_host = summarize(whole);
  timing.enqueue = summarize(enqueuing);
  if (device_.shares_host_memory()) return {};
  timing.copy_in = summarize(in);
  timing.copy_out = summarize(out);
  return {};
}

// Chunks of runs that are enqueued before the first is waited for; the time from one event to the
// next is that of the network as long as the host keeps ahead.
Status Runner::measure_device_only(const BenchLimits& limits, BatchTiming& timing) {
  constexpr size_t kChunk = 32;
  const size_t chunk = device_.shares_host_memory() ? 1 : kChunk;
  std::vector<std::unique_ptr<Event>> marks(chunk + 1);
  for (auto& mark : marks) {
    TESSERA_ASSIGN_OR_RETURN(mark, device_.create_event());
  }
  std::vector<double> samples;
  const auto run_chunk = [&]() -> Result<int64_t> {
    // One run ahead keeps the device busy while the host enqueues the first that is timed.
    if (chunk > 1) TESSERA_RETURN_IF_ERROR(enqueue());
    TESSERA_RETURN_IF_ERROR(stream_->record(*marks[0]));
    for (size_t i = 0; i < chunk; ++i) {
      TESSERA_RETURN_IF_ERROR(enqueue());
      TESSERA_RETURN_IF_ERROR(stream_->record(*marks[i + 1]));
    }
    TESSERA_RETURN_IF_ERROR(stream_->synchronize());
    for (size_t i = 0; i < chunk; ++i) {
      TESSERA_ASSIGN_OR_RETURN(const float milliseconds,
                               marks[i + 1]->milliseconds_since(*marks[i]));
      samples.push_back(milliseconds * kMicrosecondsPerMillisecond);
    }
    return static_cast<int64_t>(chunk);
  };
  TESSERA_RETURN_IF_ERROR(repeat(limits, run_chunk));
  timing.device_only = summarize(samples);
  return {};
}

Result<BatchTiming> Runner::measure(const BenchLimits& limits) {
  BatchTiming timing;
  TESSERA_RETURN_IF_ERROR(warm_up(limits.warm_up_seconds));
  TESSERA_RETURN_IF_ERROR(measure_host_to_host(limits, timing));
  TESSERA_RETURN_IF_ERROR(measure_device_only(limits, timing));
  return timing;
}

Result<std::unique_ptr<ExecutableGraph>> Runner::capture_step(size_t step, int repeats) {
  TESSERA_RETURN_IF_ERROR(stream_->begin_capture());
  Status launched;
  for (int i = 0; i < repeats && launched.ok(); ++i) {
    launched = context_->enqueue_step(step, *stream_);
  }
  // The capture has to be ended in any case, or the stream stays unusable.
  auto captured = stream_->end_capture();
  TESSERA_RETURN_IF_ERROR(launched);
  return captured;
}

// Median over samples of `repeats` launches each. The first launches are not counted.
Result<double> Runner::time_step(size_t step) {
  constexpr size_t kLeastSamples = 5;
  constexpr size_t kMostSamples = 50;
  constexpr double kBudgetMicroseconds = 1e5;
  const bool uses_graph = device_.supports_graphs();
  const int repeats = uses_graph ? 20 : 1;
  std::unique_ptr<ExecutableGraph> graph;
  if (uses_graph) {
    TESSERA_ASSIGN_OR_RETURN(graph, capture_step(step, repeats));
  }
  TESSERA_ASSIGN_OR_RETURN(const Span span, Span::create(device_));
  const auto run = [&] {
    return uses_graph ? graph->launch(*stream_) : context_->enqueue_step(step, *stream_);
  };
  std::vector<double> samples;
  const Clock::time_point begin = Clock::now();
  while (samples.size() < kLeastSamples ||
         (samples.size() < kMostSamples && microseconds_since(begin) < kBudgetMicroseconds)) {
    TESSERA_RETURN_IF_ERROR(run());
    TESSERA_RETURN_IF_ERROR(stream_->record(*span.begin));
    TESSERA_RETURN_IF_ERROR(run());
    TESSERA_RETURN_IF_ERROR(stream_->record(*span.end));
    TESSERA_RETURN_IF_ERROR(stream_->synchronize());
    TESSERA_ASSIGN_OR_RETURN(const double microseconds, span.microseconds());
    samples.push_back(microseconds / repeats);
  }
  return summarize(samples).median;
}

}  // namespace

Result<BatchTiming> time_batch(const CompiledModel& compiled, const OpenDevice& device,
                               std::span<const Tensor> inputs, const BenchLimits& limits) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Runner> runner,
                           Runner::create(compiled, device, inputs));
  return runner->measure(limits);
}

Result<std::vector<StepTiming>> time_steps(const CompiledModel& compiled, const OpenDevice& device,
                                           std::span<const Tensor> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Runner> runner,
                           Runner::create(compiled, device, inputs));
  TESSERA_RETURN_IF_ERROR(runner->warm_up(0));
  const std::vector<StepReport>& steps = compiled.report().steps;
  std::vector<StepTiming> timings;
  // In order: each step finds what those before it computed.
  for (size_t i = 0; i < steps.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(const double microseconds, runner->time_step(i));
    timings.push_back({steps[i], microseconds});
  }
  return timings;
}

}  // namespace tessera::cli
