// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <algorithm>

#include "core/check.h"
#include "core/half.h"
#include "core/math.h"

namespace tessera {

int64_t TensorDesc::storage_elements() const {
  const int64_t block = layout_channel_block(layout);
  if (block == 1) return shape.num_elements();
  TESSERA_CHECK(shape.rank() == 4);
  return shape[0] * round_up(shape[1], block) * shape[2] * shape[3];
}

size_t TensorDesc::size_bytes() const {
  return static_cast<size_t>(storage_elements()) * dtype_size_bytes(dtype);
}

Status TensorDesc::validate() const {
  for (const int64_t extent : shape.extents()) {
    if (extent < 0) return invalid_argument("negative extent in shape " + shape.to_string());
  }
  const auto elements = shape.checked_num_elements();
  // The largest channel block (16) bounds what a blocked layout may add.
  constexpr int64_t kLargestBlock = 16;
  const auto bytes =
      elements ? checked_multiply(*elements,
                                  kLargestBlock * static_cast<int64_t>(dtype_size_bytes(dtype)))
               : std::nullopt;
  if (!bytes)
    return out_of_memory("the size of a tensor of shape " + shape.to_string() +
                         " overflows 64 bits");
  return {};
}

std::string TensorDesc::to_string() const {
  std::string text = std::string(dtype_name(dtype)) + " " + shape.to_string();
  if (layout != Layout::kRowMajor) text += std::string(" ") + layout_name(layout);
  return text;
}

std::ostream& operator<<(std::ostream& out, const TensorDesc& desc) {
  return out << desc.to_string();
}

Result<Tensor> Tensor::allocate(TensorDesc desc) {
  TESSERA_RETURN_IF_ERROR(desc.validate());
  TESSERA_ASSIGN_OR_RETURN(Buffer buffer, allocate_host_buffer(desc.size_bytes()));
  auto owner = std::make_shared<Buffer>(std::move(buffer));
  Tensor tensor;
  tensor.desc_ = std::move(desc);
  tensor.data_ = owner->data();
  tensor.owner_ = std::move(owner);
  return tensor;
}

Tensor Tensor::wrap(TensorDesc desc, const void* data, std::shared_ptr<const void> owner) {
  Tensor tensor;
  tensor.desc_ = std::move(desc);
  tensor.data_ = data;
  tensor.owner_ = std::move(owner);
  return tensor;
}

Tensor Tensor::reshaped(Shape shape) const {
  TESSERA_CHECK(shape.num_elements() == num_elements());
  Tensor tensor = *this;
  tensor.desc_.shape = std::move(shape);
  return tensor;
}

Tensor allocate_small_tensor(TensorDesc desc) {
  auto tensor = Tensor::allocate(std::move(desc));
  TESSERA_CHECK(tensor.ok());
  return std::move(tensor).value();
}

double element_as_double(const Tensor& tensor, int64_t index) {
  const auto at = [&]<typename T>(T) { return static_cast<const T*>(tensor.data())[index]; };
  switch (tensor.dtype()) {
    case DType::kF32:
      return at(float{});
    case DType::kF64:
      return at(double{});
    case DType::kF16:
      return half_bits_to_float(at(uint16_t{}));
    case DType::kBF16:
      return bfloat16_bits_to_float(at(uint16_t{}));
    case DType::kI8:
      return at(int8_t{});
    case DType::kU8:
      return at(uint8_t{});
    case DType::kI16:
      return at(int16_t{});
    case DType::kU16:
      return at(uint16_t{});
    case DType::kI32:
      return at(int32_t{});
    case DType::kU32:
      return at(uint32_t{});
    case DType::kI64:
      return static_cast<double>(at(int64_t{}));
    case DType::kU64:
      return static_cast<double>(at(uint64_t{}));
    case DType::kBool:
      return at(uint8_t{}) != 0 ? 1.0 : 0.0;
  }
  return 0.0;
}

Result<std::vector<int64_t>> elements_as_int64(const Tensor& tensor) {
  std::vector<int64_t> elements(static_cast<size_t>(tensor.num_elements()));
  const auto convert = [&]<typename T>(T) {
    std::transform(static_cast<const T*>(tensor.data()),
                   static_cast<const T*>(tensor.data()) + elements.size(), elements.begin(),
                   [](T value) { return static_cast<int64_t>(value); });
  };
  switch (tensor.dtype()) {
    case DType::kI8:
      convert(int8_t{});
      break;
    case DType::kU8:
    case DType::kBool:
      convert(uint8_t{});
      break;
    case DType::kI16:
      convert(int16_t{});
      break;
    case DType::kU16:
      convert(uint16_t{});
      break;
    case DType::kI32:
      convert(int32_t{});
      break;
    case DType::kU32:
      convert(uint32_t{});
      break;
    case DType::kI64:
      convert(int64_t{});
      break;
    case DType::kU64:
      convert(uint64_t{});
      break;
    default:
      return invalid_argument(std::string("expected integers, found ") +
                              dtype_name(tensor.dtype()));
  }
  return elements;
}

}  // namespace tessera
