// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "tessera/model.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {

// Float32 values from a normal distribution, the same for the same seed.
Tensor random_tensor(Shape shape, uint32_t seed);

// Loads what the builder has made; fails the test when that is refused.
std::shared_ptr<const Model> build_model(const OnnxBuilder& builder);

// The largest |a - b| over all elements; infinity when shapes differ or an element is NaN.
double largest_difference(const Tensor& a, const Tensor& b);

// Runs the model on a device by name with one float32 input; fails the test on an error.
std::vector<Tensor> run_model(std::shared_ptr<const Model> model, const std::string& device,
                              const std::vector<Tensor>& inputs, bool optimize = true);

// conv 3x3 + batch norm + relu, then a residual block, dropout, global average pooling, a fully
// connected layer and softmax: everything that the passes know, for (batch, 3, 9, 7).
void add_residual_network(OnnxBuilder& builder);

}  // namespace tessera
