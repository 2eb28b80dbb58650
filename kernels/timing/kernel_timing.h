// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/device.h"
#include "kernels/kernel.h"
#include "kernels/timing/operand_copies.h"
#include "kernels/timing/sample_statistics.h"

namespace tessera {

// One kernel made ready to be timed on one problem, with cold caches: successive launches work on
// different copies of the operands, which together are at least twice the last level cache. Where
// they are not (a few bytes each, or a kernel that keeps its weights in a form of its own), a
// buffer of that size is copied before each sample instead.
//
// A sample is the time of a batch of launches, one after the other on one stream, between two
// events, divided by their number: so many that the batch takes about 200 microseconds. On a device
// with graphs the batch is a graph, so that what the host does is not in the figure; the gap from
// one kernel to the next in a graph is.
class KernelTimer {
 public:
  // Creates the kernel, packs its weights as a model would, launches it once to warm up and once
  // to find the size of a batch. Requires: entry.supports(copies->problem(), ...).ok().
  static Result<std::unique_ptr<KernelTimer>> create(const KernelEntry& entry,
                                                     std::shared_ptr<OperandCopies> copies);
  ~KernelTimer();

  // Microseconds per launch, from the next batch. Fails when the kernel does.
  Result<double> sample_us();
  [[nodiscard]] size_t launches_per_sample() const;

  // The output of one launch, whose memory held only bytes 0xff (NaN in floating-point dtypes)
  // before. The inputs are copies->host_inputs().
  Result<Bytes> run_once();

 private:
  struct Impl;
  explicit KernelTimer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct TimingOptions {
  double budget_seconds = 0.3;  // no sample begins later than this; one is always taken
  size_t most_samples = 100;
};

struct KernelTiming {
  std::vector<double> samples_us;  // microseconds per launch, in the order in which they were taken
  SampleStatistics microseconds;   // of them
  size_t launches_per_sample = 0;
};

// Samples until the budget is used up. Fails with the kernel's own error.
Result<KernelTiming> take_samples(KernelTimer& timer, const TimingOptions& options);

// Times one kernel on one problem, operands random. Requires: the kernel supports the problem.
// Fails with the kernel's own error, or with kOutOfMemory.
Result<KernelTiming> time_kernel(const KernelEntry& entry, const Problem& problem, Device& device,
                                 const TimingOptions& options = {});

}  // namespace tessera
