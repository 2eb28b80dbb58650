// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/kernel_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/accuracy/comparator.h"
#include "kernels/accuracy/excerpt.h"
#include "kernels/accuracy/kernel_errors.h"
#include "kernels/accuracy/truth.h"
#include "kernels/select.h"
#include "kernels/timing/kernel_timing.h"
#include "kernels/timing/roof.h"
#include "tools/infer/kernel_problems.h"

namespace tessera::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A multiply-add of the reference takes about a nanosecond of one core.
constexpr double kMostExcerptFlops = 5e8;
constexpr size_t kRuns = 2;

// The copy as a kernel, so that it is timed like one: `count` elements from src to dst.
class CopyKernel final : public Kernel {
 public:
  explicit CopyKernel(const UnaryProblem& problem)
      : bytes_(static_cast<size_t>(problem.count) * dtype_size_bytes(problem.dtype)) {}
  Status launch(const Operands& operands, Stream& stream) override {
    return stream.copy_on_device(operands.output, operands.inputs[UnaryProblem::kSrc], bytes_);
  }

 private:
  size_t bytes_;
};

const KernelEntry kCopyEntry = {
    kDeviceCopy, UnaryProblem::kFamily, "the backend's own copy of device memory",
    [](const Problem&, const DeviceInfo&) { return Support::yes(); },
    [](const Problem& problem, Device&) -> Result<std::unique_ptr<Kernel>> {
      return std::unique_ptr<Kernel>(std::make_unique<CopyKernel>(std::get<UnaryProblem>(problem)));
    }};

// Reads and writes as many bytes as `problem` must.
Problem copy_of_as_many_bytes(const Problem& problem) {
  UnaryProblem copy;
  copy.dtype = DType::kF32;
  copy.count =
      std::max<int64_t>(1, static_cast<int64_t>(problem_bytes(problem) / 2 / sizeof(float)));
  return copy;
}

Problem in_preferred_layouts(const KernelEntry& entry, const Problem& problem,
                             const DeviceInfo& device) {
  Problem preferred = problem;
  if (entry.prefer_layouts == nullptr) return preferred;
  const LayoutPreference layouts = entry.prefer_layouts(problem, device);
  if (auto* conv = std::get_if<ConvProblem>(&preferred)) {
    conv->src_layout = layouts.src;
    conv->dst_layout = layouts.dst;
  }
  return preferred;
}

// What kernels on the same problem share.
struct SharedOperands {
  std::shared_ptr<OperandCopies> copies;
  std::optional<Excerpt> excerpt;  // and its truth, when the first result is to be compared
  Truth truth;
};

struct Contender {
  MeasuredKernel row;
  std::unique_ptr<KernelTimer> timer;  // null when it was refused
  std::vector<double> samples[kRuns];
};

class Bench {
 public:
  Bench(const OpenDevice& device, const KernelBenchOptions& options)
      : device_(device), options_(options) {}

  Status add(const KernelEntry& entry, const Problem& problem);
  void time_all();
  std::vector<MeasuredKernel> finish();

 private:
  Result<SharedOperands*> share(const Problem& problem);
  Status prepare(const KernelEntry& entry, SharedOperands& shared, Contender& contender);
  void time_run(size_t run);
  void compare_with_vendor();

  const OpenDevice& device_;
  const KernelBenchOptions& options_;
  std::vector<std::unique_ptr<SharedOperands>> shared_;
  std::vector<Contender> contenders_;
};

Result<SharedOperands*> Bench::share(const Problem& problem) {
  for (const auto& known : shared_) {
    if (known->copies->problem() == problem) return known.get();
  }
  auto shared = std::make_unique<SharedOperands>();
  TESSERA_ASSIGN_OR_RETURN(shared->copies, OperandCopies::create(problem, *device_.device));
  shared_.push_back(std::move(shared));
  return shared_.back().get();
}

Result<KernelError> error_of(const Bytes& result, SharedOperands& shared) {
  const Problem& problem = shared.copies->problem();
  if (!shared.excerpt) {
    shared.excerpt = make_excerpt(problem, shared.copies->host_inputs(), kMostExcerptFlops);
    TESSERA_ASSIGN_OR_RETURN(shared.truth,
                             compute_truth(shared.excerpt->problem, shared.excerpt->inputs));
  }
  const OperandSpec& output = shared.copies->specs().output;
  const Bytes part = shared.excerpt->cut(result);
  KernelError error;
  error.elements = part.size() / dtype_size_bytes(output.dtype);
  if (!shared.truth.exact.empty()) {
    const Shape shape = {static_cast<int64_t>(error.elements)};
    const bool same = !compare_exactly(part, shared.truth.exact, output.dtype, shape);
    error.worst_ratio = same ? 0 : INFINITY;
    return error;
  }
  const std::vector<double>& expected = shared.truth.value;
  error.worst_ratio = find_worst(part, output.dtype, {expected, shared.truth.tolerance}).ratio;
  double difference = 0;
  double norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double off = read_element(part, output.dtype, static_cast<int64_t>(i)) - expected[i];
    difference += off * off;
    norm += expected[i] * expected[i];
  }
  error.relative_error = norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  return error;
}

