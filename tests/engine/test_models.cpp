// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/test_models.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "tessera/session.h"

namespace tessera {

Tensor random_tensor(Shape shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  return Tensor::from_values<float>(std::move(shape), std::span<const float>(values));
}

std::shared_ptr<const Model> build_model(const OnnxBuilder& builder) {
  auto graph = builder.load();
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  if (!graph.ok()) return nullptr;
  return std::make_shared<const Model>(std::move(*graph), "test.onnx");
}

double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const double difference = std::fabs(element_as_double(a, i) - element_as_double(b, i));
    if (!(difference <= largest)) largest = difference;
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

std::vector<Tensor> run_model(std::shared_ptr<const Model> model, const std::string& device,
                              const std::vector<Tensor>& inputs, bool optimize) {
  SessionOptions options;
  options.device = device;
  options.optimize = optimize;
  auto session = Session::create(std::move(model), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  if (!session.ok()) return {};
  auto outputs = (*session)->run(inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  return outputs.ok() ? std::move(*outputs) : std::vector<Tensor>();
}

namespace {

void add_batch_norm(OnnxBuilder& builder, const std::string& prefix, const std::string& input,
                    const std::string& output, int64_t channels, uint32_t seed) {
  std::vector<float> variance;
  for (int64_t c = 0; c < channels; ++c) variance.push_back(0.5f + 0.1f * static_cast<float>(c));
  builder.initializer(prefix + "_scale", random_tensor({channels}, seed))
      .initializer(prefix + "_bias", random_tensor({channels}, seed + 1))
      .initializer(prefix + "_mean", random_tensor({channels}, seed + 2))
      .initializer(prefix + "_variance",
                   Tensor::from_values<float>({channels}, std::span<const float>(variance)))
      .node("BatchNormalization",
            {input, prefix + "_scale", prefix + "_bias", prefix + "_mean", prefix + "_variance"},
            {output}, {}, prefix);
}

}  // namespace

void add_residual_network(OnnxBuilder& builder) {
  const std::vector<int64_t> same = {1, 1, 1, 1};
  builder.input("x", DType::kF32, {"batch", 3, 9, 7})
      .initializer("w1", random_tensor({6, 3, 3, 3}, 1))
      .node("Conv", {"x", "w1"}, {"c1"}, {{"pads", same}}, "conv1");
  add_batch_norm(builder, "bn1", "c1", "n1", 6, 10);
  builder.node("Relu", {"n1"}, {"r1"}, {}, "relu1")
      .initializer("w2", random_tensor({6, 6, 3, 3}, 2))
      .initializer("b2", random_tensor({6}, 3))
      .node("Conv", {"r1", "w2", "b2"}, {"c2"}, {{"pads", same}}, "conv2");
  add_batch_norm(builder, "bn2", "c2", "n2", 6, 20);
  builder.node("Add", {"n2", "r1"}, {"s"}, {}, "add")
      .node("Relu", {"s"}, {"r2"}, {}, "relu2")
      .node("Dropout", {"r2"}, {"d"}, {}, "dropout")
      .node("GlobalAveragePool", {"d"}, {"g"}, {}, "pool")
      .node("Flatten", {"g"}, {"f"}, {}, "flatten")
      .initializer("w3", random_tensor({5, 6}, 4))
      .initializer("b3", random_tensor({5}, 5))
      .node("Gemm", {"f", "w3", "b3"}, {"z"}, {{"transB", int64_t{1}}}, "fc")
      .node("Softmax", {"z"}, {"p"}, {{"axis", int64_t{1}}}, "softmax")
      .output("p");
}

}  // namespace tessera
