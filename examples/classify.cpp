// SPDX-License-Identifier: Apache-2.0
// The public C++ interface: load a model, run it on one input, print the best class.
//   classify model.onnx
// The input here is all zeros, of the shape that the model declares, with 1 for open extents.
#include <algorithm>
#include <iostream>
#include <vector>

#include "tessera/model.h"
#include "tessera/session.h"
#include "tessera/tensor.h"

static int fail(const tessera::Status& status) {
  std::cerr << "classify: " << status.message() << '\n';
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return fail(tessera::invalid_argument("usage: classify model.onnx"));

  const auto model = tessera::Model::load(argv[1]);
  if (!model.ok()) return fail(model.status());

  const auto session = tessera::Session::create(*model, {.device = "auto"});
  if (!session.ok()) return fail(session.status());

  std::vector<tessera::Tensor> inputs;
  for (const tessera::ValueInfo& info : (*model)->inputs()) {
    std::vector<int64_t> extents = info.extents;
    for (int64_t& extent : extents) extent = std::max<int64_t>(extent, 1);
    const tessera::Shape shape(extents);
    const std::vector<float> zeros(static_cast<size_t>(shape.num_elements()), 0.0F);
    inputs.push_back(tessera::Tensor::from_values<float>(shape, zeros));
  }

  const auto outputs = (*session)->run(inputs);
  if (!outputs.ok()) return fail(outputs.status());

  const std::span<const float> scores = outputs->front().values<float>();
  const auto best = std::max_element(scores.begin(), scores.end());
  std::cout << "class " << best - scores.begin() << ", score " << *best << '\n';
}
