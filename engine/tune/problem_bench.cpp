// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/problem_bench.h"

#include <limits>

#include "kernels/accuracy/comparator.h"

namespace tessera {

Result<std::unique_ptr<ProblemBench>> ProblemBench::create(const Problem& problem, Device& device) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<OperandCopies> copies,
                           OperandCopies::create(problem, device));
  return std::unique_ptr<ProblemBench>(new ProblemBench(std::move(copies)));
}

Result<KernelMeasurement> ProblemBench::measure(const KernelEntry& entry,
                                                const TimingOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<KernelTimer> timer,
                           KernelTimer::create(entry, copies_));
  KernelMeasurement measurement;
  TESSERA_ASSIGN_OR_RETURN(measurement.error, largest_error(*timer));
  TESSERA_ASSIGN_OR_RETURN(const KernelTiming timing, take_samples(*timer, options));
  measurement.microseconds = timing.microseconds.median;
  return measurement;
}

Result<double> ProblemBench::largest_error(KernelTimer& timer) {
  if (!truth_) {
    TESSERA_ASSIGN_OR_RETURN(truth_, compute_truth(copies_->problem(), copies_->host_inputs()));
  }
  const OperandSpec& output = copies_->specs().output;
  TESSERA_ASSIGN_OR_RETURN(const Bytes result, timer.run_once());
  if (!truth_->value.empty()) {
    return find_worst(result, output.dtype, {truth_->value, truth_->tolerance}).ratio;
  }
  const auto difference =
      compare_exactly(result, truth_->exact, output.dtype, copies_->specs().output_shape);
  return difference ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace tessera
