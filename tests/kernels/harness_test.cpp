// SPDX-License-Identifier: Apache-2.0
// The harness finds the mistakes it is there for: each planted kernel has one.
#include "tests/kernels/harness.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "kernels/reference/kernels.h"

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kCount = 37;

Problem relu_problem() { return UnaryProblem{DType::kF32, kCount, {ActivationKind::kRelu, 0, 0}}; }

struct View {
  const float* src;
  float* dst;
};

View view(const Operands& operands) {
  return {static_cast<const float*>(operands.inputs[0]), static_cast<float*>(operands.output)};
}

float relu(float x) { return x < 0.0f ? 0.0f : x; }

// A correct kernel to start from.
void compute(const View& view) {
  for (int64_t i = 0; i < kCount; ++i) view.dst[i] = relu(view.src[i]);
}

Support supports_all(const UnaryProblem&, const DeviceInfo&) { return Support::yes(); }

using Launch = Status (*)(const UnaryProblem&, const Operands&, Stream&);

template <Launch function>
Status check_planted() {
  static constexpr KernelEntry kEntry =
      stateless_kernel_entry<UnaryProblem, supports_all, function>("planted", "has a mistake");
  const auto device = reference::backend().open(0);
  const auto stream = (*device)->create_stream();
  return check_kernel(kEntry, relu_problem(), **device, **stream);
}

Status correct(const UnaryProblem&, const Operands& operands, Stream&) {
  compute(view(operands));
  return {};
}

Status one_short(const UnaryProblem&, const Operands& operands, Stream&) {
  const View v = view(operands);
  for (int64_t i = 0; i + 1 < kCount; ++i) v.dst[i] = relu(v.src[i]);
  return {};
}

Status neighbour(const UnaryProblem&, const Operands& operands, Stream&) {
  const View v = view(operands);
  for (int64_t i = 0; i < kCount; ++i) v.dst[i] = relu(v.src[i == 0 ? 0 : i - 1]);
  return {};
}

Status reads_past_the_end(const UnaryProblem&, const Operands& operands, Stream&) {
  const View v = view(operands);
  for (int64_t i = 0; i < kCount; ++i) v.dst[i] = relu(v.src[i]) + 0.0f * v.src[kCount];
  return {};
}

Status gives_nan(const UnaryProblem&, const Operands& operands, Stream&) {
  compute(view(operands));
  view(operands).dst[kCount / 3] = std::numeric_limits<float>::quiet_NaN();
  return {};
}

Status swallows_nan(const UnaryProblem&, const Operands& operands, Stream&) {
  const View v = view(operands);
  for (int64_t i = 0; i < kCount; ++i) v.dst[i] = v.src[i] > 0.0f ? v.src[i] : 0.0f;
  return {};
}

Status loses_a_bit(const UnaryProblem&, const Operands& operands, Stream&) {
  const View v = view(operands);
  for (int64_t i = 0; i < kCount; ++i) v.dst[i] = relu(v.src[i]) * 1.000001f;
  return {};
}

Status writes_past_the_end(const UnaryProblem&, const Operands& operands, Stream&) {
  compute(view(operands));
  view(operands).dst[kCount] = 0.0f;
  return {};
}

Status writes_before_the_start(const UnaryProblem&, const Operands& operands, Stream&) {
  compute(view(operands));
  view(operands).dst[-1] = 0.0f;
  return {};
}

Status writes_to_its_input(const UnaryProblem&, const Operands& operands, Stream&) {
  compute(view(operands));
  const_cast<float*>(view(operands).src)[0] = 1.0f;
  return {};
}

Status uses_workspace_it_did_not_ask_for(const UnaryProblem&, const Operands& operands, Stream&) {
  compute(view(operands));
  static_cast<float*>(operands.workspace)[0] = 0.0f;
  return {};
}

// The first launch is right.
Status changes_from_launch_to_launch(const UnaryProblem&, const Operands& operands, Stream&) {
  static int launches = 0;
  const View v = view(operands);
  for (int64_t i = 0; i < kCount; ++i) v.dst[i] = relu(v.src[i]);
  if (++launches % 2 == 0) v.dst[0] = std::copysign(v.dst[0], -1.0f);
  return {};
}

Status fails(const UnaryProblem&, const Operands&, Stream&) {
  return internal_error("the device is on fire");
}

TEST(Harness, PassesACorrectKernel) {
  const Status status = check_planted<correct>();
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Harness, FindsWrongResults) {
  EXPECT_THAT(check_planted<one_short>().message(), HasSubstr("worst at (36)"));
  EXPECT_THAT(check_planted<neighbour>().message(), HasSubstr("elements differ"));
  EXPECT_THAT(check_planted<gives_nan>().message(), HasSubstr("worst at (12)"));
  EXPECT_THAT(check_planted<loses_a_bit>().message(), HasSubstr("error / tolerance"));
  EXPECT_THAT(check_planted<reads_past_the_end>().message(), HasSubstr("elements differ"));
}

