// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <string>

#include "core/math.h"
#include "engine/image/decoder.h"

namespace tessera {
namespace {

// Netpbm's formats P1 to P6 (netpbm.sourceforge.net/doc/pnm.html): text or binary; bits, gray, RGB.
struct PnmHeader {
  int kind = 0;  // the digit after P
  int64_t width = 0;
  int64_t height = 0;
  int64_t max_value = 1;

  [[nodiscard]] bool is_text() const { return kind <= 3; }
  [[nodiscard]] bool is_bitmap() const { return kind == 1 || kind == 4; }
  [[nodiscard]] int64_t channels() const { return kind == 3 || kind == 6 ? 3 : 1; }
};

Status truncated() { return invalid_argument("broken PNM: the file ends early"); }

// Walks over the text parts of a file: numbers between white space and # comments.
class PnmText {
 public:
  PnmText(std::span<const std::byte> bytes, size_t position) : bytes_(bytes), position_(position) {}

  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_.subspan(position_); }

  // The one white space that ends a binary file's header.
  Status skip_separator() {
    if (position_ >= bytes_.size()) return truncated();
    if (std::isspace(current()) == 0)
      return invalid_argument("broken PNM: no space after its header");
    ++position_;
    return {};
  }

  Result<int64_t> number() {
    TESSERA_RETURN_IF_ERROR(skip_to_digit());
    int64_t value = 0;
    while (position_ < bytes_.size() && std::isdigit(current()) != 0) {
      value = value * 10 + (current() - '0');
      if (value > kMaxPixels) return invalid_argument("broken PNM: a number is too large");
      ++position_;
    }
    return value;
  }

  // P1 allows its 0 and 1 to stand without spaces between them.
  Result<int64_t> bit() {
    TESSERA_RETURN_IF_ERROR(skip_to_digit());
    const int64_t value = current() - '0';
    ++position_;
    return value;
  }

 private:
  [[nodiscard]] int current() const { return std::to_integer<int>(bytes_[position_]); }

  Status skip_to_digit() {
    bool in_comment = false;
    for (; position_ < bytes_.size(); ++position_) {
      const int c = current();
      if (in_comment) {
        in_comment = c != '\n' && c != '\r';
      } else if (std::isdigit(c) != 0) {
        return {};
      } else if (c == '#') {
        in_comment = true;
      } else if (std::isspace(c) == 0) {
        return invalid_argument("broken PNM: neither a number nor white space at byte " +
                                std::to_string(position_));
      }
    }
    return truncated();
  }

  std::span<const std::byte> bytes_;
  size_t position_;
};

Result<PnmHeader> read_header(PnmText& text, int kind) {
  PnmHeader header;
  header.kind = kind;
  TESSERA_ASSIGN_OR_RETURN(header.width, text.number());
  TESSERA_ASSIGN_OR_RETURN(header.height, text.number());
  TESSERA_RETURN_IF_ERROR(check_image_size(header.height, header.width));
  if (!header.is_bitmap()) {
    TESSERA_ASSIGN_OR_RETURN(header.max_value, text.number());
    if (header.max_value < 1 || header.max_value > 65535) {
      return invalid_argument("broken PNM: the largest value is " +
                              std::to_string(header.max_value) + ", not 1 to 65535");
    }
  }
  return header;
}

// 16-bit samples keep their high byte as those of PNG do; other ranges are scaled with rounding.
Result<uint8_t> to_byte(int64_t value, int64_t max_value) {
  if (value > max_value) {
    return invalid_argument("broken PNM: the value " + std::to_string(value) +
                            " is above the largest value " + std::to_string(max_value));
  }
  if (max_value == 65535) return static_cast<uint8_t>(value >> 8);
  return static_cast<uint8_t>((value * 255 + max_value / 2) / max_value);
}

Status read_text_samples(PnmText& text, const PnmHeader& header, Image& image) {
  for (uint8_t& pixel : image.pixels) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t value, header.is_bitmap() ? text.bit() : text.number());
    TESSERA_ASSIGN_OR_RETURN(pixel, to_byte(value, header.max_value));
    if (header.is_bitmap()) pixel = static_cast<uint8_t>(255 - pixel);  // 1 is black
  }
  return {};
}

void read_binary_bits(std::span<const std::byte> data, Image& image) {
  const int64_t row_bytes = ceil_div(image.width, int64_t{8});
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const auto byte = std::to_integer<int>(data[static_cast<size_t>(y * row_bytes + x / 8)]);
      const bool black = ((byte >> (7 - x % 8)) & 1) != 0;
      image.pixels[static_cast<size_t>(y * image.width + x)] = black ? 0 : 255;
    }
  }
}

Status read_binary_samples(std::span<const std::byte> data, const PnmHeader& header, Image& image) {
  const bool wide = header.max_value > 255;  // two bytes, the high one first
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const auto value = wide ? std::to_integer<int64_t>(data[2 * i]) * 256 +
                                  std::to_integer<int64_t>(data[2 * i + 1])
                            : std::to_integer<int64_t>(data[i]);
    TESSERA_ASSIGN_OR_RETURN(image.pixels[i], to_byte(value, header.max_value));
  }
  return {};
}

int64_t data_bytes(const PnmHeader& header) {
  if (header.kind == 4) return ceil_div(header.width, int64_t{8}) * header.height;
  const int64_t samples = header.width * header.height * header.channels();
  if (header.kind == 1) return samples;
  if (header.is_text()) return 2 * samples - 1;  // a digit and a space
  return header.max_value > 255 ? 2 * samples : samples;
}

Result<Image> decode(std::span<const std::byte> bytes) {
  PnmText text(bytes, 2);
  TESSERA_ASSIGN_OR_RETURN(const PnmHeader header,
                           read_header(text, std::to_integer<int>(bytes[1]) - '0'));
  if (!header.is_text()) TESSERA_RETURN_IF_ERROR(text.skip_separator());
  if (data_bytes(header) > static_cast<int64_t>(text.rest().size())) return truncated();
  Image image = make_image(header.height, header.width, header.channels());
  if (header.kind == 4) {
    read_binary_bits(text.rest(), image);
  } else if (header.is_text()) {
    TESSERA_RETURN_IF_ERROR(read_text_samples(text, header, image));
  } else {
    TESSERA_RETURN_IF_ERROR(read_binary_samples(text.rest(), header, image));
  }
  return image;
}

}  // namespace

ImageDecoder pnm_decoder() { return {"pnm", decode}; }

}  // namespace tessera
