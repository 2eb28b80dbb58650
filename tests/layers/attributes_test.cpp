// SPDX-License-Identifier: Apache-2.0
#include "layers/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(AttributeReader, ReadsEachTypeAndFallsBackToTheDefault) {
  const Attributes attributes = {{"axis", int64_t{3}},          {"alpha", 0.5f},
                                 {"mode", std::string("edge")}, {"pads", ints({1, 2})},
                                 {"scales", floats({0.25f})},   {"value", int64_list({7})}};
  AttributeReader reader(attributes);
  EXPECT_EQ(reader.integer("axis", 1), 3);
  EXPECT_EQ(reader.real("alpha", 1.0f), 0.5f);
  EXPECT_EQ(reader.text("mode", "constant"), "edge");
  EXPECT_THAT(reader.integers("pads"), ElementsAre(1, 2));
  EXPECT_THAT(reader.reals("scales"), ElementsAre(0.25f));
  const auto tensor = reader.tensor("value");
  ASSERT_TRUE(tensor.has_value());
  EXPECT_EQ(tensor->values<int64_t>()[0], 7);

  EXPECT_EQ(reader.integer("absent", -4), -4);
  EXPECT_EQ(reader.text("none", "x"), "x");
  EXPECT_THAT(reader.integers("nothing", {9}), ElementsAre(9));
  EXPECT_FALSE(reader.tensor("no_tensor").has_value());
  EXPECT_TRUE(reader.finish().ok());
}

TEST(AttributeReader, ReportsAllProblemsAtOnce) {
  const Attributes attributes = {
      {"axis", 1.0f}, {"pads", int64_t{1}}, {"mystery", int64_t{1}}, {"momentum", 0.9f}};
  AttributeReader reader(attributes);
  EXPECT_EQ(reader.integer("axis", 5), 5);
  EXPECT_TRUE(reader.integers("pads").empty());
  reader.require("kernel_shape");
  reader.ignore("momentum");
  const Status status = reader.finish();
  EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
  EXPECT_EQ(status.message(),
            "attribute 'axis' is a float, expected an integer\n"
            "attribute 'pads' is an integer, expected a list of integers\n"
            "the required attribute 'kernel_shape' is missing\n"
            "attribute 'mystery' does not belong to this operator at this opset");
}

TEST(AttributeReader, LayersReportUnknownAndWronglyTypedAttributes) {
  expect_error(TestNode("Relu", 13).attribute("alpha", 0.5f).input({2}), StatusCode::kInvalidModel,
               {"attribute 'alpha' does not belong to this operator"});
  expect_error(TestNode("Softmax", 13).attribute("axis", 1.0f).input({2, 3}),
               StatusCode::kInvalidModel, {"attribute 'axis' is a float, expected an integer"});
}

}  // namespace
}  // namespace tessera
