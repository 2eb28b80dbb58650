// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera {

namespace onnx {
class GraphProto;
}

// A name for each node of `graph`, in order: unique and not empty. A node keeps the name that the
// file gives it, unless an earlier node has it; one without is called "Conv_3" after its operator
// and position.
std::vector<std::string> name_nodes(const onnx::GraphProto& graph);

}  // namespace tessera
