// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <vector>

#include "core/math.h"
#include "engine/image/array_file.h"
#include "engine/image/gzip.h"

namespace tessera {
namespace {

constexpr size_t kMagicBytes = 4;
constexpr size_t kExtentBytes = 4;
constexpr size_t kMaxRank = 3;
constexpr size_t kMaxHeaderBytes = kMagicBytes + kMaxRank * kExtentBytes;
constexpr int kUnsignedByte = 8;

struct IdxHeader {
  Shape shape;
  int64_t header_bytes = 0;
  int64_t total_bytes = 0;  // of the whole file
};

int64_t read_u32_big(std::span<const std::byte> bytes, size_t offset) {
  int64_t value = 0;
  for (size_t i = 0; i < kExtentBytes; ++i) {
    value = value << 8 | std::to_integer<int64_t>(bytes[offset + i]);
  }
  return value;
}

Result<IdxHeader> parse_header(std::span<const std::byte> head) {
  if (head.size() < kMagicBytes || head[0] != std::byte{0} || head[1] != std::byte{0}) {
    return invalid_argument("not an IDX file: it does not begin with two zero bytes");
  }
  const auto type = std::to_integer<int>(head[2]);
  const auto rank = std::to_integer<size_t>(head[3]);
  if (type != kUnsignedByte) {
    return unsupported("IDX of element type " + std::to_string(type) +
                       "; only unsigned bytes (8) can be read");
  }
  if (rank < 1 || rank > kMaxRank) {
    return unsupported("IDX of rank " + std::to_string(rank) +
                       "; labels have rank 1 and gray pictures rank 3");
  }
  IdxHeader header;
  header.header_bytes = static_cast<int64_t>(kMagicBytes + rank * kExtentBytes);
  if (static_cast<int64_t>(head.size()) < header.header_bytes) {
    return invalid_argument("broken IDX: the file ends in its header");
  }
  std::vector<int64_t> extents;
  for (size_t i = 0; i < rank; ++i) {
    extents.push_back(read_u32_big(head, kMagicBytes + i * kExtentBytes));
  }
  header.shape = Shape(std::move(extents));
  const auto elements = header.shape.checked_num_elements();
  const auto total = elements ? checked_add(*elements, header.header_bytes) : std::nullopt;
  if (!total) {
    return invalid_argument("broken IDX: it declares more elements than 64 bits can count, " +
                            header.shape.to_string());
  }
  header.total_bytes = *total;
  return header;
}

Result<ArrayFile> open_plain(std::unique_ptr<RandomAccessBytes> file) {
  std::vector<std::byte> head(std::min(kMaxHeaderBytes, static_cast<size_t>(file->size())));
  TESSERA_RETURN_IF_ERROR(file->read(0, head));
  TESSERA_ASSIGN_OR_RETURN(const IdxHeader header, parse_header(head));
  if (header.total_bytes != file->size()) {
    return invalid_argument("broken IDX: the file has " + std::to_string(file->size()) +
                            " bytes, its header declares " + std::to_string(header.total_bytes));
  }
  return ArrayFile{DType::kU8, header.shape, header.header_bytes, std::move(file)};
}

Result<ArrayFile> open_gzip(const RandomAccessBytes& file) {
  std::vector<std::byte> compressed(static_cast<size_t>(file.size()));
  TESSERA_RETURN_IF_ERROR(file.read(0, compressed));
  TESSERA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                           inflate_gzip(compressed, kMaxHeaderBytes,
                                        [](std::span<const std::byte> head) -> Result<int64_t> {
                                          TESSERA_ASSIGN_OR_RETURN(const IdxHeader header,
                                                                   parse_header(head));
                                          return header.total_bytes;
                                        }));
  return open_plain(wrap_bytes(std::move(bytes)));
}

Result<ArrayFile> open_either(std::unique_ptr<RandomAccessBytes> file) {
  std::vector<std::byte> head(std::min<size_t>(2, static_cast<size_t>(file->size())));
  TESSERA_RETURN_IF_ERROR(file->read(0, head));
  return is_gzip(head) ? open_gzip(*file) : open_plain(std::move(file));
}

}  // namespace

Result<ArrayFile> open_idx_file(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessBytes> file, open_file_bytes(path));
  try {
    Result<ArrayFile> array = open_either(std::move(file));
    if (!array.ok()) return array.status().with_context(path);
    return array;
  } catch (const std::bad_alloc&) {
    return out_of_memory("not enough memory to inflate it").with_context(path);
  }
}

}  // namespace tessera
