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
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, copies_->device().create_stream());
  // What a kernel leaves unwritten shall not pass for a result: all bits set is a NaN.
  Bytes result(output.size_bytes(), std::byte{0xff});
  TESSERA_RETURN_IF_ERROR(stream->copy_to_device(copies_->output(0), result.data(), result.size()));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  TESSERA_RETURN_IF_ERROR(timer.run_once());
  TESSERA_RETURN_IF_ERROR(stream->copy_to_host(result.data(), copies_->output(0), result.size()));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  if (!truth_->value.empty()) {
    return find_worst(result, output.dtype, {truth_->value, truth_->tolerance}).ratio;
  }
  const auto difference =
      compare_exactly(result, truth_->exact, output.dtype, copies_->specs().output_shape);
  return difference ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace tessera
