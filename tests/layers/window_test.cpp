// SPDX-License-Identifier: Apache-2.0
#include "layers/window.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

struct AxisCase {
  const char* name;
  int64_t in, kernel, stride, dilation;
  int64_t begin, end;  // the attribute pads
  AutoPad auto_pad;
  bool ceil_mode;
  int64_t pad_begin, pad_end, out;  // expected
};

// By hand from the formulas of ONNX's MaxPool.
const AxisCase kAxisCases[] = {
    {"no padding", 7, 3, 1, 1, 0, 0, AutoPad::kNotSet, false, 0, 0, 5},
    {"stride drops a rest", 8, 3, 2, 1, 0, 0, AutoPad::kNotSet, false, 0, 0, 3},
    {"ceil keeps the rest", 8, 3, 2, 1, 0, 0, AutoPad::kNotSet, true, 0, 0, 4},
    {"ceil without rest", 7, 3, 2, 1, 0, 0, AutoPad::kNotSet, true, 0, 0, 3},
    {"ceil drops a window that begins in the end padding", 2, 2, 2, 1, 1, 1, AutoPad::kNotSet, true,
     1, 1, 2},
    {"ceil would begin in the end padding", 3, 1, 2, 1, 0, 1, AutoPad::kNotSet, true, 0, 1, 2},
    {"ceil with a window larger than the input", 2, 3, 2, 1, 0, 0, AutoPad::kNotSet, true, 0, 0, 1},
    {"asymmetric", 5, 3, 1, 1, 2, 0, AutoPad::kNotSet, false, 2, 0, 5},
    {"dilation", 7, 3, 1, 3, 0, 0, AutoPad::kNotSet, false, 0, 0, 1},
    {"valid", 8, 3, 2, 1, 0, 0, AutoPad::kValid, false, 0, 0, 3},
    {"valid, ceil agrees", 7, 3, 2, 1, 0, 0, AutoPad::kValid, true, 0, 0, 3},
    {"same upper, odd", 8, 3, 2, 1, 0, 0, AutoPad::kSameUpper, false, 0, 1, 4},
    {"same lower, odd", 8, 3, 2, 1, 0, 0, AutoPad::kSameLower, false, 1, 0, 4},
    {"same upper, even", 7, 3, 2, 1, 0, 0, AutoPad::kSameUpper, false, 1, 1, 4},
    {"same with dilation", 5, 3, 1, 2, 0, 0, AutoPad::kSameUpper, false, 2, 2, 5},
    {"same, window smaller than stride", 5, 1, 2, 1, 0, 0, AutoPad::kSameUpper, false, 0, 0, 3},
    {"same beside equal pads", 8, 3, 2, 1, 0, 1, AutoPad::kSameUpper, false, 0, 1, 4},
};

TEST(Window, GeometryOfOneAxis) {
  for (const AxisCase& c : kAxisCases) {
    SCOPED_TRACE(c.name);
    WindowAttrs attrs;
    attrs.strides = {c.stride};
    attrs.dilations = {c.dilation};
    attrs.pads = {c.begin, c.end};
    attrs.auto_pad = c.auto_pad;
    attrs.ceil_mode = c.ceil_mode;
    const auto window = resolve_window(attrs, {c.kernel}, {1, 1, c.in}, "X");
    ASSERT_TRUE(window.ok()) << window.status().message();
    EXPECT_EQ(window->w.pad_begin, c.pad_begin);
    EXPECT_EQ(window->w.pad_end, c.pad_end);
    EXPECT_EQ(window->w.out, c.out);
    EXPECT_EQ(window->h.in, 1);
    EXPECT_EQ(window->h.out, 1);
  }
}

// Counting windows one by one, over a grid.
TEST(Window, CountsEveryWindowThatFits) {
  for (int64_t in = 1; in <= 6; ++in) {
    for (int64_t kernel = 1; kernel <= 3; ++kernel) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t pad = 0; pad < kernel; ++pad) {
          for (const bool ceil_mode : {false, true}) {
            WindowAttrs attrs;
            attrs.strides = {stride};
            attrs.pads = {pad, pad};
            attrs.ceil_mode = ceil_mode;
            int64_t expected = 0;
            for (int64_t begin = -pad; begin < in; begin += stride) {
              const int64_t past = begin + kernel - (in + pad);
              if (past <= 0 || (ceil_mode && past < stride)) ++expected;
            }
            const auto window = resolve_window(attrs, {kernel}, {1, 1, in}, "X");
            ASSERT_EQ(window.ok(), expected > 0) << in << " " << kernel << " " << stride;
            if (expected > 0) {
              EXPECT_EQ(window->w.out, expected)
                  << in << " " << kernel << " " << stride << " " << pad << " " << ceil_mode;
            }
          }
        }
      }
    }
  }
}

TEST(Window, RefusesWhatHasNoGeometry) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  const auto conv = [] { return TestNode("MaxPool", 13).input({1, 1, 5, 5}); };
  const struct {
    const char* attribute;
    std::vector<int64_t> values;
    const char* part;
  } cases[] = {
      {"kernel_shape", {0, 1}, "kernel_shape' (0, 1): expected values from 1"},
      {"kernel_shape", {-3, 1}, "expected values from 1"},
      {"kernel_shape", {3}, "expected 2 values"},
      {"kernel_shape", {6, 1}, "does not fit into the padded extent 5"},
      {"kernel_shape", {kHuge, kHuge}, "expected values from 1"},
      {"strides", {0, 1}, "strides' (0, 1): expected values from 1"},
      {"strides", {-1, 1}, "expected values from 1"},
      {"strides", {1, 1, 1}, "expected 2 values"},
      {"dilations", {0, 1}, "dilations' (0, 1): expected values from 1"},
      {"dilations", {1, 2147483647}, "reaches further"},
      {"pads", {1, 1}, "expected 4 values"},
      {"pads", {-1, 0, 0, 0}, "expected values from 0"},
      {"pads", {kHuge, 0, 0, 0}, "to 2147483647"},
  };
  for (const auto& c : cases) {
    TestNode node = conv().attribute("kernel_shape", ints({2, 2}));
    expect_error(node.attribute(c.attribute, ints(c.values)), StatusCode::kInvalidModel, {c.part});
  }
}

TEST(Window, AutoPadIsCheckedAgainstPadsAndCeilMode) {
  const auto pool = [](const char* auto_pad) {
    return TestNode("MaxPool", 13)
        .attribute("kernel_shape", ints({3}))
        .attribute("strides", ints({2}))
        .attribute("auto_pad", std::string(auto_pad))
        .input({1, 1, 8});
  };
  expect_shape(pool("NOTSET"), {1, 1, 3});
  expect_error(pool("SAME"), StatusCode::kInvalidModel, {"'SAME'", "SAME_UPPER"});
  expect_error(pool("SAME_UPPER").attribute("pads", ints({1, 0})), StatusCode::kInvalidModel,
               {"asks for (1, 0) where auto_pad gives (0, 1)"});
  expect_error(pool("VALID").attribute("ceil_mode", 1), StatusCode::kUnsupported,
               {"auto_pad VALID with ceil_mode"});
}

}  // namespace
}  // namespace tessera
