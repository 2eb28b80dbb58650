// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/shape.h"
#include "core/status.h"
#include "engine/graph/graph.h"

namespace tessera {

// Each pass changes a graph and leaves it valid: nodes in topological order, every value that is
// read has a producer. A pass returns one line for each thing that it did, in ONNX node names.
using PassLog = std::vector<std::string>;

// Sets the descriptor of every value for the given shapes of the graph's inputs, and the constant
// of every value that can be known now: shapes, and whatever follows from constants alone, computed
// by the reference kernels. A folded constant is at most kMaxFoldedBytes large, or no larger than
// the constants it is made of. kInvalidModel or kUnsupported lists every node that fails.
inline constexpr size_t kMaxFoldedBytes = size_t{16} << 20;
Result<PassLog> infer_shapes_and_fold(Graph& graph, std::span<const Shape> input_shapes);

// Removes nodes whose output is their input, shape included: Identity, Dropout, a Reshape to the
// same shape. Requires: shapes inferred.
Result<PassLog> remove_identities(Graph& graph);

// Folds a BatchNormalization into the weights and bias of the Conv or Gemm before it, when nothing
// else reads that node's output. The new weights are computed in double precision. Requires: shapes
// inferred. (Jacob et al. 2018, "Quantization and Training of Neural Networks", section 3.2.)
Result<PassLog> fold_batch_norm(Graph& graph);

// Removes nodes none of whose outputs is read, until there are none.
Result<PassLog> remove_dead_nodes(Graph& graph);

}  // namespace tessera
