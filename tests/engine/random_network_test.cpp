// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tessera/session.h"
#include "tests/engine/test_models.h"

namespace tessera {
namespace {

// Grows a random network of the layers that passes touch: convolutions with and without batch norm,
// activations, residual additions, pooling, identities, reshapes. Weights are scaled so that values
// stay near 1.
class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : random_(seed) {
    channels_ = 1 + pick(9);
    height_ = 4 + pick(6);
    width_ = 4 + pick(6);
    input_shape = {2, channels_, height_, width_};
    builder.input("x", DType::kF32, {"batch", channels_, height_, width_});
    current_ = "x";
    const int layers = 3 + pick(8);
    for (int i = 0; i < layers; ++i) add_layer();
    builder.output(current_);
    if (pick(3) == 0 && !kept_.empty() && kept_ != current_) builder.output(kept_);
    builder.node("Flatten", {current_}, {"flat"});
    const int64_t features = channels_ * height_ * width_;
    builder.initializer("wf", scaled({3, features}, features));
    builder.node("Gemm", {"flat", "wf"}, {"y"}, {{"transB", int64_t{1}}}).output("y");
  }

  OnnxBuilder builder;
  Shape input_shape;

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }

  std::string fresh() { return "t" + std::to_string(next_++); }

  Tensor scaled(Shape shape, int64_t terms) {
    Tensor tensor = random_tensor(std::move(shape), random_());
    for (float& value : tensor.mutable_values<float>()) {
      value /= std::sqrt(static_cast<float>(terms));
    }
    return tensor;
  }

  void apply(const std::string& op, std::vector<std::string> inputs, const Attributes& attributes) {
    const std::string result = fresh();
    builder.node(op, inputs, {result}, attributes);
    if (pick(4) == 0) kept_ = current_;
    current_ = result;
  }

  void add_conv() {
    const int64_t kernel = 1 + 2 * pick(2);
    const int64_t out = 1 + pick(20);
    const std::string weights = fresh();
    builder.initializer(weights,
                        scaled({out, channels_, kernel, kernel}, channels_ * kernel * kernel));
    std::vector<std::string> inputs = {current_, weights};
    if (pick(2) == 0) {
      inputs.push_back(fresh());
      builder.initializer(inputs.back(), random_tensor({out}, random_()));
    }
    apply("Conv", inputs, {{"pads", std::vector<int64_t>(4, kernel / 2)}});
    channels_ = out;
    same_shape_ = "";
  }

  void add_batch_norm() {
    std::vector<std::string> inputs = {current_, fresh(), fresh(), fresh(), fresh()};
    for (size_t i = 1; i < inputs.size(); ++i) {
      Tensor parameter = random_tensor({channels_}, random_());
      if (i == 4) {
        for (float& value : parameter.mutable_values<float>()) value = 0.5f + std::fabs(value);
      }
      builder.initializer(inputs[i], parameter);
    }
    apply("BatchNormalization", inputs, {});
  }

  void add_residual() {
    if (same_shape_.empty()) {
      same_shape_ = current_;
      return;
    }
    const std::string other = same_shape_;
    same_shape_ = "";
    if (pick(2) == 0) {
      apply("Add", {current_, other}, {});
    } else {
      apply("Add", {other, current_}, {});
    }
  }

  void add_layer() {
    switch (pick(9)) {
      case 0:
      case 1:
        add_conv();
        break;
      case 2:
        add_batch_norm();
        break;
      case 3:
        apply("Relu", {current_}, {});
        break;
      case 4:
        apply(pick(2) == 0 ? "Sigmoid" : "Tanh", {current_}, {});
        break;
      case 5:
        apply("Identity", {current_}, {});
        break;
      case 6:
      case 7:
        add_residual();
        break;
      default:
        if (height_ < 2 || width_ < 2) break;
        apply(pick(2) == 0 ? "MaxPool" : "AveragePool", {current_},
              {{"kernel_shape", std::vector<int64_t>{2, 2}}});
        --height_;
        --width_;
        same_shape_ = "";
    }
  }

  std::mt19937 random_;
  std::string current_;
  std::string kept_;        // some earlier value, to be an output now and then
  std::string same_shape_;  // an earlier value of the current shape, for a residual addition
  int64_t channels_ = 0;
  int64_t height_ = 0;
  int64_t width_ = 0;
  int next_ = 0;
};

class RandomNetworkOn : public ::testing::TestWithParam<std::string> {};

// What the passes, the fusion, the layouts and the memory plan make of a network computes what the
// network says, node by node on the reference.
TEST_P(RandomNetworkOn, OptimizedEqualsPlain) {
  auto opened = Session::create(build_model(RandomNetwork(0).builder), {.device = GetParam()});
  if (!opened.ok()) GTEST_SKIP() << opened.status().message();
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNetwork network(seed);
    const auto model = build_model(network.builder);
    ASSERT_NE(model, nullptr);
    const std::vector<Tensor> x = {random_tensor(network.input_shape, seed)};
    const auto plain = run_model(model, "reference", x, false);
    const auto optimized = run_model(model, GetParam(), x, true);
    ASSERT_EQ(plain.size(), optimized.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      // At most about ten layers of values near 1, each good to some 1e-6.
      EXPECT_LE(largest_difference(plain[i], optimized[i]), 1e-3) << "output " << i;
    }
  }
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend* backend : backends()) names.emplace_back(backend->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, RandomNetworkOn, ::testing::ValuesIn(backend_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace tessera
