// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/onnx_builder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>
#include <variant>

#include "core/check.h"
#include "engine/onnx/load.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

int onnx_dtype(DType dtype) {
  using onnx::TensorProto;
  switch (dtype) {
    case DType::kF32:
      return TensorProto::FLOAT;
    case DType::kF64:
      return TensorProto::DOUBLE;
    case DType::kF16:
      return TensorProto::FLOAT16;
    case DType::kBF16:
      return TensorProto::BFLOAT16;
    case DType::kI8:
      return TensorProto::INT8;
    case DType::kU8:
      return TensorProto::UINT8;
    case DType::kI16:
      return TensorProto::INT16;
    case DType::kU16:
      return TensorProto::UINT16;
    case DType::kI32:
      return TensorProto::INT32;
    case DType::kU32:
      return TensorProto::UINT32;
    case DType::kI64:
      return TensorProto::INT64;
    case DType::kU64:
      return TensorProto::UINT64;
    case DType::kBool:
      return TensorProto::BOOL;
  }
  return TensorProto::UNDEFINED;
}

void set_header(onnx::TensorProto& proto, const std::string& name, const TensorDesc& desc) {
  proto.set_name(name);
  proto.set_data_type(onnx_dtype(desc.dtype));
  for (const int64_t extent : desc.shape.extents()) proto.add_dims(extent);
}

void set_raw(onnx::TensorProto& proto, const std::string& name, const Tensor& value) {
  set_header(proto, name, value.desc());
  proto.set_raw_data(value.data(), value.size_bytes());
}

void set_declared(onnx::ValueInfoProto& info, const std::string& name, DType dtype,
                  const std::vector<OnnxBuilder::Dim>& dims) {
  info.set_name(name);
  onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx_dtype(dtype));
  type.mutable_shape();
  for (const OnnxBuilder::Dim& dim : dims) {
    onnx::TensorShapeProto::Dimension& out = *type.mutable_shape()->add_dim();
    if (dim.extent >= 0) {
      out.set_dim_value(dim.extent);
    } else if (!dim.symbol.empty()) {
      out.set_dim_param(dim.symbol);
    }
  }
}

struct AttributeWriter {
  onnx::AttributeProto& proto;

  void operator()(int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::string& value) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const Tensor& value) const {
    proto.set_type(onnx::AttributeProto::TENSOR);
    set_raw(*proto.mutable_t(), "", value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const int64_t value : values) proto.add_ints(value);
  }
  void operator()(const std::vector<float>& values) const {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : values) proto.add_floats(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
};

}  // namespace

OnnxBuilder::OnnxBuilder(int opset, int ir_version) : proto_(std::make_unique<onnx::ModelProto>()) {
  proto_->set_ir_version(ir_version);
  proto_->mutable_graph()->set_name("test");
  import_opset("", opset);
}

OnnxBuilder::~OnnxBuilder() = default;

OnnxBuilder& OnnxBuilder::input(const std::string& name, DType dtype,
                                const std::vector<Dim>& dims) {
  set_declared(*proto_->mutable_graph()->add_input(), name, dtype, dims);
  return *this;
}

OnnxBuilder& OnnxBuilder::output(const std::string& name) {
  proto_->mutable_graph()->add_output()->set_name(name);
  return *this;
}

OnnxBuilder& OnnxBuilder::output(const std::string& name, DType dtype,
                                 const std::vector<Dim>& dims) {
  set_declared(*proto_->mutable_graph()->add_output(), name, dtype, dims);
  return *this;
}

OnnxBuilder& OnnxBuilder::initializer(const std::string& name, const Tensor& value) {
  set_raw(*proto_->mutable_graph()->add_initializer(), name, value);
  return *this;
}

OnnxBuilder& OnnxBuilder::typed_initializer(const std::string& name, const Tensor& value) {
  onnx::TensorProto& proto = *proto_->mutable_graph()->add_initializer();
  set_header(proto, name, value.desc());
  const auto bits = [&value](int64_t i) { return value.values<uint16_t>()[i]; };
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    switch (value.dtype()) {
      case DType::kF32:
        proto.add_float_data(value.values<float>()[i]);
        break;
      case DType::kF64:
        proto.add_double_data(value.values<double>()[i]);
        break;
      case DType::kI64:
        proto.add_int64_data(value.values<int64_t>()[i]);
        break;
      case DType::kU64:
        proto.add_uint64_data(value.values<uint64_t>()[i]);
        break;
      case DType::kU32:
        proto.add_uint64_data(value.values<uint32_t>()[i]);
        break;
      case DType::kF16:
      case DType::kBF16:
        proto.add_int32_data(bits(i));
        break;
      default:
        proto.add_int32_data(static_cast<int32_t>(element_as_double(value, i)));
    }
  }
  return *this;
}

OnnxBuilder& OnnxBuilder::external_initializer(const std::string& name, const TensorDesc& desc,
                                               const std::string& location, int64_t offset,
                                               int64_t length) {
  onnx::TensorProto& proto = *proto_->mutable_graph()->add_initializer();
  set_header(proto, name, desc);
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&proto](const std::string& key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("location", location);
  if (offset != 0) add("offset", std::to_string(offset));
  if (length != -1) add("length", std::to_string(length));
  return *this;
}

OnnxBuilder& OnnxBuilder::node(const std::string& op_type, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs,
                               const Attributes& attributes, const std::string& name,
                               const std::string& domain) {
  onnx::NodeProto& proto = *proto_->mutable_graph()->add_node();
  proto.set_op_type(op_type);
  if (!name.empty()) proto.set_name(name);
  if (!domain.empty()) proto.set_domain(domain);
  for (const std::string& input : inputs) proto.add_input(input);
  for (const std::string& output : outputs) proto.add_output(output);
  for (const auto& [attribute_name, value] : attributes) {
    onnx::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name(attribute_name);
    std::visit(AttributeWriter{attribute}, value);
  }
  return *this;
}

OnnxBuilder& OnnxBuilder::import_opset(const std::string& domain, int version) {
  onnx::OperatorSetIdProto& opset = *proto_->add_opset_import();
  opset.set_domain(domain);
  opset.set_version(version);
  return *this;
}

OnnxBuilder& OnnxBuilder::metadata(const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *proto_->add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
  return *this;
}

std::string OnnxBuilder::bytes() const { return proto_->SerializeAsString(); }

Result<Graph> OnnxBuilder::load() const {
  const std::string model = bytes();
  return load_onnx_from_memory(std::as_bytes(std::span(model)), "test.onnx", "");
}

void OnnxBuilder::write(const std::string& path) const { write_file(path, bytes()); }

std::string tensor_proto_bytes(const Tensor& value, const std::string& name) {
  onnx::TensorProto proto;
  set_raw(proto, name, value);
  return proto.SerializeAsString();
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  TESSERA_CHECK(file.good());
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "tessera_test_XXXXXX";
  TESSERA_CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = std::filesystem::canonical(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tessera
