// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/pipeline.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "core/math.h"
#include "engine/pipeline/lane.h"
#include "engine/pipeline/streaming_run.h"

namespace tessera {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxLanes = 1024;

Status check_options(const PipelineOptions& options) {
  if (options.batch < 1) {
    return invalid_argument("a batch of " + std::to_string(options.batch) +
                            "; it must be at least 1");
  }
  if (options.lanes < 1 || options.lanes > kMaxLanes) {
    return invalid_argument(std::to_string(options.lanes) + " batches in flight; from 1 to " +
                            std::to_string(kMaxLanes) + " are possible");
  }
  if (options.decode_threads < 0 || options.decode_threads > kMaxThreads) {
    return invalid_argument(std::to_string(options.decode_threads) + " decode threads; from 1 to " +
                            std::to_string(kMaxThreads) +
                            " are possible, 0 means one for each hardware thread");
  }
  return {};
}

int decode_thread_count(const PipelineOptions& options, size_t samples) {
  const int wanted = options.decode_threads > 0
                         ? options.decode_threads
                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return static_cast<int>(std::min(static_cast<size_t>(wanted), samples));
}

}  // namespace

class Pipeline::Impl {
 public:
  Impl(std::shared_ptr<const Model> model, OpenDevice device, PipelineOptions options)
      : model_(std::move(model)), device_(std::move(device)), options_(std::move(options)) {}

  Status prepare();
  [[nodiscard]] int64_t batch() const { return network_->rows(); }
  [[nodiscard]] size_t scores_per_sample() const { return network_->scores_per_row(); }
  [[nodiscard]] const PlanReport& report() const { return network_->report(); }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  Result<PipelineStats> run(const InputSource& source,
                            const std::function<Status(const SampleResult&)>& sink);

 private:
  Result<std::unique_ptr<BatchNetwork>> compile(int64_t rows) const {
    return BatchNetwork::create(model_, device_, rows, options_.preprocess, options_.symbols,
                                options_.compile);
  }
  void note_fixed_batch();
  Status prepare_tail(int64_t rows);
  Status prepare_lanes(const InputSource& source, size_t row_bytes);
  Result<size_t> prepare_samples(const InputSource& source, Preprocess& preprocess);

  std::shared_ptr<const Model> model_;
  OpenDevice device_;
  PipelineOptions options_;
  std::vector<std::string> notes_;
  PipelineStreams streams_;
  std::unique_ptr<BatchNetwork> network_;
  std::unique_ptr<BatchNetwork> tail_network_;  // of the last run that needed one
  std::unique_ptr<ExecutionContext> tail_context_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

Status Pipeline::Impl::prepare() {
  TESSERA_RETURN_IF_ERROR(check_options(options_));
  TESSERA_ASSIGN_OR_RETURN(network_, compile(options_.batch));
  note_fixed_batch();
  TESSERA_ASSIGN_OR_RETURN(streams_, PipelineStreams::create(*device_.device));
  return {};
}

void Pipeline::Impl::note_fixed_batch() {
  if (!network_->batch_is_fixed()) return;
  if (batch() == 1) {
    if (options_.batch != 1) {
      notes_.push_back("the model is made for a batch of 1: samples run one by one");
    }
    return;
  }
  notes_.push_back("the model is made for a batch of " + std::to_string(batch()) +
                   ": a last batch that is not full is filled up by repeating its last sample");
}

// Without a tail network a last partial batch is filled up.
Status Pipeline::Impl::prepare_tail(int64_t rows) {
  if (rows == 0 || network_->batch_is_fixed()) {
    tail_context_.reset();
    tail_network_.reset();
    return {};
  }
  if (tail_network_ != nullptr && tail_network_->rows() == rows) return {};
  tail_context_.reset();
  TESSERA_ASSIGN_OR_RETURN(tail_network_, compile(rows));
  TESSERA_ASSIGN_OR_RETURN(tail_context_, tail_network_->create_context());
  return {};
}

Status Pipeline::Impl::prepare_lanes(const InputSource& source, size_t row_bytes) {
  const size_t batches = ceil_div(source.size(), static_cast<size_t>(batch()));
  const size_t count = std::min(static_cast<size_t>(options_.lanes), batches);
  // Fewer samples than one batch need no context of the full network, nor its memory.
  const bool only_tail = tail_network_ != nullptr && batches == 1;
  while (lanes_.size() < count) {
    TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Lane> lane, Lane::create(*device_.device));
    lanes_.push_back(std::move(lane));
  }
  for (size_t i = 0; i < count; ++i) {
    const BatchNetwork& network = only_tail ? *tail_network_ : *network_;
    TESSERA_RETURN_IF_ERROR(lanes_[i]->reserve(network, source.kind(), row_bytes));
    if (!only_tail) TESSERA_RETURN_IF_ERROR(lanes_[i]->prepare_context(*network_));
  }
  return {};
}

