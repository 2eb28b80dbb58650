// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/buffer.h"
#include "core/device.h"
#include "engine/pipeline/batch_network.h"

namespace tessera {

// The three queues of work on the device that batches pass through, one after the other.
struct PipelineStreams {
  std::unique_ptr<Stream> copy_in;
  std::unique_ptr<Stream> compute;
  std::unique_ptr<Stream> copy_out;

  static Result<PipelineStreams> create(Device& device);
  // Waits until nothing is in flight.
  Status synchronize();
};

// Begin and end of a piece of work on a stream.
struct TimedSpan {
  std::unique_ptr<Event> begin;
  std::unique_ptr<Event> end;

  static Result<TimedSpan> create(Device& device);
  [[nodiscard]] Result<double> seconds() const;
};

// The place of one batch in flight: pinned memory that decoding fills, device memory, the network's
// context, pinned memory for the scores. A lane belongs to one thread at a time: the caller opens
// it, the workers fill it, the submitter enqueues its work, the caller delivers it.
class Lane {
 public:
  static Result<std::unique_ptr<Lane>> create(Device& device);

  // Makes the memory large enough for batches of `network` or smaller ones; keeps what is large
  // enough already.
  Status reserve(const BatchNetwork& network, SampleKind kind, size_t row_bytes);
  // Makes own_context(), unless it is there. Requires: the same network as before.
  Status prepare_context(const BatchNetwork& network);
  [[nodiscard]] ExecutionContext* own_context() const { return own_context_.get(); }

  // Takes samples [first_sample, first_sample + samples) for `network` and one of its contexts.
  // Requires: reserve, and samples <= network.rows().
  void open(BatchNetwork& network, ExecutionContext& context, size_t first_sample, size_t samples);

  // Where sample `row` of the batch is to be written.
  [[nodiscard]] std::span<std::byte> row(size_t row) const;
  // To be called once for each row; true for the last one. Thread-safe.
  bool finish_row(size_t row, Status status);

  // Enqueues copies, conversion and network; returns without waiting.
  Status submit(PipelineStreams& streams);
  // Waits until the scores are there.
  Status wait();

  [[nodiscard]] size_t first_sample() const { return first_sample_; }
  [[nodiscard]] size_t samples() const { return samples_; }
  // After wait():
  [[nodiscard]] std::span<const float> scores(size_t row) const;
  [[nodiscard]] const Status& status(size_t row) const { return statuses_[row]; }
  [[nodiscard]] Result<double> copy_in_seconds() const;
  [[nodiscard]] Result<double> compute_seconds() const { return computing_.seconds(); }
  [[nodiscard]] Result<double> copy_out_seconds() const;

 private:
  explicit Lane(Device& device) : device_(device) {}
  void fill_up_rows();
  // Where the network or its conversion reads the batch on the device.
  [[nodiscard]] void* device_source() const;
  Status submit_copy_in(PipelineStreams& streams);
  Status submit_compute(PipelineStreams& streams);
  Status submit_copy_out(PipelineStreams& streams);

  Device& device_;
  SampleKind kind_ = SampleKind::kPixels;
  size_t row_bytes_ = 0;
  Buffer host_slot_;
  Buffer device_slot_;
  Buffer host_scores_;
  std::unique_ptr<ExecutionContext> own_context_;
  TimedSpan copying_in_;
  TimedSpan computing_;
  TimedSpan copying_out_;

  // The batch that is in the lane.
  BatchNetwork* network_ = nullptr;
  ExecutionContext* context_ = nullptr;
  size_t first_sample_ = 0;
  size_t samples_ = 0;
  std::byte* slot_ = nullptr;
  std::vector<Status> statuses_;
  std::atomic<size_t> rows_missing_ = 0;
};

}  // namespace tessera