TEST(Harness, FindsLostSpecialValues) {
  const std::string message = check_planted<swallows_nan>().message();
  EXPECT_THAT(message, HasSubstr("special data"));
  EXPECT_THAT(message, HasSubstr("0 instead of nan"));
}

TEST(Harness, FindsWritesOutsideTheOutput) {
  EXPECT_THAT(check_planted<writes_past_the_end>().message(), HasSubstr("output: byte 0 after"));
  EXPECT_THAT(check_planted<writes_before_the_start>().message(),
              HasSubstr("output: byte 1 before"));
  EXPECT_THAT(check_planted<writes_to_its_input>().message(),
              HasSubstr("operand 0 was written to"));
  EXPECT_THAT(check_planted<uses_workspace_it_did_not_ask_for>().message(),
              HasSubstr("workspace: byte 0 after"));
}

TEST(Harness, FindsResultsThatChange) {
  EXPECT_THAT(check_planted<changes_from_launch_to_launch>().message(),
              HasSubstr("two launches gave different bits"));
}

TEST(Harness, ReportsErrorsWithTheirContext) {
  const std::string message = check_planted<fails>().message();
  EXPECT_THAT(message, HasSubstr("the device is on fire"));
  EXPECT_THAT(message, HasSubstr("planted on unary float32 count=37 relu, uniform data"));
}

// A GEMM that is right except between the rows.
Status gemm_with_full_rows(const GemmProblem& p, const Operands& operands, Stream& stream) {
  const auto device = reference::backend().open(0);
  const auto kernel = reference::reference_gemm.create(p, **device);
  TESSERA_RETURN_IF_ERROR((*kernel)->launch(operands, stream));
  static_cast<float*>(operands.output)[p.N] = 0.0f;
  return {};
}

// A float16 GEMM that gives 0 where a result is beyond the largest float16.
Status gemm_without_infinities(const GemmProblem& p, const Operands& operands, Stream& stream) {
  const auto device = reference::backend().open(0);
  const auto kernel = reference::reference_gemm.create(p, **device);
  TESSERA_RETURN_IF_ERROR((*kernel)->launch(operands, stream));
  constexpr uint16_t kInfinityBits = 0x7c00;
  auto* const d = static_cast<uint16_t*>(operands.output);
  for (int64_t i = 0; i < p.M * p.N; ++i) {
    if ((d[i] & 0x7fff) == kInfinityBits) d[i] = 0;
  }
  return {};
}

Support supports_any_gemm(const GemmProblem&, const DeviceInfo&) { return Support::yes(); }

TEST(Harness, FindsLostOverflowExceptWhereTheRowClaimsRulesOfItsOwn) {
  static constexpr KernelEntry kEntry =
      stateless_kernel_entry<GemmProblem, supports_any_gemm, gemm_without_infinities>(
          "planted", "loses infinities");
  GemmProblem p;
  p.dtype = DType::kF16;
  p.M = 2, p.N = 3, p.K = 64;  // sums of 64 products of about 100 * 100
  p.lda = 64, p.ldb = 3, p.ldd = 3;
  const auto device = reference::backend().open(0);
  const auto stream = (*device)->create_stream();
  EXPECT_THAT(check_kernel(kEntry, p, **device, **stream).message(), HasSubstr("elements differ"));
  KernelEntry claimed = kEntry;
  claimed.keeps_special_values = false;
  const Status status = check_kernel(claimed, p, **device, **stream);
  EXPECT_TRUE(status.ok()) << status.message();
}

Support supports_gemm(const GemmProblem& p, const DeviceInfo&) {
  return p.ldd > p.N ? Support::yes() : Support::no("ldd equals N");
}

TEST(Harness, FindsWritesBetweenRowsAndCountsRefusals) {
  static constexpr KernelEntry kEntry =
      stateless_kernel_entry<GemmProblem, supports_gemm, gemm_with_full_rows>("planted", "a gap");
  GemmProblem dense;
  dense.M = 2, dense.N = 3, dense.K = 4;
  dense.lda = 4, dense.ldb = 3, dense.ldd = 3;
  GemmProblem strided = dense;
  strided.ldd = 5;
  const std::vector<Problem> problems = {dense, strided, relu_problem(), dense};
  const auto device = reference::backend().open(0);
  const EntryReport report = run_entry(kEntry, problems, **device);
  EXPECT_EQ(report.ran, 1);
  EXPECT_EQ(report.refusals.at("ldd equals N"), 2);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_THAT(report.failures[0],
              HasSubstr("the gap between two rows was written to at (0, 0, 3)"));
}

}  // namespace
}  // namespace tessera::testing
