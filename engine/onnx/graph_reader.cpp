// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_reader.h"

#include "engine/graph/printable.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/node_reader.h"
#include "engine/onnx/opset_imports.h"
#include "engine/onnx/value_reader.h"
#include "engine/onnx/value_table.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

constexpr int64_t kOldestIrVersion = 3;

void read_header(const onnx::ModelProto& model, Graph& graph, Diagnostics& diagnostics) {
  graph.ir_version = model.ir_version();
  if (graph.ir_version < kOldestIrVersion) {
    diagnostics.add(StatusCode::kUnsupported,
                    "IR version " + std::to_string(graph.ir_version) + " is older than " +
                        std::to_string(kOldestIrVersion) +
                        ", the oldest one supported; export the model with a newer exporter");
  }
  graph.name = model.graph().name();
  graph.producer = model.producer_name();
  if (!model.producer_version().empty()) graph.producer += " " + model.producer_version();
  for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
    if (is_valid_utf8(entry.key()) && is_valid_utf8(entry.value())) {
      graph.metadata.emplace(entry.key(), entry.value());
    } else {
      diagnostics.add(StatusCode::kInvalidModel,
                      "metadata_props " + quote_name(entry.key()) + " is not valid UTF-8");
    }
  }
}

}  // namespace

Graph read_graph(onnx::ModelProto& model, const std::string& folder, Diagnostics& diagnostics) {
  Graph graph;
  read_header(model, graph, diagnostics);
  const OpsetImports opsets = OpsetImports::read(model, diagnostics);
  graph.opset = opsets.version("").value_or(0);

  ExternalFiles files(folder);
  ValueTable values(graph, diagnostics);
  read_initializers(*model.mutable_graph(), files, graph, values, diagnostics);
  read_inputs(model.graph(), graph, values, diagnostics);
  read_nodes(model, opsets, files, graph, values, diagnostics);
  read_outputs(model.graph(), graph, values, diagnostics);
  if (const Status sorted = sort_topologically(graph); !sorted.ok()) {
    diagnostics.add(sorted.code(), sorted.message());
  }
  return graph;
}

}  // namespace tessera