Status Bench::prepare(const KernelEntry& entry, SharedOperands& shared, Contender& contender) {
  TESSERA_ASSIGN_OR_RETURN(contender.timer, KernelTimer::create(entry, shared.copies));
  Bytes result;
  const auto run = [&]() -> Status {
    TESSERA_ASSIGN_OR_RETURN(result, contender.timer->run_once());
    return {};
  };
  if (device_.backend->trace_launches != nullptr) {
    TESSERA_ASSIGN_OR_RETURN(contender.row.launches,
                             device_.backend->trace_launches(device_.device->info(), run));
  } else {
    TESSERA_RETURN_IF_ERROR(run());
  }
  if (entry.name == kDeviceCopy) return {};
  TESSERA_ASSIGN_OR_RETURN(contender.row.error, error_of(result, shared));
  return {};
}

Status Bench::add(const KernelEntry& entry, const Problem& problem) {
  const DeviceInfo& info = device_.device->info();
  Contender contender;
  contender.row.kernel = entry.name;
  contender.row.problem = in_preferred_layouts(entry, problem, info);
  const Support support = entry.supports(contender.row.problem, info);
  contender.row.refused = support.reason();
  if (support.ok()) {
    TESSERA_ASSIGN_OR_RETURN(SharedOperands* const shared, share(contender.row.problem));
    const Status prepared = prepare(entry, *shared, contender);
    if (!prepared.ok()) {
      contender.timer.reset();
      contender.row.failed = prepared.message();
    }
  }
  contenders_.push_back(std::move(contender));
  return {};
}

// Samples in turns, until each kernel has had its budget on average.
void Bench::time_run(size_t run) {
  constexpr size_t kMostSamples = 50;
  const Clock::time_point begin = Clock::now();
  const double budget = options_.budget_seconds * static_cast<double>(contenders_.size());
  for (size_t round = 0; round < kMostSamples; ++round) {
    for (Contender& contender : contenders_) {
      if (contender.timer == nullptr) continue;
      const Result<double> sample = contender.timer->sample_us();
      if (sample.ok()) {
        contender.samples[run].push_back(*sample);
      } else {
        contender.row.failed = sample.status().message();
        contender.timer.reset();
      }
    }
    if (std::chrono::duration<double>(Clock::now() - begin).count() > budget) return;
  }
}

void Bench::time_all() {
  for (size_t run = 0; run < kRuns; ++run) time_run(run);
}

void Bench::compare_with_vendor() {
  double vendor_us = INFINITY;
  for (const Contender& contender : contenders_) {
    if (!contender.row.is_timed() || !is_library_kernel(contender.row.kernel)) continue;
    vendor_us = std::min(vendor_us, contender.row.microseconds.median);
  }
  if (std::isinf(vendor_us)) return;
  for (Contender& contender : contenders_) {
    if (!contender.row.is_timed() || contender.row.kernel == kDeviceCopy) continue;
    contender.row.of_vendor = vendor_us / contender.row.microseconds.median;
  }
}

std::vector<MeasuredKernel> Bench::finish() {
  for (Contender& contender : contenders_) {
    if (!contender.row.is_timed()) continue;
    std::vector<double> all = contender.samples[0];
    all.insert(all.end(), contender.samples[1].begin(), contender.samples[1].end());
    MeasuredKernel& row = contender.row;
    row.microseconds = summarize(all);
    row.spread =
        std::fabs(summarize(contender.samples[0]).median - summarize(contender.samples[1]).median) /
        row.microseconds.median;
    if (const auto roof = problem_roof(row.problem, device_.device->info())) {
      row.of_roof = roof->microseconds / row.microseconds.median;
    }
  }
  compare_with_vendor();
  std::vector<MeasuredKernel> rows;
  for (Contender& contender : contenders_) rows.push_back(std::move(contender.row));
  return rows;
}

}  // namespace

Result<std::vector<MeasuredKernel>> bench_kernels(const OpenDevice& device, const Problem& problem,
                                                  const KernelBenchOptions& options) {
  Bench bench(device, options);
  const auto entries = device.backend->kernels();
  for (size_t i = entries.size(); i-- > 0;) {
    const KernelEntry& entry = *entries[i];
    const auto& wanted = options.kernels;
    const bool is_wanted =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), entry.name) != wanted.end();
    if (entry.family != problem_family(problem) || !is_wanted) continue;
    TESSERA_RETURN_IF_ERROR(bench.add(entry, problem));
  }
  if (is_memory_family(problem_family(problem))) {
    TESSERA_RETURN_IF_ERROR(bench.add(kCopyEntry, copy_of_as_many_bytes(problem)));
  }
  bench.time_all();
  return bench.finish();
}

}  // namespace tessera::cli
