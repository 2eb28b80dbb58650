// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>
#include <string>
#include <turbojpeg.h>

#include "engine/image/decoder.h"
#include "engine/image/formats/orientation.h"

namespace tessera {
namespace {

using Handle = std::unique_ptr<void, decltype(&tjDestroy)>;

struct JpegHeader {
  int width = 0;
  int height = 0;
  int colorspace = 0;
};

Status jpeg_error(tjhandle handle) {
  return invalid_argument(std::string("broken JPEG: ") + tjGetErrorStr2(handle));
}

Result<JpegHeader> read_header(tjhandle handle, std::span<const std::byte> bytes) {
  JpegHeader header;
  int subsampling = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const int code = tjDecompressHeader3(handle, data, bytes.size(), &header.width, &header.height,
                                       &subsampling, &header.colorspace);
  if (code != 0 && tjGetErrorCode(handle) == TJERR_FATAL) return jpeg_error(handle);
  if (header.width == 0) return invalid_argument("broken JPEG: the file ends in its header");
  TESSERA_RETURN_IF_ERROR(check_image_size(header.height, header.width));
  return header;
}

// Cameras leave padding between markers; the pixels are not touched by that.
bool is_harmless_warning(tjhandle handle) {
  return tjGetErrorCode(handle) == TJERR_WARNING &&
         std::string(tjGetErrorStr2(handle)).find("extraneous bytes") != std::string::npos;
}

// a * b / 255, rounded, for bytes.
int multiply_bytes(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

// CMYK files hold inverted ink (255 = none), as Adobe's programs write them; Pillow assumes the
// same, and the rounding is that of its conversion.
Image cmyk_to_rgb(const Image& cmyk) {
  Image rgb = make_image(cmyk.height, cmyk.width, 3);
  const uint8_t* src = cmyk.pixels.data();
  for (size_t i = 0; i < rgb.pixels.size(); i += 3, src += 4) {
    const int light = src[3];
    for (size_t c = 0; c < 3; ++c) {
      rgb.pixels[i + c] = static_cast<uint8_t>(light - multiply_bytes(255 - src[c], light));
    }
  }
  return rgb;
}

Result<Image> decode_pixels(tjhandle handle, std::span<const std::byte> bytes,
                            const JpegHeader& header) {
  const bool gray = header.colorspace == TJCS_GRAY;
  const bool cmyk = header.colorspace == TJCS_CMYK || header.colorspace == TJCS_YCCK;
  const int format = gray ? TJPF_GRAY : cmyk ? TJPF_CMYK : TJPF_RGB;
  Image image = make_image(header.height, header.width, gray ? 1 : cmyk ? 4 : 3);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  // Progressive files can hide minutes of work in empty scans.
  constexpr int kFlags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
  if (tjDecompress2(handle, data, bytes.size(), image.pixels.data(), header.width, 0, header.height,
                    format, kFlags) != 0 &&
      !is_harmless_warning(handle)) {
    return jpeg_error(handle);
  }
  return cmyk ? cmyk_to_rgb(image) : std::move(image);
}

Result<Image> decode(std::span<const std::byte> bytes) {
  if (bytes.size() > std::numeric_limits<unsigned int>::max()) {
    return invalid_argument("a JPEG of more than 4 GiB");
  }
  const Handle handle(tjInitDecompress(), tjDestroy);
  if (!handle) return out_of_memory("not enough memory to decode a JPEG");
  TESSERA_ASSIGN_OR_RETURN(const JpegHeader header, read_header(handle.get(), bytes));
  TESSERA_ASSIGN_OR_RETURN(Image image, decode_pixels(handle.get(), bytes, header));
  return apply_orientation(std::move(image), read_exif_orientation(bytes));
}

}  // namespace

ImageDecoder jpeg_decoder() { return {"jpeg", decode}; }

}  // namespace tessera
