// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <exception>
#include <string>

#include "core/math.h"
#include "engine/image/decoder.h"
#include "engine/image/file_bytes.h"

namespace tessera {

// The generated list has one TESSERA_IMAGE_DECODER(name) line per decoder of this build.
#define TESSERA_IMAGE_DECODER(name) ImageDecoder name##_decoder();
#include "engine/image/decoders.inc"
#undef TESSERA_IMAGE_DECODER

namespace {

bool has_text_at(std::span<const std::byte> bytes, size_t offset, std::string_view text) {
  return bytes.size() >= offset + text.size() &&
         std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

using namespace std::string_view_literals;

// A format is recognised by one or two pieces of text at fixed places.
struct Signature {
  std::string_view text;
  size_t second_offset;
  std::string_view second_text;
  ImageFormat format;
};

constexpr ImageFormat kPng = {"PNG", "png", "libspng", "libspng-dev"};
constexpr ImageFormat kJpeg = {"JPEG", "jpeg", "libturbojpeg and libexif",
                               "libturbojpeg0-dev libexif-dev"};
constexpr ImageFormat kBmp = {"BMP", "bmp", "stb_image", "libstb-dev"};
constexpr ImageFormat kPnm = {"PNM", "pnm", "", ""};
constexpr ImageFormat kTiff = {"TIFF", "", "", ""};
constexpr ImageFormat kHeif = {"HEIF", "", "", ""};

constexpr std::array kSignatures = {
    Signature{"\x89PNG\r\n\x1a\n"sv, 0, ""sv, kPng},
    Signature{"\xff\xd8\xff"sv, 0, ""sv, kJpeg},
    Signature{"BM"sv, 0, ""sv, kBmp},
    Signature{"P1"sv, 0, ""sv, kPnm},
    Signature{"P2"sv, 0, ""sv, kPnm},
    Signature{"P3"sv, 0, ""sv, kPnm},
    Signature{"P4"sv, 0, ""sv, kPnm},
    Signature{"P5"sv, 0, ""sv, kPnm},
    Signature{"P6"sv, 0, ""sv, kPnm},
    Signature{"GIF8"sv, 0, ""sv, {"GIF", "", "", ""}},
    Signature{"II*\0"sv, 0, ""sv, kTiff},
    Signature{"MM\0*"sv, 0, ""sv, kTiff},
    Signature{"RIFF"sv, 8, "WEBP"sv, {"WebP", "", "", ""}},
    Signature{""sv, 4, "ftypavif"sv, {"AVIF", "", "", ""}},
    Signature{""sv, 4, "ftypavis"sv, {"AVIF", "", "", ""}},
    Signature{""sv, 4, "ftypheic"sv, kHeif},
    Signature{""sv, 4, "ftypheix"sv, kHeif},
    Signature{""sv, 4, "ftypmif1"sv, kHeif},
    Signature{"\0\0\0\x0cJXL "sv, 0, ""sv, {"JPEG XL", "", "", ""}},
    Signature{"\0\0\0\x0cjP  "sv, 0, ""sv, {"JPEG 2000", "", "", ""}},
};

constexpr std::string_view kRemedy = "; convert it to PNG, JPEG, BMP or PNM";

Result<Image> decode_recognized(std::span<const std::byte> bytes) {
  if (bytes.empty()) return invalid_argument("the file is empty");
  const ImageFormat* format = recognize_image_format(bytes);
  if (format == nullptr) {
    return invalid_argument("not a picture in a known format" + std::string(kRemedy));
  }
  const std::string name(format->name);
  if (format->decoder.empty()) {
    return unsupported(name + " pictures are not supported" + std::string(kRemedy));
  }
  const ImageDecoder* decoder = find_image_decoder(format->decoder);
  if (decoder == nullptr) {
    return unsupported(name + " pictures cannot be read: this build has no " +
                       std::string(format->library) + " (install " + std::string(format->package) +
                       " and build again)");
  }
  return decoder->decode(bytes);
}

}  // namespace

const ImageFormat* recognize_image_format(std::span<const std::byte> bytes) {
  for (const Signature& signature : kSignatures) {
    if (has_text_at(bytes, 0, signature.text) &&
        has_text_at(bytes, signature.second_offset, signature.second_text)) {
      return &signature.format;
    }
  }
  return nullptr;
}

const ImageDecoder* find_image_decoder(std::string_view name) {
  static const std::array decoders = {
#define TESSERA_IMAGE_DECODER(name) name##_decoder(),
#include "engine/image/decoders.inc"
#undef TESSERA_IMAGE_DECODER
  };
  for (const ImageDecoder& decoder : decoders) {
    if (decoder.name == name) return &decoder;
  }
  return nullptr;
}

Status check_image_size(int64_t height, int64_t width) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (height <= 0 || width <= 0) return invalid_argument("the picture is empty (" + size + ")");
  const auto pixels = checked_multiply(height, width);
  if (!pixels || *pixels > kMaxPixels) {
    return invalid_argument("the header declares " + size + " pixels, more than the limit of " +
                            std::to_string(kMaxPixels));
  }
  return {};
}

Image make_image(int64_t height, int64_t width, int64_t channels) {
  Image image{height, width, channels, {}};
  image.pixels.resize(static_cast<size_t>(height * width * channels));
  return image;
}

uint32_t read_u16_little(std::span<const std::byte> bytes, size_t offset) {
  return std::to_integer<uint32_t>(bytes[offset]) | std::to_integer<uint32_t>(bytes[offset + 1])
                                                        << 8;
}

uint32_t read_u32_little(std::span<const std::byte> bytes, size_t offset) {
  return read_u16_little(bytes, offset) | read_u16_little(bytes, offset + 2) << 16;
}

Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name) {
  try {
    Result<Image> image = decode_recognized(bytes);
    if (!image.ok()) return image.status().with_context(name);
    return image;
  } catch (const std::bad_alloc&) {
    return out_of_memory(name + ": not enough memory for the decoded picture");
  }
}

Result<Image> read_image_file(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, read_file_bytes(path));
  return decode_image(bytes, path);
}

}  // namespace tessera
