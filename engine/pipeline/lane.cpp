// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/lane.h"

#include <cstring>

#include "core/math.h"

namespace tessera {
namespace {

Status grow(Buffer& buffer, size_t bytes, Device& device,
            Result<Buffer> (Device::*allocate)(size_t)) {
  if (buffer.size_bytes() >= bytes) return {};
  buffer = Buffer();
  TESSERA_ASSIGN_OR_RETURN(buffer, (device.*allocate)(bytes));
  return {};
}

}  // namespace

Result<PipelineStreams> PipelineStreams::create(Device& device) {
  PipelineStreams streams;
  TESSERA_ASSIGN_OR_RETURN(streams.copy_in, device.create_stream());
  TESSERA_ASSIGN_OR_RETURN(streams.compute, device.create_stream());
  TESSERA_ASSIGN_OR_RETURN(streams.copy_out, device.create_stream());
  return streams;
}

Status PipelineStreams::synchronize() {
  const Status in = copy_in->synchronize();
  const Status computed = compute->synchronize();
  const Status out = copy_out->synchronize();
  TESSERA_RETURN_IF_ERROR(in);
  TESSERA_RETURN_IF_ERROR(computed);
  return out;
}

Result<TimedSpan> TimedSpan::create(Device& device) {
  TimedSpan span;
  TESSERA_ASSIGN_OR_RETURN(span.begin, device.create_event());
  TESSERA_ASSIGN_OR_RETURN(span.end, device.create_event());
  return span;
}

Result<double> TimedSpan::seconds() const {
  TESSERA_ASSIGN_OR_RETURN(const float milliseconds, end->milliseconds_since(*begin));
  return milliseconds * 1e-3;
}

Result<std::unique_ptr<Lane>> Lane::create(Device& device) {
  std::unique_ptr<Lane> lane(new Lane(device));
  TESSERA_ASSIGN_OR_RETURN(lane->copying_in_, TimedSpan::create(device));
  TESSERA_ASSIGN_OR_RETURN(lane->computing_, TimedSpan::create(device));
  TESSERA_ASSIGN_OR_RETURN(lane->copying_out_, TimedSpan::create(device));
  return lane;
}

// A device that shares host memory reads pictures where decoding put them, reads tensors where they
// were decoded to in the first place, the context's input, and its scores are read in place.
Status Lane::reserve(const BatchNetwork& network, SampleKind kind, size_t row_bytes) {
  kind_ = kind;
  row_bytes_ = row_bytes;
  const bool shared = device_.shares_host_memory();
  const auto slot_bytes = checked_multiply(network.rows(), static_cast<int64_t>(row_bytes));
  if (!slot_bytes) return out_of_memory("a batch of such samples overflows 64 bits");
  const auto bytes = static_cast<size_t>(*slot_bytes);
  if (!shared || kind == SampleKind::kPixels) {
    TESSERA_RETURN_IF_ERROR(grow(host_slot_, bytes, device_, &Device::allocate_host));
  }
  if (!shared && kind == SampleKind::kPixels) {
    TESSERA_RETURN_IF_ERROR(grow(device_slot_, bytes, device_, &Device::allocate));
  }
  if (!shared) {
    const size_t score_bytes =
        static_cast<size_t>(network.rows()) * network.scores_per_row() * sizeof(float);
    TESSERA_RETURN_IF_ERROR(grow(host_scores_, score_bytes, device_, &Device::allocate_host));
  }
  statuses_.resize(static_cast<size_t>(network.rows()));
  return {};
}

Status Lane::prepare_context(const BatchNetwork& network) {
  if (own_context_ != nullptr) return {};
  TESSERA_ASSIGN_OR_RETURN(own_context_, network.create_context());
  return {};
}

void Lane::open(BatchNetwork& network, ExecutionContext& context, size_t first_sample,
                size_t samples) {
  network_ = &network;
  context_ = &context;
  first_sample_ = first_sample;
  samples_ = samples;
  const bool decode_in_place = device_.shares_host_memory() && kind_ == SampleKind::kTensor;
  slot_ = static_cast<std::byte*>(decode_in_place ? context.input(0) : host_slot_.data());
  rows_missing_.store(samples);
}

std::span<std::byte> Lane::row(size_t row) const { return {slot_ + row * row_bytes_, row_bytes_}; }

bool Lane::finish_row(size_t row, Status status) {
  statuses_[row] = std::move(status);
  return rows_missing_.fetch_sub(1) == 1;
}

// A network with a fixed batch gets its last sample again where the samples have run out.
void Lane::fill_up_rows() {
  const auto rows = static_cast<size_t>(network_->rows());
  for (size_t i = samples_; i < rows; ++i) {
    std::memcpy(row(i).data(), row(samples_ - 1).data(), row_bytes_);
  }
}

void* Lane::device_source() const {
  if (kind_ == SampleKind::kTensor) return context_->input(0);
  return device_.shares_host_memory() ? slot_ : device_slot_.data();
}

Status Lane::submit_copy_in(PipelineStreams& streams) {
  Stream& stream = *streams.copy_in;
  const size_t bytes = static_cast<size_t>(network_->rows()) * row_bytes_;
  TESSERA_RETURN_IF_ERROR(stream.record(*copying_in_.begin));
  TESSERA_RETURN_IF_ERROR(stream.copy_to_device(device_source(), slot_, bytes));
  return stream.record(*copying_in_.end);
}

Status Lane::submit_compute(PipelineStreams& streams) {
  Stream& stream = *streams.compute;
  if (!device_.shares_host_memory()) TESSERA_RETURN_IF_ERROR(stream.wait(*copying_in_.end));
  TESSERA_RETURN_IF_ERROR(stream.record(*computing_.begin));
  if (kind_ == SampleKind::kPixels) {
    TESSERA_RETURN_IF_ERROR(network_->convert(device_source(), *context_, stream));
  }
  TESSERA_RETURN_IF_ERROR(context_->enqueue(stream));
  return stream.record(*computing_.end);
}

Status Lane::submit_copy_out(PipelineStreams& streams) {
  Stream& stream = *streams.copy_out;
  const size_t bytes = samples_ * network_->scores_per_row() * sizeof(float);
  TESSERA_RETURN_IF_ERROR(stream.wait(*computing_.end));
  TESSERA_RETURN_IF_ERROR(stream.record(*copying_out_.begin));
  TESSERA_RETURN_IF_ERROR(stream.copy_to_host(host_scores_.data(), context_->output(0), bytes));
  return stream.record(*copying_out_.end);
}

Status Lane::submit(PipelineStreams& streams) {
  const bool shared = device_.shares_host_memory();
  fill_up_rows();
  if (!shared) TESSERA_RETURN_IF_ERROR(submit_copy_in(streams));
  TESSERA_RETURN_IF_ERROR(submit_compute(streams));
  return shared ? Status() : submit_copy_out(streams);
}

Status Lane::wait() {
  return device_.shares_host_memory() ? computing_.end->synchronize()
                                      : copying_out_.end->synchronize();
}

std::span<const float> Lane::scores(size_t row) const {
  const size_t count = network_->scores_per_row();
  const void* first = device_.shares_host_memory() ? context_->output(0) : host_scores_.data();
  return {static_cast<const float*>(first) + row * count, count};
}

Result<double> Lane::copy_in_seconds() const {
  if (device_.shares_host_memory()) return 0.0;
  return copying_in_.seconds();
}

Result<double> Lane::copy_out_seconds() const {
  if (device_.shares_host_memory()) return 0.0;
  return copying_out_.seconds();
}

}  // namespace tessera
