// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/opset_imports.h"

#include <algorithm>
#include <limits>

#include "engine/graph/printable.h"
#include "layers/layer.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

// Broadcasting through attributes ended with this one; an older model is let in only when all its
// operators know how to read it.
constexpr int kOldestUsualOpset = 7;

void check_default_domain(std::optional<int> version, Diagnostics& diagnostics) {
  if (!version) {
    diagnostics.add(StatusCode::kInvalidModel,
                    "opset_import does not name a version of the default domain, ai.onnx");
  } else if (*version > kNewestOpset) {
    diagnostics.add(StatusCode::kUnsupported,
                    "opset " + std::to_string(*version) + " of ai.onnx is newer than " +
                        std::to_string(kNewestOpset) +
                        ", the newest one supported; export the model with opset " +
                        std::to_string(kNewestOpset) + " or older");
  } else if (*version < kOldestOpset) {
    diagnostics.add(StatusCode::kUnsupported,
                    "opset " + std::to_string(*version) + " of ai.onnx is older than " +
                        std::to_string(kOldestUsualOpset) +
                        ", the oldest one supported; convert the model with "
                        "onnx.version_converter.convert_version(model, 13)");
  }
}

}  // namespace

std::string_view normalize_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

std::string domain_name(std::string_view domain) {
  return domain.empty() ? "ai.onnx" : printable(domain);
}

OpsetImports OpsetImports::read(const onnx::ModelProto& model, Diagnostics& diagnostics) {
  OpsetImports imports;
  for (const onnx::OperatorSetIdProto& opset : model.opset_import()) {
    const std::string domain(normalize_domain(opset.domain()));
    const int version =
        static_cast<int>(std::clamp<int64_t>(opset.version(), 0, std::numeric_limits<int>::max()));
    const auto [entry, is_new] = imports.versions_.emplace(domain, version);
    if (!is_new && entry->second != version) {
      diagnostics.add(StatusCode::kInvalidModel,
                      "opset_import names domain " + domain_name(domain) + " twice, as version " +
                          std::to_string(entry->second) + " and " + std::to_string(version));
    }
  }
  // A model may do without the default domain when none of its nodes is of it.
  const auto& nodes = model.graph().node();
  const bool is_needed = imports.versions_.empty() ||
                         std::any_of(nodes.begin(), nodes.end(), [](const onnx::NodeProto& node) {
                           return normalize_domain(node.domain()).empty();
                         });
  const std::optional<int> version = imports.version("");
  if (version || is_needed) check_default_domain(version, diagnostics);
  return imports;
}

std::optional<int> OpsetImports::version(std::string_view domain) const {
  const auto entry = versions_.find(domain);
  if (entry == versions_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace tessera
