// SPDX-License-Identifier: Apache-2.0
// infer kernels
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A family on the reference, as quickly as possible.
std::vector<std::string> kernels(const std::string& family, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"kernels",  family, "--device",    "reference",
                                        "--budget", "0",    "--megabytes", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(KernelsTest, ListsTheLaddersWithoutAFamily) {
  const ProcessResult result = run_infer({"kernels", "--device", "reference"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("gemm\treference_gemm\t"));
}

TEST(KernelsTest, JsonKeysOfAProduct) {
  const ProcessResult result = run_infer(
      kernels("gemm", {"--sizes", "8,33", "--shapes", "5x7x3", "--transpose-b", "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_FALSE(document.is_discarded()) << result.out;
  EXPECT_EQ(document.at("family"), "gemm");
  EXPECT_THAT(document.at("command").get<std::string>(), StartsWith("infer kernels gemm"));
  const json& problems = document.at("problems");
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].at("name"), "5x7x3");
  EXPECT_EQ(problems[0].at("flops"), 2 * 5 * 7 * 3);
  EXPECT_EQ(problems[0].at("bytes"), 4 * (5 * 3 + 7 * 3 + 5 * 7));
  EXPECT_THAT(problems[2].at("problem").get<std::string>(), HasSubstr("M=33 N=33 K=33 B^T"));
  for (const json& problem : problems) {
    ASSERT_EQ(problem.at("rows").size(), 1U);
    const json& row = problem.at("rows")[0];
    EXPECT_EQ(row.at("kernel"), "reference_gemm");
    EXPECT_GT(row.at("median_us").get<double>(), 0);
    EXPECT_LE(row.at("min_us").get<double>(), row.at("median_us").get<double>());
    EXPECT_GE(row.at("samples").get<int>(), 2);
    EXPECT_LE(row.at("error").at("worst_ratio").get<double>(), 1);
    EXPECT_NEAR(row.at("flops_per_second").get<double>() * row.at("median_us").get<double>() * 1e-6,
                problem.at("flops").get<double>(), 1e-3);
    EXPECT_TRUE(row.at("of_roof").is_null());
  }
}

TEST(KernelsTest, EveryFamilyRuns) {
  for (const std::string family : {"pool", "softmax", "reduce", "unary", "binary", "cast",
                                   "batch_norm", "transpose", "reorder", "image"}) {
    const ProcessResult result = run_infer(kernels(family, {"--json"}));
    ASSERT_EQ(result.exit_code, 0) << family << result.err;
    const json document = result.json();
    for (const json& problem : document.at("problems")) {
      const json& rows = problem.at("rows");
      ASSERT_GE(rows.size(), 2U) << family;
      EXPECT_TRUE(rows[0].contains("median_us")) << rows[0];
      EXPECT_EQ(rows.back().at("kernel"), "device copy");
      EXPECT_TRUE(rows.back().at("error").is_null());
    }
  }
}

TEST(KernelsTest, TableRefusalsAndTheVendorsColumn) {
  const ProcessResult narrow = run_infer(kernels("softmax", {"--dtype", "bf16"}));
  EXPECT_EQ(narrow.exit_code, 0) << narrow.err;
  EXPECT_THAT(narrow.out, HasSubstr("relative error\n"));
  if (!has_device("cpu")) GTEST_SKIP() << "no oneDNN";
  const ProcessResult result =
      run_infer({"kernels", "gemm", "--device", "cpu", "--sizes", "16", "--budget", "0", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  double best = 0;
  const json document = result.json();
  for (const json& row : document.at("problems")[0].at("rows")) {
    if (row.contains("of_vendor")) best = std::max(best, row.at("of_vendor").get<double>());
  }
  EXPECT_DOUBLE_EQ(best, 1.0);
}

TEST(KernelsTest, WritesBetweenTheMarkersOfAPage) {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.md");
  std::ofstream(page) << "before\n<!-- begin: kernels gemm -->\nold\n<!-- end: kernels gemm -->\n"
                         "after\n";
  const std::string file = folder.path("rows.json");
  ProcessOptions options;
  options.environment = {{"TESSERA_COMMIT", "abc123"}};
  const ProcessResult result =
      run_infer(kernels("gemm", {"--sizes", "8", "--write", page, "--json", file}), options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string text = read_file(page);
  EXPECT_THAT(text, AllOf(StartsWith("before\n<!-- begin: kernels gemm -->\n"),
                          HasSubstr("commit abc123"), HasSubstr("| 8 | reference_gemm | "),
                          HasSubstr("<!-- end: kernels gemm -->\nafter\n")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("old")));
  EXPECT_EQ(json::parse(read_file(file)).at("commit"), "abc123");
  EXPECT_THAT(result.out, HasSubstr("8\treference_gemm\t"));
}

TEST(KernelsTest, MistakesAreNamed) {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.md");
  std::ofstream(page) << "no markers\n";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"kernels", "gem"}, "did you mean gemm?"},
      {{"kernels", "gemm", "--sizes", "12,x"}, "'x' is not a positive integer"},
      {{"kernels", "gemm", "--sizes", "12,"}, "'' is not a positive integer"},
      {{"kernels", "gemm", "--shapes", "1x2"}, "--shapes 1x2: must be MxNxK"},
      {{"kernels", "gemm", "--dtype", "f99"}, "--dtype f99: must be f32, tf32, f16 or bf16"},
      {{"kernels", "softmax", "--dtype", "tf32"}, "only gemm and conv"},
      {{"kernels", "conv", "--preset", "vgg"}, "--preset vgg"},
      {{"kernels", "gemm", "--kernel", "reference_gem", "--device", "reference"},
       "did you mean reference_gemm?"},
      {{"kernels", "--json", "gemm"}, "put the family first"},
      {kernels("gemm", {"--sizes", "8", "--write", page}), "<!-- begin: kernels gemm -->"}};
  for (const auto& [arguments, message] : cases) {
    const ProcessResult result = run_infer(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  EXPECT_EQ(read_file(page), "no markers\n");
}

}  // namespace
}  // namespace tessera
