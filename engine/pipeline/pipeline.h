// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
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
  int64_t batch = 32;      // samples per run of the network
  int decode_threads = 0;  // 0: one per hardware thread
  int lanes = 3;           // batches in flight
  Preprocess preprocess;
  // Extents that the model leaves open beside the batch: keys of resolve_input_shapes.
  std::map<std::string, int64_t> symbols = {};
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
// Compiling the network for a partial batch comes before the clock starts.
struct PipelineStats {
  size_t samples = 0;
  size_t failed = 0;
  size_t batches = 0;
  double wall_seconds = 0;  // host clock, from the first sample's start to the last callback's end
  double decode_seconds = 0;   // host clock; reading, decoding and fitting, summed over the workers
                               // and divided by their number
  double copy_in_seconds = 0;  // device events; host to device (0 where host memory is shared)
  double compute_seconds = 0;  // device events; conversion and network
  double copy_out_seconds = 0;  // device events; scores to the host (0 where host memory is shared)
  double write_seconds = 0;     // host clock; the caller's callback
  // Of the five stages: what the run would take with no overlap, and with perfect overlap.
  [[nodiscard]] double sum_seconds() const;
  [[nodiscard]] double longest_seconds() const;
  // The stage with the longest time: "decode", "copy in", "compute", "copy out" or "write".
  [[nodiscard]] std::string bound_by() const;
};

// Streams samples through decode -> pinned uint8 slot -> copy -> conversion on the device ->
// network -> copy back -> callback, batches overlapping, results in order. Memory depends on batch
// and lanes, not on the number of samples. Needs a model with one float32 input and a float32 first
// output, both with the batch first; (N, C, H, W), (N, H, W, C), (N, H, W) and flattened (N, K)
// inputs take pictures.
//
// A network never sees rows that are not there, since it might mix the rows of a batch: when the
// samples do not fill the last batch, the model is compiled once more for just as many rows. A
// model with a batch of its own keeps it: with a batch of 1 samples run one by one, with a larger
// one the last sample is repeated to fill the last batch; notes() says so. A sample that cannot be
// read enters the network as zeros and its scores are not reported.
class Pipeline {
 public:
  // kInvalidArgument for options that make no sense or a model with several inputs, kUnsupported
  // for a model whose input or output is not as described above.
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const Model> model,
                                                  const OpenDevice& device,
                                                  const PipelineOptions& options);
  ~Pipeline();

  // The batch really used: a model with a fixed batch has its own.
  [[nodiscard]] int64_t batch() const;
  // Scores that the network gives for one sample.
  [[nodiscard]] size_t scores_per_sample() const;
  // The network for batch() samples: its kernels and memory.
  [[nodiscard]] const PlanReport& report() const;
  // What the caller should know about how the model is run, one sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const;

  // Calls `sink` once for each sample, in order, on the calling thread. A sample that cannot be
  // read is reported through its status and the rest goes on; an error of the device or of `sink`
  // ends the run and is returned. When `cancel` is set, batches that were begun are finished and
  // reported and stats.samples tells how far the run came. kInvalidArgument when the samples are
  // not what the network takes. One run at a time.
  Result<PipelineStats> run(const InputSource& source,
                            const std::function<Status(const SampleResult&)>& sink);

 private:
  class Impl;
  explicit Pipeline(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
