// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing/kernel_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMicrosecondsPerMillisecond = 1000;
constexpr double kBatchMicroseconds = 200;
// The host takes some 10 microseconds to enqueue a graph. On an idle device that would pass between
// the first event and the first kernel, so the device is kept busy meanwhile, unless a batch takes
// so long that it does not matter.
constexpr double kLongBatchMicroseconds = 5000;
// Kernels that keep their weights need an instance for each copy of the operands.
constexpr size_t kMostPackedKernels = 16;

}  // namespace

struct KernelTimer::Impl {
  Impl(const KernelEntry& timed, std::shared_ptr<OperandCopies> operands)
      : entry(timed), copies(std::move(operands)) {}

  const KernelEntry& entry;
  std::shared_ptr<OperandCopies> copies;
  std::vector<std::unique_ptr<Kernel>> kernels;  // one, or one per copy that is used
  std::vector<bool> packed;                      // by operand: taken over by the kernels
  size_t used_copies = 0;
  Buffer workspace;
  Buffer flushed;  // empty when going round the copies passes the cache
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> start;
  std::unique_ptr<Event> stop;
  size_t batch = 1;  // launches
  size_t next_batch = 0;
  bool leads = false;  // an untimed batch goes before each timed one
  std::vector<std::unique_ptr<ExecutableGraph>> graphs;  // by batch, null until it is used

  [[nodiscard]] size_t batch_count() const { return used_copies / batch; }
  Status create_kernel();
  Status choose_copies();
  Status allocate();
  Status launch(size_t copy);
  Status launch_batch(size_t index);
  Result<std::unique_ptr<ExecutableGraph>> capture_batch(size_t index);
  Status enqueue_next_batch();
  Result<double> measure();
  Status warm_up();
};

// Appends a kernel with the parameters packed.
Status KernelTimer::Impl::create_kernel() {
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                           entry.create(copies->problem(), copies->device()));
  const std::vector<OperandSpec>& specs = copies->specs().inputs;
  std::vector<Tensor> tensors(specs.size());
  std::vector<const Tensor*> constants(specs.size(), nullptr);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].is_parameter || !specs[i].present) continue;
    tensors[i] = Tensor::wrap({specs[i].dtype, {specs[i].elements}},
                              copies->host_inputs()[i].data(), nullptr);
    constants[i] = &tensors[i];
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int> taken, kernel->pack_constants(constants));
  packed.assign(specs.size(), false);
  for (const int operand : taken) packed[static_cast<size_t>(operand)] = true;
  kernels.push_back(std::move(kernel));
  return {};
}

Status KernelTimer::Impl::choose_copies() {
  TESSERA_RETURN_IF_ERROR(create_kernel());
  used_copies = copies->count();
  if (std::find(packed.begin(), packed.end(), true) == packed.end()) return {};
  used_copies = std::min(used_copies, kMostPackedKernels);
  while (kernels.size() < used_copies) TESSERA_RETURN_IF_ERROR(create_kernel());
  return {};
}

Status KernelTimer::Impl::allocate() {
  Device& device = copies->device();
  TESSERA_ASSIGN_OR_RETURN(workspace, device.allocate(kernels.front()->workspace_bytes()));
  const size_t to_pass = 2 * cache_bytes_to_pass(device.info());
  if (used_copies * copies->copy_bytes() < to_pass) {
    TESSERA_ASSIGN_OR_RETURN(flushed, device.allocate(2 * to_pass));
  }
  TESSERA_ASSIGN_OR_RETURN(stream, device.create_stream());
  TESSERA_ASSIGN_OR_RETURN(start, device.create_event());
  TESSERA_ASSIGN_OR_RETURN(stop, device.create_event());
  return {};
}

Status KernelTimer::Impl::launch(size_t copy) {
  std::vector<const void*> inputs(packed.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!packed[i]) inputs[i] = copies->input(copy, i);
  }
  Kernel& kernel = *kernels[kernels.size() > 1 ? copy : 0];
  return kernel.launch({inputs, copies->output(copy), workspace.data()}, *stream);
}

Status KernelTimer::Impl::launch_batch(size_t index) {
  for (size_t i = 0; i < batch; ++i) TESSERA_RETURN_IF_ERROR(launch(index * batch + i));
  return {};
}

Result<std::unique_ptr<ExecutableGraph>> KernelTimer::Impl::capture_batch(size_t index) {
  TESSERA_RETURN_IF_ERROR(stream->begin_capture());
  const Status launched = launch_batch(index);
  // The capture has to be ended in any case, or the stream stays unusable.
  auto captured = stream->end_capture();
  TESSERA_RETURN_IF_ERROR(launched);
  return captured;
}

