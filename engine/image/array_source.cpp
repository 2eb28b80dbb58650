// SPDX-License-Identifier: Apache-2.0
#include "engine/image/array_source.h"

#include "engine/image/decoder.h"

namespace tessera {
namespace {

class ArraySource : public InputSource {
 public:
  ArraySource(ArrayFile array, std::string path)
      : array_(std::move(array)),
        path_(std::move(path)),
        sample_bytes_(array_.shape.num_elements(1, array_.shape.rank()) *
                      static_cast<int64_t>(dtype_size_bytes(array_.dtype))) {}

  [[nodiscard]] size_t size() const override { return static_cast<size_t>(array_.shape[0]); }
  [[nodiscard]] std::string name(size_t index) const override {
    return path_ + "[" + std::to_string(index) + "]";
  }

 protected:
  Status read_bytes(size_t index, std::span<std::byte> out) const {
    const int64_t offset = array_.data_offset + static_cast<int64_t>(index) * sample_bytes_;
    return array_.bytes->read(offset, out).with_context(path_);
  }
  [[nodiscard]] const Shape& shape() const { return array_.shape; }
  [[nodiscard]] int64_t sample_bytes() const { return sample_bytes_; }

 private:
  ArrayFile array_;
  std::string path_;
  int64_t sample_bytes_;
};

class PixelArraySource final : public ArraySource {
 public:
  using ArraySource::ArraySource;
  [[nodiscard]] SampleKind kind() const override { return SampleKind::kPixels; }
  [[nodiscard]] Shape sample_shape() const override { return {}; }

  Status read(size_t index, const Preprocess& preprocess, std::span<std::byte> out) const override {
    Image image = make_image(shape()[1], shape()[2], shape().rank() == 4 ? shape()[3] : 1);
    TESSERA_RETURN_IF_ERROR(read_bytes(index, std::as_writable_bytes(std::span(image.pixels))));
    return fit_image(image, preprocess, {reinterpret_cast<uint8_t*>(out.data()), out.size()})
        .with_context(name(index));
  }
};

class TensorArraySource final : public ArraySource {
 public:
  using ArraySource::ArraySource;
  [[nodiscard]] SampleKind kind() const override { return SampleKind::kTensor; }
  [[nodiscard]] Shape sample_shape() const override {
    const std::vector<int64_t>& extents = shape().extents();
    return Shape(std::vector<int64_t>(extents.begin() + 1, extents.end()));
  }

  Status read(size_t index, const Preprocess&, std::span<std::byte> out) const override {
    if (static_cast<int64_t>(out.size()) != sample_bytes()) {
      return internal_error(name(index) + ": the sample has " + std::to_string(sample_bytes()) +
                            " bytes, not " + std::to_string(out.size()));
    }
    return read_bytes(index, out);
  }
};

// Pictures need an extent of channels that means something.
Status check_pixels(const Shape& shape) {
  const bool has_channels = shape.rank() == 4;
  const int64_t channels = has_channels ? shape[3] : 1;
  if (shape.rank() < 3 || shape.rank() > 4 || (channels != 1 && channels != 3 && channels != 4)) {
    return unsupported("uint8 " + shape.to_string() +
                       " is not a set of pictures: (N, H, W) or (N, H, W, C) with C of 1, 3 or 4 "
                       "is needed");
  }
  return check_image_size(shape[1], shape[2]);
}

Status check_array(const ArrayFile& array) {
  const std::string text = std::string(dtype_name(array.dtype)) + " " + array.shape.to_string();
  if (array.dtype != DType::kU8 && array.dtype != DType::kF32) {
    return unsupported(text + ": samples are uint8 pixels or float32 tensors; convert the array");
  }
  if (array.shape.rank() == 0 || array.shape[0] == 0) {
    return invalid_argument(text + " has no samples");
  }
  return array.dtype == DType::kU8 ? check_pixels(array.shape) : Status();
}

}  // namespace

Result<std::unique_ptr<InputSource>> make_array_source(ArrayFile array, const std::string& path) {
  if (Status status = check_array(array); !status.ok()) return status.with_context(path);
  if (array.dtype == DType::kU8) {
    return std::unique_ptr<InputSource>(std::make_unique<PixelArraySource>(std::move(array), path));
  }
  return std::unique_ptr<InputSource>(std::make_unique<TensorArraySource>(std::move(array), path));
}

}  // namespace tessera
