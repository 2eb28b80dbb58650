// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Softmax on the reference takes no time.
std::vector<std::string> command(std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"accuracy", "--device", "reference", "--operation", "softmax"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(AccuracyCommand, JsonHasARowPerGroupAndKernel) {
  const ProcessResult result = run_infer(command({"--json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_FALSE(document.is_discarded()) << result.out;
  EXPECT_THAT(document.at("device").get<std::string>(), HasSubstr("reference"));
  EXPECT_TRUE(document.at("failures").empty());
  ASSERT_EQ(document.at("rows").size(), 3u) << "float32, float16, bfloat16";
  // The reference computes in double and rounds once: half the distance to the next number.
  for (const auto& [index, roundoff] :
       {std::pair{0, 0x1p-24}, std::pair{1, 0x1p-11}, std::pair{2, 0x1p-8}}) {
    const json& row = document.at("rows").at(static_cast<size_t>(index));
    EXPECT_EQ(row.at("kernel"), "reference_softmax");
    EXPECT_EQ(row.at("operation"), "softmax");
    EXPECT_FALSE(row.at("is_library"));
    EXPECT_GT(row.at("problems"), 0);
    EXPECT_EQ(row.at("refused"), 0);
    EXPECT_GT(row.at("max"), roundoff / 16) << row;
    EXPECT_LE(row.at("max"), roundoff) << row;
    EXPECT_LE(row.at("mean"), row.at("max")) << row;
    EXPECT_THAT(row.at("worst").get<std::string>(), HasSubstr("softmax"));
  }
}

TEST(AccuracyCommand, WritesTheSectionOfAPageAndNothingElse) {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.md");
  std::ofstream(page) << "before\n<!-- begin: accuracy -->\nold\n<!-- end: accuracy -->\nafter\n";
  const ProcessResult result = run_infer(command({"--write", page}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string text = read_file(page);
  EXPECT_TRUE(text.starts_with("before\n<!-- begin: accuracy -->\n")) << text;
  EXPECT_TRUE(text.ends_with("<!-- end: accuracy -->\nafter\n")) << text;
  EXPECT_THAT(text, Not(HasSubstr("old")));
  EXPECT_THAT(text, HasSubstr("| softmax | float16 | - | reference_softmax | 12 |"));
  EXPECT_THAT(text, HasSubstr("`infer accuracy --device reference --operation softmax --write"));
}

TEST(AccuracyCommand, ThePageOfTheDocumentationHasTheSection) {
  const std::string page = read_file(source_path("docs/accuracy.md"));
  EXPECT_THAT(page, HasSubstr("<!-- begin: accuracy -->\n"));
  EXPECT_THAT(page, HasSubstr("<!-- end: accuracy -->"));
}

TEST(AccuracyCommand, AnUnknownOperationNamesThoseThereAre) {
  const ProcessResult result =
      run_infer({"accuracy", "--device", "reference", "--operation", "sofmax"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--operation sofmax"));
  EXPECT_THAT(result.err, HasSubstr("conv, gemm, log-softmax, pool max, pool mean, softmax"));
}

}  // namespace
}  // namespace tessera