Status KernelTimer::Impl::enqueue_next_batch() {
  const size_t index = next_batch;
  next_batch = (index + 1) % batch_count();
  return graphs.empty() ? launch_batch(index) : graphs[index]->launch(*stream);
}

// Microseconds of the next batch.
Result<double> KernelTimer::Impl::measure() {
  if (flushed.size_bytes() > 0) {
    const size_t half = flushed.size_bytes() / 2;
    auto* bytes = static_cast<std::byte*>(flushed.data());
    TESSERA_RETURN_IF_ERROR(stream->copy_on_device(bytes, bytes + half, half));
  } else if (leads) {
    TESSERA_RETURN_IF_ERROR(enqueue_next_batch());
  }
  TESSERA_RETURN_IF_ERROR(stream->record(*start));
  TESSERA_RETURN_IF_ERROR(enqueue_next_batch());
  TESSERA_RETURN_IF_ERROR(stream->record(*stop));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  TESSERA_ASSIGN_OR_RETURN(const float milliseconds, stop->milliseconds_since(*start));
  return milliseconds * kMicrosecondsPerMillisecond;
}

Status KernelTimer::Impl::warm_up() {
  TESSERA_RETURN_IF_ERROR(launch(0));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  TESSERA_ASSIGN_OR_RETURN(const double one, measure());
  const double wanted = std::ceil(kBatchMicroseconds / std::max(one, 1.0));
  batch = std::clamp<size_t>(static_cast<size_t>(wanted), 1, used_copies);
  next_batch = 0;
  if (!copies->device().supports_graphs()) return {};
  for (size_t index = 0; index < batch_count(); ++index) {
    TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<ExecutableGraph> graph, capture_batch(index));
    // The first launch of a graph uploads it.
    TESSERA_RETURN_IF_ERROR(graph->launch(*stream));
    graphs.push_back(std::move(graph));
  }
  leads = one * static_cast<double>(batch) < kLongBatchMicroseconds;
  return stream->synchronize();
}

KernelTimer::KernelTimer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelTimer::~KernelTimer() = default;

Result<std::unique_ptr<KernelTimer>> KernelTimer::create(const KernelEntry& entry,
                                                         std::shared_ptr<OperandCopies> copies) {
  auto impl = std::make_unique<Impl>(entry, std::move(copies));
  Status status = impl->choose_copies();
  if (status.ok()) status = impl->allocate();
  if (status.ok()) status = impl->warm_up();
  if (!status.ok()) return status.with_context(std::string(entry.name));
  return std::unique_ptr<KernelTimer>(new KernelTimer(std::move(impl)));
}

Result<double> KernelTimer::sample_us() {
  const Result<double> batch = impl_->measure();
  if (!batch.ok()) return batch.status().with_context(std::string(impl_->entry.name));
  return *batch / static_cast<double>(impl_->batch);
}

size_t KernelTimer::launches_per_sample() const { return impl_->batch; }

Result<Bytes> KernelTimer::run_once() {
  Bytes result(impl_->copies->specs().output.size_bytes(), std::byte{0xff});
  Stream& stream = *impl_->stream;
  void* output = impl_->copies->output(0);
  TESSERA_RETURN_IF_ERROR(stream.copy_to_device(output, result.data(), result.size()));
  const Status launched = impl_->launch(0);
  if (!launched.ok()) return launched.with_context(std::string(impl_->entry.name));
  TESSERA_RETURN_IF_ERROR(stream.copy_to_host(result.data(), output, result.size()));
  TESSERA_RETURN_IF_ERROR(stream.synchronize().with_context(std::string(impl_->entry.name)));
  return result;
}

Result<KernelTiming> take_samples(KernelTimer& timer, const TimingOptions& options) {
  const Clock::time_point begin = Clock::now();
  KernelTiming timing;
  timing.launches_per_sample = timer.launches_per_sample();
  do {
    TESSERA_ASSIGN_OR_RETURN(const double sample, timer.sample_us());
    timing.samples_us.push_back(sample);
  } while (timing.samples_us.size() < options.most_samples &&
           std::chrono::duration<double>(Clock::now() - begin).count() < options.budget_seconds);
  timing.microseconds = summarize(timing.samples_us);
  return timing;
}

Result<KernelTiming> time_kernel(const KernelEntry& entry, const Problem& problem, Device& device,
                                 const TimingOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<OperandCopies> copies,
                           OperandCopies::create(problem, device));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<KernelTimer> timer,
                           KernelTimer::create(entry, std::move(copies)));
  return take_samples(*timer, options);
}

}  // namespace tessera
