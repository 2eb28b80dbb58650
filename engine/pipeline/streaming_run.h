// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/status.h"
#include "engine/pipeline/blocking_queue.h"
#include "engine/pipeline/lane.h"
#include "engine/pipeline/pipeline.h"

namespace tessera {

// What one run works on. All of it outlives the run.
struct StreamingTask {
  const InputSource& source;
  const Preprocess& preprocess;
  const std::function<Status(const SampleResult&)>& sink;
  const std::atomic<bool>* cancel = nullptr;
  int decode_threads = 1;
  BatchNetwork* full_network = nullptr;          // for batches that are filled
  BatchNetwork* tail_network = nullptr;          // for the last one when it is not
  ExecutionContext* tail_context = nullptr;      // likewise
  std::span<const std::unique_ptr<Lane>> lanes;  // reserved, with contexts of their own
  PipelineStreams& streams;
};

// One pass over a source. Batch b lives in lane b modulo the number of lanes and goes round:
//
//   caller: opens it, one job for each sample  -> jobs_
//   workers: decode samples, the last one done -> decoded_
//   submitter: enqueues it on the device       -> in_flight_
//   caller: waits for its scores, reports them, opens the next batch in the lane
//
// Each queue has room for all that can be in it, so nobody waits in push; whoever fails closes all
// queues, which ends every other thread's waiting.
class StreamingRun {
 public:
  explicit StreamingRun(const StreamingTask& task);
  // Ends all threads and waits until the device has done what was enqueued.
  ~StreamingRun();
  StreamingRun(const StreamingRun&) = delete;
  StreamingRun& operator=(const StreamingRun&) = delete;

  Result<PipelineStats> run();

 private:
  using Clock = std::chrono::steady_clock;
  struct DecodeJob {
    size_t lane = 0;
    size_t row = 0;
  };

  void start_threads();
  void stop_threads();
  void decode_samples(size_t worker);
  Status decode_sample(const Lane& lane, size_t row) const;
  void submit_batches();
  Status submit(Lane& lane);
  void fail(Status status);
  Status failure();

  bool cancelled() const { return task_.cancel != nullptr && task_.cancel->load(); }
  void open_next_batch();
  Status deliver_batches();
  Status deliver(Lane& lane);
  Status report_row(const Lane& lane, size_t row);

  StreamingTask task_;
  size_t batch_ = 0;
  size_t batches_ = 0;
  size_t opened_ = 0;
  PipelineStats stats_;
  std::vector<double> decode_seconds_;  // by worker
  std::vector<bool> decoded_lanes_;     // the submitter's
  BlockingQueue<DecodeJob> jobs_;
  BlockingQueue<size_t> decoded_;
  BlockingQueue<size_t> in_flight_;
  std::mutex failure_mutex_;
  Status failure_;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace tessera
