// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "engine/executor/compiled_model.h"
#include "engine/image/image.h"
#include "engine/image/input_source.h"

namespace tessera {

struct PipelineOptions {
  int64_t batch = 32;        // samples per run of the network
  int decode_threads = 0;    // 0: one per hardware thread
  int lanes = 3;             // batches in flight
  Preprocess preprocess;
  CompileOptions compile;
  const std::atomic<bool>* cancel = nullptr;  // set from a signal handler: finish what is in flight
};

// One sample's result. `scores` is valid during the callback only.
struct SampleResult {
  size_t index = 0;
  std::string name;
  Status status;                  // why there are no scores
  std::span<const float> scores;  // the network's first output for this sample
};

// Seconds each stage was busy over a run; stages overlap, so they do not add up to `wall`.
struct PipelineStats {
  size_t samples = 0;
  size_t failed = 0;
  size_t batches = 0;
  double wall_seconds = 0;
  double decode_seconds = 0;      // summed over the workers, divided by their number
  double copy_in_seconds = 0;     // host to device (0 on a device that shares host memory)
  double compute_seconds = 0;     // conversion and network
  double copy_out_seconds = 0;
  double write_seconds = 0;       // the caller's callback
  double sum_seconds() const;     // what the run would take with no overlap
  double longest_seconds() const; // what it would take with perfect overlap
  std::string bound_by() const;   // the stage with the longest time
};

// Streams samples through decode -> pinned uint8 slot -> copy -> conversion on the device ->
// network -> copy back -> callback, batches overlapping, results in order. Memory depends on batch
// and lanes, not on the number of samples. Needs a model with one input, batch first.
class Pipeline {
 public:
  // kInvalidArgument when the model has several inputs or cannot take such samples.
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const Model> model,
                                                  const OpenDevice& device,
                                                  const PipelineOptions& options);
  ~Pipeline();

  // The batch really used: a model with a fixed batch has its own.
  [[nodiscard]] int64_t batch() const;

  // Calls `sink` once for each sample, in order, on the calling thread. A sample that cannot be read
  // is reported through its status and the rest goes on; an error of the device or of `sink` ends
  // the run and is returned.
  Result<PipelineStats> run(const InputSource& source,
                            const std::function<Status(const SampleResult&)>& sink);

 private:
  struct Impl;
  explicit Pipeline(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
