// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/gemm.h"

#include <limits>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;

TestNode gemm(Shape a, Shape b, int opset = 13) {
  return TestNode("Gemm", opset).input(std::move(a)).input(std::move(b));
}

TEST(GemmLayer, ShapesAndLeadingDimensions) {
  for (const int64_t transpose_a : {0, 1}) {
    for (const int64_t transpose_b : {0, 1}) {
      const TestNode node = gemm(transpose_a != 0 ? Shape{5, 2} : Shape{2, 5},
                                 transpose_b != 0 ? Shape{3, 5} : Shape{5, 3})
                                .attribute("transA", transpose_a)
                                .attribute("transB", transpose_b);
      expect_shape(node, {2, 3});
      const auto problem = lowered_problem<GemmProblem>(node);
      EXPECT_EQ(problem.M, 2);
      EXPECT_EQ(problem.N, 3);
      EXPECT_EQ(problem.K, 5);
      EXPECT_EQ(problem.transpose_a, transpose_a != 0);
      EXPECT_EQ(problem.transpose_b, transpose_b != 0);
      EXPECT_EQ(problem.lda, transpose_a != 0 ? 2 : 5);
      EXPECT_EQ(problem.ldb, transpose_b != 0 ? 5 : 3);
      EXPECT_EQ(problem.ldd, 3);
      EXPECT_EQ(problem.batch_rank, 0);
    }
  }
  expect_shape(gemm({0, 5}, {5, 3}), {0, 3});
  expect_shape(gemm({2, 0}, {0, 3}), {2, 3});
}

TEST(GemmLayer, BiasStridesOfEachKind) {
  const struct {
    Shape c;
    int64_t stride_m, stride_n;
  } cases[] = {{{3}, 0, 1}, {{1, 3}, 0, 1}, {{2, 1}, 1, 0}, {{2, 3}, 3, 1},
               {{}, 0, 0},  {{1}, 0, 0},    {{1, 1}, 0, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.c.to_string());
    const TestNode node = gemm({2, 5}, {5, 3}).input(c.c).attribute("beta", 0.5f);
    const auto problem = lowered_problem<GemmProblem>(node);
    EXPECT_TRUE(problem.epilogue.has_bias);
    EXPECT_EQ(problem.beta, 0.5f);
    EXPECT_EQ(problem.bias_stride_m, c.stride_m);
    EXPECT_EQ(problem.bias_stride_n, c.stride_n);
    EXPECT_THAT(node.lower()->operands, ElementsAre(0, 1, 2, -1));
  }
}

TEST(GemmLayer, BiasOfASingleColumnOrRow) {
  const auto strides = [](Shape a, Shape b, Shape c) {
    const auto problem = lowered_problem<GemmProblem>(gemm(std::move(a), std::move(b)).input(c));
    return std::pair(problem.bias_stride_m, problem.bias_stride_n);
  };
  EXPECT_EQ(strides({2, 5}, {5, 1}, {1}), std::pair(int64_t{0}, int64_t{1}));
  EXPECT_EQ(strides({2, 5}, {5, 1}, {2, 1}), std::pair(int64_t{1}, int64_t{0}));
  EXPECT_EQ(strides({1, 5}, {5, 3}, {1, 3}), std::pair(int64_t{0}, int64_t{1}));
}

TEST(GemmLayer, WithoutC) {
  const TestNode node = gemm({2, 5}, {5, 3}, 11).attribute("alpha", 2.0f);
  EXPECT_FALSE(lowered_problem<GemmProblem>(node).epilogue.has_bias);
  EXPECT_EQ(lowered_problem<GemmProblem>(node).alpha, 2.0f);
  EXPECT_THAT(node.lower()->operands, ElementsAre(0, 1, -1, -1));
  expect_error(gemm({2, 5}, {5, 3}, 9), StatusCode::kInvalidModel, {"input 'C' is missing"});
  EXPECT_FALSE(lowered_problem<GemmProblem>(gemm({2, 5}, {5, 3}).input({3}).attribute("beta", 0.0f))
                   .epilogue.has_bias);
}

TEST(GemmLayer, OpsetSixBroadcastsOnRequest) {
  expect_shape(gemm({2, 5}, {5, 3}, 6).input({3}).attribute("broadcast", 1), {2, 3});
  expect_shape(gemm({2, 5}, {5, 3}, 6).input({2, 3}), {2, 3});
  expect_error(gemm({2, 5}, {5, 3}, 6).input({3}), StatusCode::kInvalidModel,
               {"broadcast = 0", "input 'C' float32 (3)", "(2, 3)"});
  expect_error(gemm({2, 5}, {5, 3}, 7).input({3}).attribute("broadcast", 1),
               StatusCode::kInvalidModel, {"'broadcast'"});
}

TEST(GemmLayer, Refuses) {
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(gemm({2, 5, 1}, {5, 3}), invalid, {"input 'A'", "expected rank 2"});
  expect_error(gemm({2, 5}, {5}), invalid, {"input 'B'", "expected rank 2"});
  expect_error(gemm({2, 5}, {4, 3}), invalid,
               {"input 'A' float32 (2, 5)", "input 'B' float32 (4, 3)", "5 columns, 4 rows"});
  expect_error(gemm({2, 5}, {5, 3}).attribute("transB", 1), invalid, {"transposed"});
  expect_error(gemm({2, 5}, {5, 3}).input({2}), invalid, {"input 'C' float32 (2)", "(2, 3)"});
  expect_error(gemm({1, 5}, {5, 3}).input({2, 3}), invalid, {"does not broadcast"});
  expect_error(gemm({2, 5}, {5, 3}).input({1, 2, 3}), invalid, {"does not broadcast"});
  expect_error(TestNode("Gemm", 13).input({2, 5}, DType::kF64).input({5, 3}, DType::kF64),
               StatusCode::kUnsupported, {"float64", "only float32"});
}

