// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/executor/compiled_model.h"
#include "engine/plan/timing_cache.h"
#include "kernels/timing/kernel_timing.h"

namespace tessera {

struct TuneOptions {
  CompileOptions compile;  // its plan and timings are not used
  TimingOptions timing;
  double limit_seconds = 0;                   // no measurement begins later; 0: no limit
  const std::atomic<bool>* cancel = nullptr;  // the same, from a signal handler
  // Told after each candidate of each layer: how many are done, of how many that are known so far.
  std::function<void(size_t done, size_t total)> progress = {};
};

// One kernel for one layer.
struct TuneCandidate {
  std::string kernel;
  std::optional<KernelMeasurement> measurement;  // nothing: refused, failed, or not measured yet
  std::string reason;                            // why it was refused or how it failed
  std::optional<double> roof_fraction;           // time of the roof / time
};

struct TuneLayer {
  StepReport step;  // with the kernel that is chosen
  std::vector<TuneCandidate> candidates;
};

struct TuneResult {
  std::vector<TuneLayer> layers;
  PlanReport report;     // of the model compiled with what was measured
  size_t measured = 0;   // in this call
  size_t known = 0;      // from the cache
  size_t remaining = 0;  // candidates of layers not measured when time was up
};

// Measures every kernel that can run a layer of the model, for each layer, and adds it to `cache`;
// what is there already is not measured again. A convolution is measured in the layouts that its
// kernel prefers. Since another kernel can change the layouts of the layers around it, the model is
// compiled anew with what was measured until no new problem turns up. A kernel whose result is
// outside its tolerance is measured and never chosen.
Result<TuneResult> tune(const std::shared_ptr<const Model>& model, const OpenDevice& device,
                        std::span<const Shape> input_shapes,
                        const std::shared_ptr<TimingCache>& cache, const TuneOptions& options);

}  // namespace tessera
