// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/data_movement.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;

TEST(ConcatLayer, ShapesAndFields) {
  const TestNode node = TestNode("Concat", 13)
                            .input({2, 3, 4}, DType::kI32)
                            .input({2, 0, 4}, DType::kI32)
                            .input({2, 5, 4}, DType::kI32)
                            .attribute("axis", -2);
  expect_outputs(node, {{DType::kI32, {2, 8, 4}}});
  ConcatProblem expected;
  expected.dtype = DType::kI32;
  expected.outer = 2, expected.inner = 4, expected.axis_extents = {3, 0, 5};
  EXPECT_EQ(lowered_problem<ConcatProblem>(node), expected);
  EXPECT_THAT(node.lower()->operands, ElementsAre(0, 1, 2));
  EXPECT_EQ(aliased_input(TestNode("Concat", 4).input({2}).attribute("axis", 0)), 0);
  EXPECT_THAT(run_floats(TestNode("Concat", 13)
                             .constant(int64_list({1}))
                             .constant(int64_list({2, 3}))
                             .attribute("axis", 0)),
              ElementsAre(1, 2, 3));
}

TEST(ConcatLayer, Refuses) {
  const auto concat = [](Shape a, Shape b, int64_t axis) {
    return TestNode("Concat", 13).input(std::move(a)).input(std::move(b)).attribute("axis", axis);
  };
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(concat({2, 3}, {3, 3}, 1), invalid,
               {"input 1 float32 (3, 3)", "input 0 float32 (2, 3)", "along axis 1"});
  expect_error(concat({2, 3}, {2}, 0), invalid, {"does not fit"});
  expect_error(concat({2, 3}, {2, 3}, 2), invalid, {"axis 2", "[-2, 1]"});
  expect_error(concat({}, {}, 0), invalid, {"a scalar has no axes"});
  expect_error(TestNode("Concat", 13).input({2}).input({2}), invalid,
               {"required attribute 'axis' is missing"});
  expect_error(TestNode("Concat", 13).input({2}).input({2}, DType::kI64).attribute("axis", 0),
               invalid, {"does not fit"});
  expect_error(TestNode("Concat", 13).input({2}).missing().attribute("axis", 0), invalid,
               {"input 1 is missing"});
  const int64_t huge = int64_t{1} << 56;
  expect_error(concat({huge}, {huge}, 0), StatusCode::kOutOfMemory, {"output 0", "overflows"});
}

TEST(TransposeLayer, ShapesAndFields) {
  const TestNode node =
      TestNode("Transpose", 13).input({2, 3, 4, 5}).attribute("perm", ints({0, 2, 3, 1}));
  expect_shape(node, {2, 4, 5, 3});
  TransposeProblem expected;  // height and width stay together
  expected.rank = 3;
  expected.extent = {2, 3, 20};
  expected.permutation = {0, 2, 1};
  EXPECT_EQ(lowered_problem<TransposeProblem>(node), expected);
  expect_shape(TestNode("Transpose", 13).input({2, 3, 4}), {4, 3, 2});
  expect_shape(TestNode("Transpose", 13).input({}), {});
  expect_shape(TestNode("Transpose", 13).input({0, 3}), {3, 0});
}

TEST(TransposeLayer, CopiesNothingWhenNothingMoves) {
  const auto transpose = [](Shape shape, std::vector<int64_t> perm) {
    return TestNode("Transpose", 13).input(std::move(shape)).attribute("perm", ints(perm));
  };
  EXPECT_EQ(aliased_input(transpose({2, 3}, {0, 1})), 0);
  EXPECT_EQ(aliased_input(transpose({7, 1, 28, 28}, {0, 2, 3, 1})), 0);
  EXPECT_EQ(aliased_input(transpose({5, 1}, {1, 0})), 0);
  EXPECT_EQ(aliased_input(transpose({2, 3}, {1, 0})), -1);
}

