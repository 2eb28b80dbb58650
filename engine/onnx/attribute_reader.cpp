// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/attribute_reader.h"

#include <utility>
#include <vector>

#include "engine/graph/printable.h"
#include "engine/onnx/tensor_reader.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

using onnx::AttributeProto;

// The kind of an attribute; of one that does not say, which the first exporters wrote, that of the
// field that is set.
AttributeProto::AttributeType attribute_type(const AttributeProto& proto) {
  if (proto.type() != AttributeProto::UNDEFINED) return proto.type();
  if (proto.has_f()) return AttributeProto::FLOAT;
  if (proto.has_i()) return AttributeProto::INT;
  if (proto.has_s()) return AttributeProto::STRING;
  if (proto.has_t()) return AttributeProto::TENSOR;
  if (proto.floats_size() > 0) return AttributeProto::FLOATS;
  if (proto.ints_size() > 0) return AttributeProto::INTS;
  if (proto.strings_size() > 0) return AttributeProto::STRINGS;
  return AttributeProto::UNDEFINED;
}

Result<AttributeValue> read_value(AttributeProto& proto, ExternalFiles& files) {
  const AttributeProto::AttributeType type = attribute_type(proto);
  switch (type) {
    case AttributeProto::FLOAT:
      return AttributeValue(proto.f());
    case AttributeProto::INT:
      return AttributeValue(int64_t{proto.i()});
    case AttributeProto::STRING:
      return AttributeValue(proto.s());
    case AttributeProto::FLOATS:
      return AttributeValue(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case AttributeProto::INTS:
      return AttributeValue(std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
    case AttributeProto::STRINGS:
      return AttributeValue(
          std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case AttributeProto::TENSOR: {
      TESSERA_ASSIGN_OR_RETURN(Tensor tensor, read_tensor(*proto.mutable_t(), files));
      return AttributeValue(std::move(tensor));
    }
    case AttributeProto::UNDEFINED:
      return invalid_model("has no value");
    default:
      return unsupported("is of kind " + AttributeProto::AttributeType_Name(type) +
                         ", which is not supported");
  }
}

}  // namespace

Attributes read_attributes(onnx::NodeProto& node, const std::string& where, ExternalFiles& files,
                           Diagnostics& diagnostics) {
  Attributes attributes;
  for (AttributeProto& proto : *node.mutable_attribute()) {
    const std::string attribute = where + ": attribute " + quote_name(proto.name());
    if (!proto.ref_attr_name().empty()) {
      diagnostics.add(StatusCode::kInvalidModel,
                      attribute + " refers to an attribute of a function, outside of one");
      continue;
    }
    Result<AttributeValue> value = read_value(proto, files);
    if (!value.ok()) {
      diagnostics.add(attribute, value.status());
    } else if (!attributes.emplace(proto.name(), std::move(*value)).second) {
      diagnostics.add(StatusCode::kInvalidModel, attribute + " is given twice");
    }
  }
  return attributes;
}

}  // namespace tessera
