// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/tune.h"

#include <chrono>
#include <map>

#include "engine/executor/compile.h"
#include "engine/program/assign_kernels.h"
#include "engine/tune/problem_bench.h"
#include "kernels/timing/roof.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

// The step's problem as `entry` would get it.
Problem problem_for(const KernelEntry& entry, const Step& step, const Program& program,
                    const DeviceInfo& device) {
  const auto* conv = std::get_if<ConvProblem>(&step.problem);
  if (conv == nullptr) return step.problem;
  ConvProblem plain = *conv;
  plain.src_layout = plain.dst_layout = Layout::kRowMajor;
  const bool is_2d = program.values[step.output].desc.shape.rank() == 4;
  if (!is_2d || !entry.supports(plain, device).ok()) return plain;
  return in_preferred_layouts(plain, entry, device);
}

class Tuner {
 public:
  Tuner(const OpenDevice& device, TimingCache& cache, const TuneOptions& options)
      : device_(device),
        info_(device.device->info()),
        key_(make_device_key(*device.backend, info_)),
        cache_(cache),
        options_(options) {}

  // Measures what is missing for the program's layers. True when there was something new.
  Result<bool> measure_missing(const Program& program) {
    const size_t before = measured_;
    for (const Step& step : program.steps) count_candidates(step, program);
    for (const Step& step : program.steps) {
      for (const Candidate& candidate : candidates(step.problem, *device_.backend, info_)) {
        TESSERA_RETURN_IF_ERROR(visit(*candidate.entry, step, program));
      }
      bench_.reset();  // its operands may be large
    }
    return measured_ > before;
  }

  // The matrix of kernels for the layers of `program`, which was compiled to `result.report`.
  void report(const Program& program, TuneResult& result) const {
    result.measured = measured_;
    result.known = known_;
    for (size_t i = 0; i < program.steps.size(); ++i) {
      const Step& step = program.steps[i];
      TuneLayer layer;
      layer.step = result.report.steps[i];
      for (const Candidate& candidate : candidates(step.problem, *device_.backend, info_)) {
        layer.candidates.push_back(report_candidate(*candidate.entry, step, program));
        const TuneCandidate& row = layer.candidates.back();
        if (!row.measurement && row.reason.empty()) ++result.remaining;
      }
      result.layers.push_back(std::move(layer));
    }
  }

 private:
  using Place = std::pair<std::string, std::string>;  // choice_key, kernel

  bool time_is_up() const {
    if (options_.cancel != nullptr && *options_.cancel) return true;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return options_.limit_seconds > 0 && seconds >= options_.limit_seconds;
  }

  void count_candidates(const Step& step, const Program& program) {
    for (const Candidate& candidate : candidates(step.problem, *device_.backend, info_)) {
      const Problem problem = problem_for(*candidate.entry, step, program, info_);
      if (!candidate.entry->supports(problem, info_).ok()) continue;
      done_.try_emplace({choice_key(step.problem), std::string(candidate.entry->name)}, false);
    }
  }

  Status visit(const KernelEntry& entry, const Step& step, const Program& program) {
    const Place place = {choice_key(step.problem), std::string(entry.name)};
    const auto found = done_.find(place);
    if (found == done_.end() || found->second) return {};
    if (cache_.find(key_, place.first, place.second) != nullptr) {
      ++known_;
    } else if (time_is_up()) {
      return {};
    } else {
      TESSERA_RETURN_IF_ERROR(measure(entry, problem_for(entry, step, program, info_), place));
    }
    found->second = true;
    ++finished_;
    if (options_.progress) options_.progress(finished_, done_.size());
    return {};
  }

  // A kernel that fails is noted and does not end the tuning; a cache that cannot be written does.
  Status measure(const KernelEntry& entry, const Problem& problem, const Place& place) {
    if (bench_ == nullptr || to_string(problem) != bench_problem_) {
      bench_.reset();
      auto bench = ProblemBench::create(problem, *device_.device);
      if (!bench.ok()) {
        failures_[place] = bench.status().message();
        return {};
      }
      bench_ = std::move(*bench);
      bench_problem_ = to_string(problem);
    }
    const Result<KernelMeasurement> measurement = bench_->measure(entry, options_.timing);
    if (!measurement.ok()) {
      failures_[place] = measurement.status().message();
      return {};
    }
    ++measured_;
    return cache_.add(key_, place.first, place.second, *measurement);
  }

  TuneCandidate report_candidate(const KernelEntry& entry, const Step& step,
                                 const Program& program) const {
    TuneCandidate row;
    row.kernel = entry.name;
    const Problem problem = problem_for(entry, step, program, info_);
    const Place place = {choice_key(step.problem), row.kernel};
    const Support support = entry.supports(problem, info_);
    if (!support.ok()) {
      row.reason = "refused: " + support.reason();
    } else if (const auto failure = failures_.find(place); failure != failures_.end()) {
      row.reason = "failed: " + failure->second;
    } else if (const auto* measured = cache_.find(key_, place.first, place.second)) {
      row.measurement = *measured;
      const std::optional<Roof> roof = problem_roof(problem, info_);
      if (roof) row.roof_fraction = roof->microseconds / measured->microseconds;
    }
    return row;
  }

  const OpenDevice& device_;
  const DeviceInfo& info_;
  DeviceKey key_;
  TimingCache& cache_;
  const TuneOptions& options_;
  Clock::time_point begin_ = Clock::now();
  std::unique_ptr<ProblemBench> bench_;  // of the problem that was measured last
  std::string bench_problem_;
  std::map<Place, bool> done_;
  std::map<Place, std::string> failures_;
  size_t finished_ = 0;
  size_t measured_ = 0;
  size_t known_ = 0;
};

}  // namespace

Result<TuneResult> tune(const std::shared_ptr<const Model>& model, const OpenDevice& device,
                        std::span<const Shape> input_shapes,
                        const std::shared_ptr<TimingCache>& cache, const TuneOptions& options) {
  CompileOptions compile = options.compile;
  compile.choice.plan = nullptr;
  compile.choice.timings = cache;
  const auto build = [&] { return build_program(model->graph(), device, input_shapes, compile); };
  Tuner tuner(device, *cache, options);
  bool has_new = true;
  // Choices that change each other's layouts for ever are not known; the bound is for certainty.
  constexpr int kMostRounds = 8;
  for (int round = 0; has_new && round < kMostRounds; ++round) {
    TESSERA_ASSIGN_OR_RETURN(const KernelProgram built, build());
    TESSERA_ASSIGN_OR_RETURN(has_new, tuner.measure_missing(built.program));
  }
  TESSERA_ASSIGN_OR_RETURN(const KernelProgram built, build());
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const CompiledModel> compiled,
                           CompiledModel::compile(model, device, input_shapes, compile));
  TuneResult result;
  result.report = compiled->report();
  tuner.report(built.program, result);
  return result;
}

}  // namespace tessera
