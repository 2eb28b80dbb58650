// SPDX-License-Identifier: Apache-2.0
// infer ops
#include <algorithm>

#include "layers/layer.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/json.h"
#include "tools/infer/options.h"

namespace tessera::cli {
namespace {

std::vector<const LayerDef*> sorted_layers() {
  std::vector<const LayerDef*> layers(layer_defs().begin(), layer_defs().end());
  std::sort(layers.begin(), layers.end(), [](const LayerDef* a, const LayerDef* b) {
    return std::pair(a->domain, a->op_type) < std::pair(b->domain, b->op_type);
  });
  return layers;
}

std::string_view domain_name(const LayerDef& layer) {
  return layer.domain.empty() ? "ai.onnx" : layer.domain;
}

Status print_ops_json() {
  Json operators = Json::array();
  for (const LayerDef* layer : sorted_layers()) {
    operators.push_back({{"op", layer->op_type},
                         {"domain", domain_name(*layer)},
                         {"first_opset", layer->first_opset},
                         {"newest_opset", kNewestOpset},
                         {"note", layer->note}});
  }
  return print_json({{"operators", operators}});
}

Status print_ops_table() {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{"operator"}, {"domain"}, {"since opset", kRight}, {"newest", kRight}, {"note"}});
  for (const LayerDef* layer : sorted_layers()) {
    table.add({std::string(layer->op_type), std::string(domain_name(*layer)),
               std::to_string(layer->first_opset), std::to_string(kNewestOpset),
               std::string(layer->note)});
  }
  return print_table(table);
}

}  // namespace

int run_ops(int argc, const char* const* argv) {
  CLI::App app("The ONNX operators that this build understands.", "ops");
  bool json = false;
  app.add_flag("--json", json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const Status status = json ? print_ops_json() : print_ops_table();
  return status.ok() ? kExitOk : report_error(status);
}

}  // namespace tessera::cli