// All permutations of four axes, some of extent 1, against indexing by hand.
TEST(TransposeLayer, ValuesAgainstIndexing) {
  for (const Shape& shape : {Shape{2, 3, 2, 4}, Shape{2, 1, 3, 2}, Shape{1, 3, 1, 2}}) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    std::iota(values.begin(), values.end(), 0.0f);
    const Tensor data = Tensor::from_values<float>(shape, values);
    const auto strides = shape.row_major_strides();
    std::vector<int64_t> perm = {0, 1, 2, 3};
    do {
      const auto extent = [&](size_t axis) { return shape[static_cast<size_t>(perm[axis])]; };
      const auto stride = [&](size_t axis) { return strides[static_cast<size_t>(perm[axis])]; };
      std::vector<float> expected;
      for (int64_t i = 0; i < extent(0); ++i) {
        for (int64_t j = 0; j < extent(1); ++j) {
          for (int64_t k = 0; k < extent(2); ++k) {
            for (int64_t l = 0; l < extent(3); ++l) {
              expected.push_back(static_cast<float>(i * stride(0) + j * stride(1) + k * stride(2) +
                                                    l * stride(3)));
            }
          }
        }
      }
      EXPECT_EQ(run_floats(TestNode("Transpose", 13).constant(data).attribute("perm", ints(perm))),
                expected)
          << shape << " " << Shape(perm);
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST(TransposeLayer, Refuses) {
  const auto transpose = [](std::vector<int64_t> perm) {
    return TestNode("Transpose", 13).input({2, 3, 4}).attribute("perm", ints(perm));
  };
  for (const auto& perm : std::vector<std::vector<int64_t>>{
           {0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}, {0, 1, 2, 3}, {}}) {
    expect_error(transpose(perm), StatusCode::kInvalidModel,
                 {"input 'data' float32 (2, 3, 4)", "attribute 'perm'", "rank 3"});
  }
  expect_error(TestNode("Transpose", 13).input(Shape(std::vector<int64_t>(9, 2))),
               StatusCode::kUnsupported, {"more than 8 axes"});
}

TEST(GatherLayer, ShapesAndFields) {
  const TestNode node = TestNode("Gather", 13)
                            .input({2, 3, 4}, DType::kU8)
                            .input({5, 6}, DType::kI32)
                            .attribute("axis", -2);
  expect_outputs(node, {{DType::kU8, {2, 5, 6, 4}}});
  GatherProblem expected;
  expected.dtype = DType::kU8, expected.index_dtype = DType::kI32;
  expected.outer = 2, expected.axis = 3, expected.inner = 4, expected.index_count = 30;
  EXPECT_EQ(lowered_problem<GatherProblem>(node), expected);
  const Tensor minus_one = Tensor::from_values<int64_t>({}, {-1});
  const TestNode last = TestNode("Gather", 13).constant(int64_list({7, 8, 9})).constant(minus_one);
  expect_outputs(last, {{DType::kI64, {}}});
  EXPECT_THAT(run_floats(last), ElementsAre(9));
  expect_shape(TestNode("Gather", 13).input({0, 4}).input({0}, DType::kI64), {0, 4});
}

TEST(GatherLayer, Refuses) {
  const auto gather = [](Tensor indices) {
    return TestNode("Gather", 13).input({3, 4}).constant(std::move(indices));
  };
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(gather(int64_list({0, 3})), invalid, {"index 3", "3 elements", "input 'data'"});
  expect_error(gather(int64_list({-4})), invalid, {"index -4"});
  expect_error(gather(int64_list({0})).attribute("axis", 2), invalid, {"axis 2"});
  expect_error(TestNode("Gather", 13).input({3}).input({2}), invalid,
               {"input 'indices' float32 (2): expected int32 or int64"});
  expect_error(TestNode("Gather", 13).input({}).input({2}, DType::kI64), invalid,
               {"a scalar has no axes"});
}

TEST(SliceLayer, RangesAsNumpy) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const struct {
    int64_t start, end, step;
    std::vector<float> expected;
  } cases[] = {
      {0, 3, 1, {0, 1, 2}},    {1, kMax, 1, {1, 2, 3, 4}},
      {-2, kMax, 1, {3, 4}},   {0, -1, 2, {0, 2}},
      {3, 1, 1, {}},           {kMin, kMax, 4, {0, 4}},
      {4, 0, -2, {4, 2}},      {-1, kMin, -1, {4, 3, 2, 1, 0}},
      {kMax, kMin, kMin, {4}}, {kMin, kMax, -1, {}},
      {0, kMin, -1, {0}},      {2, 3, kMax, {2}},
  };
  for (const auto& c : cases) {
    const Shape range = {c.start, c.end, c.step};
    SCOPED_TRACE(range.to_string());
    const TestNode node = TestNode("Slice", 13)
                              .constant(int64_list({0, 1, 2, 3, 4}))
                              .constant(int64_list({c.start}))
                              .constant(int64_list({c.end}))
                              .constant(int64_list({0}))
                              .constant(int64_list({c.step}));
    expect_outputs(node, {{DType::kI64, {static_cast<int64_t>(c.expected.size())}}});
    EXPECT_EQ(run_floats(node), c.expected);
  }
}

TEST(SliceLayer, SeveralAxesAndOpsets) {
  const Tensor data = Tensor::from_values<int32_t>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(run_floats(TestNode("Slice", 9)
                             .constant(data)
                             .attribute("starts", ints({1, 0}))
                             .attribute("ends", ints({2, 3}))),
              ElementsAre(5, 6, 7));
  EXPECT_THAT(run_floats(TestNode("Slice", 10)
                             .constant(data)
                             .constant(int64_list({0, 1}))
                             .constant(int64_list({-1, 1000}))),
              ElementsAre(2, 3, 4));
  EXPECT_THAT(run_floats(TestNode("Slice", 13)
                             .constant(data)
                             .constant(int64_list({1}))
                             .constant(int64_list({4}))
                             .constant(int64_list({-1}))
                             .constant(int64_list({2}))),
              ElementsAre(2, 4, 6, 8));
}

TEST(SliceLayer, IdentityAndRefusals) {
  const auto slice = [](std::vector<int64_t> starts, std::vector<int64_t> ends,
                        std::vector<int64_t> steps) {
    return TestNode("Slice", 13)
        .input({4, 5})
        .constant(int64_list(std::move(starts)))
        .constant(int64_list(std::move(ends)))
        .missing()
        .constant(int64_list(std::move(steps)));
  };
  EXPECT_EQ(aliased_input(slice({0}, {1000}, {1})), 0);
  expect_shape(TestNode("Slice", 13)
                   .input({0, 5})
                   .constant(int64_list({-1}))
                   .constant(int64_list({-9}))
                   .missing()
                   .constant(int64_list({-1})),
               {0, 5});
  expect_error(slice({1}, {3}, {1}), StatusCode::kUnsupported,
               {"slicing float32 (4, 5) to float32 (2, 5)", "only constants"});
  expect_error(slice({-1}, {-9}, {-1}), StatusCode::kUnsupported, {"only constants"});
  expect_error(slice({0}, {3}, {0}), StatusCode::kInvalidModel, {"step along axis 0", "is 0"});
  expect_error(slice({0, 0}, {3}, {1, 1}), StatusCode::kInvalidModel, {"different lengths"});
  expect_error(slice({0, 0, 0}, {3, 3, 3}, {1, 1, 1}), StatusCode::kInvalidModel, {"axis 2"});
  expect_error(TestNode("Slice", 13).input({4}).input({1}, DType::kI64).constant(int64_list({1})),
               StatusCode::kUnsupported, {"input 'starts'", "must be a constant"});
  expect_error(TestNode("Slice", 9).input({4}).attribute("starts", ints({0})),
               StatusCode::kInvalidModel, {"required attribute 'ends' is missing"});
}

TEST(PadLayer, OnlyPadsOfZero) {
  EXPECT_EQ(aliased_input(TestNode("Pad", 2)
                              .input({2, 3})
                              .attribute("pads", ints({0, 0, 0, 0}))
                              .attribute("value", 1.0f)
                              .attribute("mode", std::string("edge"))),
            0);
  EXPECT_EQ(aliased_input(TestNode("Pad", 13).input({2, 3}).constant(int64_list({0, 0, 0, 0}))), 0);
  expect_shape(TestNode("Pad", 18)
                   .input({2, 3})
                   .constant(int64_list({0, 0}))
                   .missing()
                   .constant(int64_list({-1})),
               {2, 3});
  expect_error(TestNode("Pad", 13).input({2, 3}).constant(int64_list({0, 1, 0, 0})),
               StatusCode::kUnsupported, {"pads (0, 1, 0, 0)", "input 'data'", "no kernel"});
  expect_error(TestNode("Pad", 13).input({2, 3}).constant(int64_list({0})),
               StatusCode::kInvalidModel, {"expected 4 values"});
  expect_error(TestNode("Pad", 10).input({2, 3}), StatusCode::kInvalidModel,
               {"required attribute 'pads' is missing"});
  expect_error(TestNode("Pad", 13).input({2, 3}).input({4}, DType::kI64), StatusCode::kUnsupported,
               {"input 'pads'", "must be a constant"});
}

}  // namespace
}  // namespace tessera