TEST(GemmLayer, Values) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto node = [](Tensor c) {
    return TestNode("Gemm", 13)
        .constant(Tensor::from_values<float>({2, 1}, {1, 2}))
        .constant(Tensor::from_values<float>({2, 1}, {10, 20}))
        .constant(std::move(c))
        .attribute("transB", 1)
        .attribute("alpha", 0.5f);
  };
  EXPECT_THAT(run_floats(node(Tensor::from_values<float>({2, 1}, {1, 2})).attribute("beta", 2.0f)),
              ElementsAre(7, 12, 14, 24));
  EXPECT_THAT(run_floats(node(Tensor::from_values<float>({2}, {1, 2}))),
              ElementsAre(6, 12, 11, 22));
  EXPECT_THAT(run_floats(node(float_scalar(nan)).attribute("beta", 0.0f)),
              ElementsAre(5, 10, 10, 20));
}

TestNode matmul(Shape a, Shape b) {
  return TestNode("MatMul", 13).input(std::move(a)).input(std::move(b));
}

TEST(MatMulLayer, ShapesAsNumpy) {
  expect_shape(matmul({2, 5}, {5, 3}), {2, 3});
  expect_shape(matmul({5}, {5}), {});
  expect_shape(matmul({5}, {5, 3}), {3});
  expect_shape(matmul({2, 5}, {5}), {2});
  expect_shape(matmul({7, 2, 5}, {5}), {7, 2});
  expect_shape(matmul({5}, {7, 5, 3}), {7, 3});
  expect_shape(matmul({7, 2, 5}, {5, 3}), {7, 2, 3});
  expect_shape(matmul({7, 1, 2, 5}, {4, 5, 3}), {7, 4, 2, 3});
  expect_shape(matmul({0, 2, 5}, {5, 3}), {0, 2, 3});
  expect_shape(matmul({0, 2, 5}, {0, 5, 3}), {0, 2, 3});
}

TEST(MatMulLayer, FoldsTheBatchOfAIntoRows) {
  const auto problem = lowered_problem<GemmProblem>(matmul({7, 4, 2, 5}, {1, 5, 3}));
  EXPECT_EQ(problem.M, 56);
  EXPECT_EQ(problem.N, 3);
  EXPECT_EQ(problem.K, 5);
  EXPECT_EQ(problem.lda, 5);
  EXPECT_EQ(problem.ldb, 3);
  EXPECT_EQ(problem.ldd, 3);
  EXPECT_EQ(problem.batch_rank, 0);
}

TEST(MatMulLayer, BatchStrides) {
  const auto broadcast = lowered_problem<GemmProblem>(matmul({7, 1, 2, 5}, {4, 5, 3}));
  EXPECT_EQ(broadcast.batch_rank, 2);
  EXPECT_EQ(broadcast.batch_extent[0], 7);
  EXPECT_EQ(broadcast.batch_extent[1], 4);
  EXPECT_EQ(broadcast.batch_stride_a[0], 10);
  EXPECT_EQ(broadcast.batch_stride_a[1], 0);
  EXPECT_EQ(broadcast.batch_stride_b[0], 0);
  EXPECT_EQ(broadcast.batch_stride_b[1], 15);
  const auto merged = lowered_problem<GemmProblem>(matmul({7, 4, 2, 5}, {7, 4, 5, 3}));
  EXPECT_EQ(merged.batch_rank, 1);
  EXPECT_EQ(merged.batch_extent[0], 28);
  EXPECT_EQ(merged.batch_stride_a[0], 10);
  EXPECT_EQ(merged.batch_stride_b[0], 15);
}

TEST(MatMulLayer, ValuesOfBroadcastBatchesAndVectors) {
  const Tensor a = Tensor::from_values<float>({2, 1, 1, 2}, {1, 2, 3, 4});
  const Tensor b = Tensor::from_values<float>({2, 2, 1}, {1, 10, 100, 1000});
  const auto run = [](const Tensor& lhs, const Tensor& rhs) {
    return run_floats(TestNode("MatMul", 13).constant(lhs).constant(rhs));
  };
  EXPECT_THAT(run(a, b), ElementsAre(21, 2100, 43, 4300));
  const Tensor vector = Tensor::from_values<float>({2}, {1, -1});
  EXPECT_THAT(run(a, vector), ElementsAre(-1, -1));
  EXPECT_THAT(run(vector, b), ElementsAre(-9, -900));
  EXPECT_THAT(run(vector, vector), ElementsAre(2));
}

TEST(MatMulLayer, Refuses) {
  expect_error(matmul({}, {2}), StatusCode::kInvalidModel, {"input 'A' float32 ()", "vector"});
  expect_error(matmul({2, 5}, {4, 3}), StatusCode::kInvalidModel, {"5 columns, 4 rows"});
  expect_error(matmul({3, 2, 5}, {2, 5, 3}), StatusCode::kInvalidModel,
               {"batch axes do not broadcast"});
  expect_error(TestNode("MatMul", 13).input({2, 2}, DType::kI32).input({2, 2}, DType::kI32),
               StatusCode::kUnsupported, {"int32", "only float32"});
  expect_error(matmul({2, 1, 2, 1, 2, 1, 2, 1, 1}, {1, 2, 1, 2, 1, 2, 1, 1, 1}),
               StatusCode::kUnsupported, {"more than 6 dimensions"});
}

}  // namespace
}  // namespace tessera
