// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/guarded_buffer.h"

namespace tessera::testing {
namespace {

constexpr size_t kGuardBytes = 1024;

// Little-endian words 0xffa5: the exponent bits are all ones and the mantissa is not zero.
std::byte guard_byte(size_t position) { return std::byte(position % 2 == 0 ? 0xa5 : 0xff); }

}  // namespace

Result<GuardedBuffer> GuardedBuffer::create(Device& device, Stream& stream, size_t size_bytes) {
  const size_t whole = size_bytes + 2 * kGuardBytes;
  TESSERA_ASSIGN_OR_RETURN(Buffer buffer, device.allocate(whole));
  std::vector<std::byte> pattern(whole);
  // The guard after the data starts its pattern anew, whatever the size.
  for (size_t i = 0; i < kGuardBytes; ++i) {
    pattern[i] = guard_byte(i);
    pattern[kGuardBytes + size_bytes + i] = guard_byte(i);
  }
  TESSERA_RETURN_IF_ERROR(stream.copy_to_device(buffer.data(), pattern.data(), whole));
  TESSERA_RETURN_IF_ERROR(stream.synchronize());
  return GuardedBuffer(std::move(buffer), size_bytes);
}

void* GuardedBuffer::data() const { return static_cast<std::byte*>(buffer_.data()) + kGuardBytes; }

Status GuardedBuffer::write(std::span<const std::byte> content, Stream& stream) {
  if (content.size() != size_bytes_) return internal_error("content of a wrong size");
  TESSERA_RETURN_IF_ERROR(stream.copy_to_device(data(), content.data(), content.size()));
  return stream.synchronize();
}

Status GuardedBuffer::poison(Stream& stream) {
  return write(std::vector<std::byte>(size_bytes_, std::byte{0xff}), stream);
}

Result<std::vector<std::byte>> GuardedBuffer::read(Stream& stream) const {
  std::vector<std::byte> content(size_bytes_);
  TESSERA_RETURN_IF_ERROR(stream.copy_to_host(content.data(), data(), size_bytes_));
  TESSERA_RETURN_IF_ERROR(stream.synchronize());
  return content;
}

Result<std::optional<std::string>> GuardedBuffer::check_guards(Stream& stream) const {
  const size_t whole = size_bytes_ + 2 * kGuardBytes;
  std::vector<std::byte> memory(whole);
  TESSERA_RETURN_IF_ERROR(stream.copy_to_host(memory.data(), buffer_.data(), whole));
  TESSERA_RETURN_IF_ERROR(stream.synchronize());
  // From the data outwards, so that the message names the nearest changed byte.
  for (size_t i = 0; i < kGuardBytes; ++i) {
    if (memory[kGuardBytes + size_bytes_ + i] != guard_byte(i)) {
      return std::optional("byte " + std::to_string(i) + " after the end was overwritten");
    }
    const size_t before = kGuardBytes - 1 - i;
    if (memory[before] != guard_byte(before)) {
      return std::optional("byte " + std::to_string(i + 1) + " before the start was overwritten");
    }
  }
  return std::optional<std::string>();
}

}  // namespace tessera::testing
