// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/streaming_run.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>

#include "core/math.h"

namespace tessera {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

StreamingRun::StreamingRun(const StreamingTask& task)
    : task_(task),
      batch_(static_cast<size_t>(task.full_network->rows())),
      batches_(ceil_div(task.source.size(), batch_)),
      decode_seconds_(static_cast<size_t>(task.decode_threads)),
      decoded_lanes_(task.lanes.size()),
      jobs_(task.lanes.size() * batch_),
      decoded_(task.lanes.size()),
      in_flight_(task.lanes.size()) {}

StreamingRun::~StreamingRun() {
  stop_threads();
  // Only a run that failed still has work in flight; its error has been taken already.
  static_cast<void>(task_.streams.synchronize());
}

void StreamingRun::start_threads() {
  threads_.reserve(decode_seconds_.size() + 1);
  threads_.emplace_back([this] { submit_batches(); });
  for (size_t worker = 0; worker < decode_seconds_.size(); ++worker) {
    threads_.emplace_back([this, worker] { decode_samples(worker); });
  }
}

void StreamingRun::stop_threads() {
  jobs_.close();
  decoded_.close();
  in_flight_.close();
  threads_.clear();
}

void StreamingRun::decode_samples(size_t worker) {
  Clock::duration busy{};
  while (const std::optional<DecodeJob> job = jobs_.pop()) {
    Lane& lane = *task_.lanes[job->lane];
    const Clock::time_point start = Clock::now();
    Status status = decode_sample(lane, job->row);
    busy += Clock::now() - start;
    if (!status.ok()) std::memset(lane.row(job->row).data(), 0, lane.row(job->row).size());
    if (lane.finish_row(job->row, std::move(status))) decoded_.push(job->lane);
  }
  decode_seconds_[worker] = Seconds(busy).count();
}

// A source is the caller's code as well: what it throws is an error of this sample.
Status StreamingRun::decode_sample(const Lane& lane, size_t row) const {
  const size_t index = lane.first_sample() + row;
  try {
    return task_.source.read(index, task_.preprocess, lane.row(row));
  } catch (const std::bad_alloc&) {
    return out_of_memory(task_.source.name(index) + ": not enough memory to decode it");
  } catch (const std::exception& error) {
    return internal_error(task_.source.name(index) + ": " + error.what());
  }
}

// Batches may be decoded out of order, since a worker can be slow; they are submitted in order.
void StreamingRun::submit_batches() {
  size_t next = 0;
  while (const std::optional<size_t> decoded = decoded_.pop()) {
    decoded_lanes_[*decoded] = true;
    while (decoded_lanes_[next]) {
      decoded_lanes_[next] = false;
      if (Status status = submit(*task_.lanes[next]); !status.ok()) return fail(std::move(status));
      in_flight_.push(next);
      next = (next + 1) % task_.lanes.size();
    }
  }
}

Status StreamingRun::submit(Lane& lane) {
  try {
    return lane.submit(task_.streams);
  } catch (const std::bad_alloc&) {
    return out_of_memory("not enough memory to run a batch");
  } catch (const std::exception& error) {
    return internal_error(std::string("running a batch: ") + error.what());
  }
}

void StreamingRun::fail(Status status) {
  {
    const std::lock_guard lock(failure_mutex_);
    failure_ = std::move(status);
  }
  in_flight_.close();
}

Status StreamingRun::failure() {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

void StreamingRun::open_next_batch() {
  const size_t index = opened_ % task_.lanes.size();
  Lane& lane = *task_.lanes[index];
  const size_t first = opened_ * batch_;
  const size_t samples = std::min(batch_, task_.source.size() - first);
  const bool is_tail = samples < batch_ && task_.tail_network != nullptr;
  if (is_tail) {
    lane.open(*task_.tail_network, *task_.tail_context, first, samples);
  } else {
    lane.open(*task_.full_network, *lane.own_context(), first, samples);
  }
  ++opened_;
  for (size_t row = 0; row < samples; ++row) jobs_.push({index, row});
}

Status StreamingRun::deliver_batches() {
  while (opened_ < std::min(batches_, task_.lanes.size()) && !cancelled()) open_next_batch();
  while (stats_.batches < opened_) {
    const std::optional<size_t> lane = in_flight_.pop();
    if (!lane) return failure();
    TESSERA_RETURN_IF_ERROR(deliver(*task_.lanes[*lane]));
    ++stats_.batches;
    if (opened_ < batches_ && !cancelled()) open_next_batch();
  }
  return {};
}

Status StreamingRun::deliver(Lane& lane) {
  TESSERA_RETURN_IF_ERROR(lane.wait());
  TESSERA_ASSIGN_OR_RETURN(const double copy_in, lane.copy_in_seconds());
  TESSERA_ASSIGN_OR_RETURN(const double compute, lane.compute_seconds());
  TESSERA_ASSIGN_OR_RETURN(const double copy_out, lane.copy_out_seconds());
  stats_.copy_in_seconds += copy_in;
  stats_.compute_seconds += compute;
  stats_.copy_out_seconds += copy_out;
  const Clock::time_point start = Clock::now();
  for (size_t row = 0; row < lane.samples(); ++row) {
    TESSERA_RETURN_IF_ERROR(report_row(lane, row));
  }
  stats_.write_seconds += Seconds(Clock::now() - start).count();
  return {};
}

Status StreamingRun::report_row(const Lane& lane, size_t row) {
  SampleResult result;
  result.index = lane.first_sample() + row;
  result.name = task_.source.name(result.index);
  result.status = lane.status(row);
  if (result.status.ok()) result.scores = lane.scores(row);
  ++stats_.samples;
  if (!result.status.ok()) ++stats_.failed;
  return task_.sink(result);
}

Result<PipelineStats> StreamingRun::run() {
  const Clock::time_point start = Clock::now();
  start_threads();
  TESSERA_RETURN_IF_ERROR(deliver_batches());
  stats_.wall_seconds = Seconds(Clock::now() - start).count();
  stop_threads();
  stats_.decode_seconds = std::accumulate(decode_seconds_.begin(), decode_seconds_.end(), 0.0) /
                          static_cast<double>(decode_seconds_.size());
  return stats_;
}

}  // namespace tessera
