// SPDX-License-Identifier: Apache-2.0
#include "engine/image/formats/orientation.h"

#include <algorithm>
#include <libexif/exif-data.h>
#include <limits>
#include <memory>

#include "engine/image/decoder.h"

namespace tessera {

int read_exif_orientation(std::span<const std::byte> jpeg) {
  const auto size = static_cast<unsigned int>(
      std::min<size_t>(jpeg.size(), std::numeric_limits<unsigned int>::max()));
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(
      exif_data_new_from_data(reinterpret_cast<const unsigned char*>(jpeg.data()), size),
      exif_data_unref);
  if (!data) return 1;
  const ExifEntry* entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->components < 1) return 1;
  const int orientation = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

Image apply_orientation(Image image, int orientation) {
  if (orientation == 1) return image;
  // Where the stored rows and columns lie in the upright picture: along the other axis, or counted
  // from the far end.
  const bool transposed = orientation >= 5;
  const bool rows_reversed =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool columns_reversed =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  Image upright = make_image(transposed ? image.width : image.height,
                             transposed ? image.height : image.width, image.channels);
  const uint8_t* src = image.pixels.data();
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x, src += image.channels) {
      const int64_t row = rows_reversed ? image.height - 1 - y : y;
      const int64_t column = columns_reversed ? image.width - 1 - x : x;
      const int64_t pixel =
          transposed ? column * upright.width + row : row * upright.width + column;
      std::copy_n(src, image.channels, upright.pixels.data() + pixel * image.channels);
    }
  }
  return upright;
}

}  // namespace tessera
