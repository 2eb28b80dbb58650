// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"
#include "engine/image/input_source.h"
#include "engine/image/model_card.h"
#include "engine/pipeline/pipeline.h"
#include "tools/infer/options.h"
#include "tools/infer/preprocess_options.h"

namespace tessera::cli {

// Options shared by the commands that send pictures through a network.
struct StreamingOptions {
  std::string model;
  ExecutionOptions execution;
  ShapeOptions shapes;
  PreprocessOptions preprocess;
  std::string labels;
  int threads = 0;
  bool recursive = false;
  bool stats = false;
  bool json = false;
  bool quiet = false;
};
void add_streaming_options(CLI::App& app, StreamingOptions& options);

// Everything that is ready before the first sample is read.
struct StreamingRun {
  std::shared_ptr<const Model> model;
  ModelCard card;
  std::string labels_source;
  OpenDevice device;
  std::vector<std::unique_ptr<InputSource>> sources;
  std::unique_ptr<Pipeline> pipeline;
  std::string header;  // device, precision, batch, graph, preprocessing, labels, scores

  [[nodiscard]] size_t size() const;              // samples in all sources
  [[nodiscard]] std::string device_name() const;  // "cuda:0 NVIDIA H200"
};

Result<StreamingRun> prepare_streaming_run(const StreamingOptions& options,
                                           const std::vector<std::string>& inputs);

// What became of the samples. `status` is an error of the device or of `sink`; samples that failed
// one by one are counted in stats.failed and have been named on stderr.
struct StreamingOutcome {
  PipelineStats stats;
  Status status;
  bool interrupted = false;
};

// Streams all sources in order; `index` in a SampleResult counts over all of them. A sample whose
// scores hold a NaN is given to `sink` as failed. `show_progress` draws a bar on stderr.
StreamingOutcome stream_samples(StreamingRun& run, bool show_progress,
                                const std::function<Status(const SampleResult&)>& sink);

// "infer: 10000 images, 0 failed, 1.2 s, ...": what is in the figure is said too.
std::string summary_line(const StreamingOutcome& outcome);
// Seconds of each stage, for --stats.
std::string stats_text(const PipelineStats& stats);

// The exit code of a run whose results were written without error.
int outcome_exit_code(const StreamingOutcome& outcome);

}  // namespace tessera::cli
