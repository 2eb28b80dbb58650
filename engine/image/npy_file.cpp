// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "core/math.h"
#include "engine/image/array_file.h"
#include "engine/image/decoder.h"

namespace tessera {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x93NUMPY"sv;
constexpr size_t kMaxHeaderBytes = size_t{1} << 16;

// The text of the header is a Python dictionary with exactly the keys descr, fortran_order and
// shape: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
struct NpyHeader {
  std::string descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(std::string_view text) : rest_(text) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    if (!take("{")) return broken();
    while (!take("}")) {
      const std::optional<std::string> key = take_string();
      if (!key || !take(":") || !take_value(*key, header)) return broken();
      if (!take(",") && !next_is("}")) return broken();
    }
    skip_space();
    if (!rest_.empty() || header.descr.empty() || !header.fortran_order || !header.shape)
      return broken();
    return header;
  }

 private:
  static Status broken() {
    return invalid_argument(
        "broken .npy: its header is not {'descr': ..., 'fortran_order': ..., 'shape': (...)}");
  }

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  bool next_is(std::string_view token) {
    skip_space();
    return rest_.starts_with(token);
  }

  bool take(std::string_view token) {
    if (!next_is(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string> take_string() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<int64_t> take_number() {
    skip_space();
    size_t digits = 0;
    std::optional<int64_t> value = 0;
    for (; digits < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[digits])) != 0;
         ++digits) {
      value = checked_multiply(*value, 10);
      if (value) value = checked_add(*value, rest_[digits] - '0');
      if (!value) return std::nullopt;
    }
    if (digits == 0) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }

  // "()", "(3,)", "(3, 4)"
  std::optional<Shape> take_shape() {
    if (!take("(")) return std::nullopt;
    std::vector<int64_t> extents;
    while (!take(")")) {
      const std::optional<int64_t> extent = take_number();
      if (!extent) return std::nullopt;
      extents.push_back(*extent);
      if (!take(",") && !next_is(")")) return std::nullopt;
    }
    return Shape(std::move(extents));
  }

  // A key that is unknown, repeated or has a value of another kind is refused.
  bool take_value(std::string_view key, NpyHeader& header) {
    if (key == "descr" && header.descr.empty()) {
      header.descr = take_string().value_or("");
      return !header.descr.empty();
    }
    if (key == "fortran_order" && !header.fortran_order) {
      if (take("False"))
        header.fortran_order = false;
      else if (take("True"))
        header.fortran_order = true;
      return header.fortran_order.has_value();
    }
    if (key == "shape" && !header.shape) {
      header.shape = take_shape();
      return header.shape.has_value();
    }
    return false;
  }

  std::string_view rest_;
};

struct NpyType {
  std::string_view descr;
  DType dtype;
};

constexpr std::array kTypes = {
    NpyType{"<f4", DType::kF32}, NpyType{"<f8", DType::kF64}, NpyType{"<f2", DType::kF16},
    NpyType{"|i1", DType::kI8},  NpyType{"|u1", DType::kU8},  NpyType{"<i2", DType::kI16},
    NpyType{"<u2", DType::kU16}, NpyType{"<i4", DType::kI32}, NpyType{"<u4", DType::kU32},
    NpyType{"<i8", DType::kI64}, NpyType{"<u8", DType::kU64}, NpyType{"|b1", DType::kBool},
};

// The header's text and where the data begins.
struct HeaderText {
  std::string text;
  int64_t data_offset = 0;
};

Result<HeaderText> read_header_text(const RandomAccessBytes& file) {
  constexpr size_t kVersionOffset = 6;
  std::vector<std::byte> start(std::min<size_t>(12, static_cast<size_t>(file.size())));
  TESSERA_RETURN_IF_ERROR(file.read(0, start));
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (start.size() < 12 || !text.starts_with(kMagic)) return invalid_argument("not an .npy file");
  const auto version = std::to_integer<int>(start[kVersionOffset]);
  if (version < 1 || version > 3) {
    return unsupported(".npy version " + std::to_string(version) + "; versions 1 to 3 can be read");
  }
  const size_t length = version == 1 ? read_u16_little(start, 8) : read_u32_little(start, 8);
  const size_t header_offset = version == 1 ? 10 : 12;
  if (length > kMaxHeaderBytes || header_offset + length > static_cast<size_t>(file.size())) {
    return invalid_argument("broken .npy: the file ends in its header");
  }
  HeaderText header{std::string(length, ' '), static_cast<int64_t>(header_offset + length)};
  TESSERA_RETURN_IF_ERROR(file.read(static_cast<int64_t>(header_offset),
                                    std::as_writable_bytes(std::span(header.text))));
  return header;
}

Result<ArrayFile> open_array(std::unique_ptr<RandomAccessBytes> file) {
  TESSERA_ASSIGN_OR_RETURN(const HeaderText text, read_header_text(*file));
  TESSERA_ASSIGN_OR_RETURN(const NpyHeader header, NpyHeaderParser(text.text).parse());
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(), [&](const NpyType& candidate) {
    return candidate.descr == header.descr;
  });
  if (type == kTypes.end())
    return unsupported("the .npy's dtype '" + header.descr + "' cannot be read");
  if (*header.fortran_order) {
    return unsupported("the .npy is in Fortran order; save numpy.ascontiguousarray(array)");
  }
  const auto elements = header.shape->checked_num_elements();
  const auto bytes =
      elements ? checked_multiply(*elements, static_cast<int64_t>(dtype_size_bytes(type->dtype)))
               : std::nullopt;
  if (!bytes || *bytes != file->size() - text.data_offset) {
    return invalid_argument("broken .npy: " + std::string(dtype_name(type->dtype)) + " " +
                            header.shape->to_string() + " does not fit its " +
                            std::to_string(file->size() - text.data_offset) + " bytes of data");
  }
  return ArrayFile{type->dtype, *header.shape, text.data_offset, std::move(file)};
}

}  // namespace

Result<ArrayFile> open_npy_file(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessBytes> file, open_file_bytes(path));
  Result<ArrayFile> array = open_array(std::move(file));
  if (!array.ok()) return array.status().with_context(path);
  return array;
}

}  // namespace tessera
