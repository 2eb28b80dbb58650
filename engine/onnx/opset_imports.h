// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/onnx/diagnostics.h"

namespace tessera {

namespace onnx {
class ModelProto;
}

// "ai.onnx" is another name of the default domain, "".
std::string_view normalize_domain(std::string_view domain);

// A domain as messages name it: "ai.onnx" for the default one.
std::string domain_name(std::string_view domain);

// Which version of each operator domain a model is written for.
class OpsetImports {
 public:
  // Reports a default domain that is missing, or older or newer than what is supported.
  static OpsetImports read(const onnx::ModelProto& model, Diagnostics& diagnostics);

  // The version of a domain, or nothing when the model does not import it.
  [[nodiscard]] std::optional<int> version(std::string_view domain) const;

 private:
  std::map<std::string, int, std::less<>> versions_;
};

}  // namespace tessera