// Returns the bytes of a sample; for pictures, `preprocess` gets the network's size.
Result<size_t> Pipeline::Impl::prepare_samples(const InputSource& source, Preprocess& preprocess) {
  if (source.kind() == SampleKind::kTensor) {
    TESSERA_RETURN_IF_ERROR(network_->check_sample_shape(source.sample_shape()));
    return static_cast<size_t>(source.sample_shape().num_elements()) * sizeof(float);
  }
  TESSERA_ASSIGN_OR_RETURN(preprocess, network_->fit_preprocess(options_.preprocess));
  TESSERA_RETURN_IF_ERROR(network_->prepare_conversion(preprocess));
  if (tail_network_ != nullptr) {
    TESSERA_RETURN_IF_ERROR(tail_network_->prepare_conversion(preprocess));
  }
  return static_cast<size_t>(preprocess.height * preprocess.width * preprocess.channels());
}

Result<PipelineStats> Pipeline::Impl::run(const InputSource& source,
                                          const std::function<Status(const SampleResult&)>& sink) {
  if (source.size() == 0) return PipelineStats{};
  TESSERA_RETURN_IF_ERROR(prepare_tail(static_cast<int64_t>(source.size()) % batch()));
  Preprocess preprocess = options_.preprocess;
  TESSERA_ASSIGN_OR_RETURN(const size_t row_bytes, prepare_samples(source, preprocess));
  TESSERA_RETURN_IF_ERROR(prepare_lanes(source, row_bytes));
  const size_t batches = ceil_div(source.size(), static_cast<size_t>(batch()));
  const std::span<const std::unique_ptr<Lane>> lanes(
      lanes_.data(), std::min(static_cast<size_t>(options_.lanes), batches));
  StreamingRun streaming({.source = source,
                          .preprocess = preprocess,
                          .sink = sink,
                          .cancel = options_.cancel,
                          .decode_threads = decode_thread_count(options_, source.size()),
                          .full_network = network_.get(),
                          .tail_network = tail_network_.get(),
                          .tail_context = tail_context_.get(),
                          .lanes = lanes,
                          .streams = streams_});
  return streaming.run();
}

Result<std::unique_ptr<Pipeline>> Pipeline::create(std::shared_ptr<const Model> model,
                                                   const OpenDevice& device,
                                                   const PipelineOptions& options) {
  auto impl = std::make_unique<Impl>(std::move(model), device, options);
  TESSERA_RETURN_IF_ERROR(impl->prepare());
  return std::unique_ptr<Pipeline>(new Pipeline(std::move(impl)));
}

Pipeline::Pipeline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pipeline::~Pipeline() = default;

int64_t Pipeline::batch() const { return impl_->batch(); }

size_t Pipeline::scores_per_sample() const { return impl_->scores_per_sample(); }

const PlanReport& Pipeline::report() const { return impl_->report(); }

const std::vector<std::string>& Pipeline::notes() const { return impl_->notes(); }

Result<PipelineStats> Pipeline::run(const InputSource& source,
                                    const std::function<Status(const SampleResult&)>& sink) {
  try {
    return impl_->run(source, sink);
  } catch (const std::bad_alloc&) {
    return out_of_memory("not enough memory for the pipeline's threads and batches");
  } catch (const std::exception& error) {
    return internal_error(std::string("streaming ended with an exception: ") + error.what());
  }
}

}  // namespace tessera
