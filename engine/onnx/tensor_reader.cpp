// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_reader.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "layers/element_type.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

constexpr int kMaxRank = 64;  // far above any network's; keeps messages readable

Result<TensorDesc> read_desc(const onnx::TensorProto& proto) {
  if (proto.data_type() == onnx::TensorProto::UNDEFINED)
    return invalid_model("has no element type");
  const std::optional<DType> dtype = dtype_from_onnx(proto.data_type());
  if (!dtype) {
    return unsupported("element type " + onnx_element_type_name(proto.data_type()) +
                       " is not supported");
  }
  if (proto.dims_size() > kMaxRank) {
    return unsupported("has " + std::to_string(proto.dims_size()) + " dims; at most " +
                       std::to_string(kMaxRank) + " are supported");
  }
  TensorDesc desc{*dtype, Shape(std::vector<int64_t>(proto.dims().begin(), proto.dims().end()))};
  for (const int64_t extent : desc.shape.extents()) {
    if (extent < 0) return invalid_model("negative extent in dims " + desc.shape.to_string());
  }
  if (!desc.validate().ok()) {
    return invalid_model("the size of dims " + desc.shape.to_string() + " of " +
                         dtype_name(*dtype) + " overflows 64 bits");
  }
  return desc;
}

int count_typed_values(const onnx::TensorProto& proto) {
  return proto.float_data_size() + proto.int32_data_size() + proto.int64_data_size() +
         proto.double_data_size() + proto.uint64_data_size() + proto.string_data_size();
}

// A tensor over bytes that `owner` keeps alive; a copy where they cannot be used in place.
Result<Tensor> tensor_over(const TensorDesc& desc, std::span<const std::byte> bytes,
                           std::shared_ptr<const void> owner) {
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  const bool aligned = address % dtype_size_bytes(desc.dtype) == 0;
  if (aligned && desc.dtype != DType::kBool) {
    return Tensor::wrap(desc, bytes.data(), std::move(owner));
  }
  TESSERA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(desc));
  auto* copy = static_cast<std::byte*>(tensor.mutable_data());
  if (desc.dtype == DType::kBool) {  // any other byte than 0 means true in the file, 1 in a Tensor
    std::transform(bytes.begin(), bytes.end(), copy,
                   [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
  } else {
    std::copy(bytes.begin(), bytes.end(), copy);
  }
  return tensor;
}

Result<Tensor> read_raw(const TensorDesc& desc, onnx::TensorProto& proto) {
  if (proto.raw_data().size() != desc.size_bytes()) {
    return invalid_model(std::to_string(proto.raw_data().size()) + " bytes of data for dims " +
                         desc.shape.to_string() + " of " + dtype_name(desc.dtype) + " = " +
                         std::to_string(desc.size_bytes()) + " bytes");
  }
  const auto data = std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()));
  return tensor_over(desc, std::as_bytes(std::span(*data)), data);
}

// One value of a typed field as the element type T, or false when it does not fit.
template <typename T, typename Stored>
bool convert(Stored stored, T& element) {
  element = static_cast<T>(stored);
  if constexpr (std::is_integral_v<Stored>) return std::in_range<T>(stored);
  return true;
}

// Float16 and bfloat16 bit patterns; some writers sign-extend them.
struct Bits16 {
  uint16_t bits;
};
bool convert(int32_t stored, Bits16& element) {
  element.bits = static_cast<uint16_t>(stored);
  return stored >= INT16_MIN && stored <= UINT16_MAX;
}

struct Bool8 {
  uint8_t value;
};
bool convert(int32_t stored, Bool8& element) {
  element.value = stored != 0 ? 1 : 0;
  return true;
}

template <typename T, typename Field>
Result<Tensor> read_typed(const TensorDesc& desc, const char* field_name, const Field& field) {
  if (field.size() != desc.num_elements()) {
    return invalid_model(std::string(field_name) + " has length " + std::to_string(field.size()) +
                         ", dims " + desc.shape.to_string() + " of " + dtype_name(desc.dtype) +
                         " need " + std::to_string(desc.num_elements()));
  }
  TESSERA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(desc));
  auto* elements = static_cast<T*>(tensor.mutable_data());
  for (int i = 0; i < field.size(); ++i) {
    if (!convert(field.Get(i), elements[i])) {
      return invalid_model("value " + std::to_string(field.Get(i)) + " at index " +
                           std::to_string(i) + " of " + field_name + " does not fit " +
                           dtype_name(desc.dtype));
    }
  }
  return tensor;
}

// Which field holds which element type: onnx.proto, TensorProto.
Result<Tensor> read_typed(const TensorDesc& desc, const onnx::TensorProto& proto) {
  switch (desc.dtype) {
    case DType::kF32:
      return read_typed<float>(desc, "float_data", proto.float_data());
    case DType::kF64:
      return read_typed<double>(desc, "double_data", proto.double_data());
    case DType::kF16:
    case DType::kBF16:
      return read_typed<Bits16>(desc, "int32_data", proto.int32_data());
    case DType::kI8:
      return read_typed<int8_t>(desc, "int32_data", proto.int32_data());
    case DType::kU8:
      return read_typed<uint8_t>(desc, "int32_data", proto.int32_data());
    case DType::kI16:
      return read_typed<int16_t>(desc, "int32_data", proto.int32_data());
    case DType::kU16:
      return read_typed<uint16_t>(desc, "int32_data", proto.int32_data());
    case DType::kI32:
      return read_typed<int32_t>(desc, "int32_data", proto.int32_data());
    case DType::kBool:
      return read_typed<Bool8>(desc, "int32_data", proto.int32_data());
    case DType::kI64:
      return read_typed<int64_t>(desc, "int64_data", proto.int64_data());
    case DType::kU32:
      return read_typed<uint32_t>(desc, "uint64_data", proto.uint64_data());
    case DType::kU64:
      return read_typed<uint64_t>(desc, "uint64_data", proto.uint64_data());
  }
  return internal_error("element type without a reader");
}

}  // namespace

Result<Tensor> read_tensor(onnx::TensorProto& proto, ExternalFiles& files) {
  TESSERA_ASSIGN_OR_RETURN(const TensorDesc desc, read_desc(proto));
  if (proto.has_segment()) return unsupported("is stored in segments, which are not supported");
  const bool external = proto.data_location() == onnx::TensorProto::EXTERNAL;
  const bool raw = !proto.raw_data().empty();
  const bool typed = count_typed_values(proto) > 0;
  if (int{external} + int{raw} + int{typed} > 1) {
    return invalid_model("stores its data twice (raw_data, a typed field, external data)");
  }
  if (external) {
    TESSERA_ASSIGN_OR_RETURN(ExternalFiles::Range range, files.find(proto, desc.size_bytes()));
    return tensor_over(desc, range.bytes, std::move(range.file));
  }
  if (raw || proto.has_raw_data()) return read_raw(desc, proto);
  return read_typed(desc, proto);
}

}  // namespace tessera
