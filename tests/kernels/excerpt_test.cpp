// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/excerpt.h"

#include <gtest/gtest.h>

#include "kernels/accuracy/problem_operands.h"
#include "kernels/accuracy/truth.h"
#include "tests/kernels/problems.h"
#include "tests/kernels/test_data.h"

namespace tessera::testing {
namespace {

// The reference on an excerpt is the excerpt of the reference, bit for bit: it sums in one order.
TEST(Excerpt, IsPartOfTheWholeProblem) {
  int cut_short = 0;
  for (const Problem& problem : all_problems()) {
    const ProblemOperands specs = describe_operands(problem);
    const bool is_float32 = specs.output.dtype == DType::kF32;
    if (!is_float32 || specs.output.elements == 0 || problem_flops(problem) > 1e5) continue;
    const std::vector<Bytes> inputs = make_inputs(problem, DataSet::kUniform);
    const auto whole = run_reference(problem, inputs);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    for (const double most_flops : {1.0, 500.0, 10000.0}) {
      const Excerpt excerpt = make_excerpt(problem, inputs, most_flops);
      const auto part = run_reference(excerpt.problem, excerpt.inputs);
      ASSERT_TRUE(part.ok()) << part.status().message();
      EXPECT_EQ(*part, excerpt.cut(*whole)) << to_string(problem) << ", " << most_flops;
      if (part->size() < whole->size()) ++cut_short;
    }
  }
  EXPECT_GT(cut_short, 100);
}

TEST(Excerpt, KeepsToItsFlopsAndToBothEnds) {
  GemmProblem gemm;
  gemm.M = 1000;
  gemm.N = gemm.ldb = gemm.ldd = 500;
  gemm.K = gemm.lda = 100;
  const std::vector<Bytes> inputs = make_inputs(gemm, DataSet::kUniform);
  const Excerpt excerpt = make_excerpt(gemm, inputs, 1e6);
  EXPECT_LE(problem_flops(excerpt.problem), 1e6);
  EXPECT_GT(problem_flops(excerpt.problem), 0.5e6);
  EXPECT_EQ(excerpt.output.front().begin, 0);
  EXPECT_EQ(excerpt.output.back().begin + excerpt.output.back().count, gemm.M * gemm.N);
}

}  // namespace
}  // namespace tessera::testing
