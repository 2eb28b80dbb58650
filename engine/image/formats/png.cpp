// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <spng.h>
#include <string>

#include "engine/image/decoder.h"

namespace tessera {
namespace {

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

// Deflate cannot pack more than this many bytes into one (RFC 1951: 258 bytes in 2 bits).
constexpr int64_t kMaxDeflateRatio = 1032;
// Text and colour profile chunks are of no use here; the palette's chunk has 768 bytes.
constexpr size_t kMaxChunkBytes = size_t{1} << 20;
constexpr size_t kMaxChunkCacheBytes = size_t{4} << 20;

Status png_error(int code) {
  return invalid_argument(std::string("broken PNG: ") + spng_strerror(code));
}

Result<spng_ihdr> read_header(spng_ctx* context, std::span<const std::byte> bytes) {
  spng_set_chunk_limits(context, kMaxChunkBytes, kMaxChunkCacheBytes);
  // A damaged text chunk is no reason to refuse a picture whose pixels are whole.
  spng_set_crc_action(context, SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
  if (int code = spng_set_png_buffer(context, bytes.data(), bytes.size())) return png_error(code);
  spng_ihdr header = {};
  if (int code = spng_get_ihdr(context, &header)) return png_error(code);
  TESSERA_RETURN_IF_ERROR(check_image_size(header.height, header.width));
  const int64_t least_bits = int64_t{header.height} * header.width * header.bit_depth;
  if (least_bits / 8 / kMaxDeflateRatio > static_cast<int64_t>(bytes.size())) {
    return invalid_argument("broken PNG: its header declares " + std::to_string(header.width) +
                            "x" + std::to_string(header.height) + " pixels, but the file has " +
                            std::to_string(bytes.size()) + " bytes");
  }
  return header;
}

bool is_gray(const spng_ihdr& header) {
  return header.color_type == SPNG_COLOR_TYPE_GRAYSCALE ||
         header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA;
}

bool has_alpha(spng_ctx* context, const spng_ihdr& header) {
  spng_trns transparent = {};
  return header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ||
         header.color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA ||
         spng_get_trns(context, &transparent) == 0;
}

// The library gives three channels for 16-bit gray; one of them is the picture.
Image keep_first_channel(const Image& image) {
  Image gray = make_image(image.height, image.width, 1);
  const auto channels = static_cast<size_t>(image.channels);
  for (size_t i = 0; i < gray.pixels.size(); ++i) gray.pixels[i] = image.pixels[i * channels];
  return gray;
}

Result<Image> decode(std::span<const std::byte> bytes) {
  const Context context(spng_ctx_new(0), spng_ctx_free);
  if (!context) return out_of_memory("not enough memory to decode a PNG");
  TESSERA_ASSIGN_OR_RETURN(const spng_ihdr header, read_header(context.get(), bytes));

  const bool alpha = has_alpha(context.get(), header);
  const bool direct_gray = is_gray(header) && !alpha && header.bit_depth <= 8;
  const int format = alpha ? SPNG_FMT_RGBA8 : direct_gray ? SPNG_FMT_G8 : SPNG_FMT_RGB8;
  const int64_t channels = alpha ? 4 : direct_gray ? 1 : 3;
  Image image = make_image(header.height, header.width, channels);
  const int code = spng_decode_image(context.get(), image.pixels.data(), image.pixels.size(),
                                     format, alpha ? SPNG_DECODE_TRNS : 0);
  if (code != 0) return png_error(code);
  if (is_gray(header) && !alpha && !direct_gray) return keep_first_channel(image);
  return image;
}

}  // namespace

ImageDecoder png_decoder() { return {"png", decode}; }

}  // namespace tessera
