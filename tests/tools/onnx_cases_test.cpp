// SPDX-License-Identifier: Apache-2.0
// infer check DIR: folders of ONNX tests.
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class OnnxCasesTest : public ::testing::Test {
 protected:
  // A test of y = op(x) for three numbers.
  void write_case(const std::string& name, const std::string& op, const Tensor& input,
                  const Tensor& output) {
    const std::string set = folder_.path(name) + "/test_data_set_0";
    std::filesystem::create_directories(set);
    OnnxBuilder builder;
    builder.input("x", DType::kF32, {3}).node(op, {"x"}, {"y"}, {}, "the_node").output("y");
    builder.write(folder_.path(name + "/model.onnx"));
    write_file(set + "/input_0.pb", tensor_proto_bytes(input));
    write_file(set + "/output_0.pb", tensor_proto_bytes(output, "y"));
  }
  static Tensor three(float a, float b, float c) {
    return Tensor::from_values<float>(Shape({3}), {a, b, c});
  }
  ProcessResult check(const std::string& path, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"check", folder_.path(path), "--json"};
    if (std::find(more.begin(), more.end(), "--device") == more.end()) {
      arguments.insert(arguments.end(), {"--device", "reference"});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_infer(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(OnnxCasesTest, CountsPassedFailedAndUnsupportedWithReasons) {
  write_case("node/good", "Relu", three(-1, 2, 3), three(0, 2, 3));
  write_case("node/wrong", "Relu", three(-1, 2, 3), three(0, 2, 3.5F));
  write_case("node/unknown", "NoSuchOp", three(-1, 2, 3), three(0, 2, 3));
  const ProcessResult result = check(".");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const json document = result.json();
  ASSERT_FALSE(document.is_discarded());
  EXPECT_EQ(document.at("passed"), 1);
  EXPECT_EQ(document.at("failed"), 1);
  EXPECT_EQ(document.at("unsupported"), 1);
  ASSERT_EQ(document.at("cases").size(), 3U);
  EXPECT_EQ(document.at("cases")[0].at("name"), "node/good");
  EXPECT_EQ(document.at("cases")[0].at("result"), "passed");
  EXPECT_THAT(document.at("cases")[1].at("reason").get<std::string>(), HasSubstr("NoSuchOp"));
  EXPECT_THAT(document.at("cases")[2].at("reason").get<std::string>(),
              HasSubstr("worst element (2): got 3, expected 3.5"));
}

TEST_F(OnnxCasesTest, OneCaseMayBeGivenByItself) {
  write_case("good", "Relu", three(-1, 2, 3), three(0, 2, 3));
  const ProcessResult result = check("good");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json().at("cases")[0].at("name"), "good");
}

TEST_F(OnnxCasesTest, NanEqualsNanAndInfinityItself) {
  write_case("special", "Identity", three(kNan, kInfinity, -kInfinity),
             three(kNan, kInfinity, -kInfinity));
  EXPECT_EQ(check("special").exit_code, 0);
}

TEST_F(OnnxCasesTest, NanIsNoNumberAndTheInfinitiesDiffer) {
  write_case("nan", "Identity", three(kNan, 1, 2), three(0, 1, 2));
  write_case("number", "Identity", three(0, 1, 2), three(kNan, 1, 2));
  write_case("sign", "Identity", three(kInfinity, 1, 2), three(-kInfinity, 1, 2));
  write_case("large", "Identity", three(3e38F, 1, 2), three(kInfinity, 1, 2));
  EXPECT_EQ(check(".").json().at("failed"), 4);
}

TEST_F(OnnxCasesTest, TolerancesAreRelativeAndAbsolute) {
  write_case("near", "Identity", three(1.0005F, 0, 0), three(1, 0, 0));
  EXPECT_EQ(check("near").exit_code, 0);
  EXPECT_EQ(check("near", {"--rtol", "1e-4"}).exit_code, 1);
  EXPECT_EQ(check("near", {"--rtol", "0", "--atol", "0.001"}).exit_code, 0);
}

TEST_F(OnnxCasesTest, AnotherShapeIsAFailure) {
  write_case("shape", "Relu", three(1, 2, 3),
             Tensor::from_values<float>(Shape({1, 3}), {1.0F, 2.0F, 3.0F}));
  EXPECT_THAT(check("shape").json().at("cases")[0].at("reason").get<std::string>(),
              HasSubstr("expected float32 (1, 3)"));
}

TEST_F(OnnxCasesTest, NothingThatCanRunIsExitCodeThree) {
  write_case("unknown", "NoSuchOp", three(1, 2, 3), three(1, 2, 3));
  EXPECT_EQ(check(".").exit_code, 3);
}

TEST_F(OnnxCasesTest, FolderWithoutCasesIsAUsageError) {
  std::filesystem::create_directory(folder_.path("empty"));
  const ProcessResult result = check("empty");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("test_data_set_"));
}

// One entry per kernel in `cache`: `slow` takes a second, every other a microsecond.
void slow_down(const std::string& cache, const std::string& slow) {
  std::istringstream lines(read_file(cache));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    json row = json::parse(line);
    if (row.contains("kernel")) row["microseconds"] = row.at("kernel") == slow ? 1e6 : 1.0;
    text += row.dump() + "\n";
  }
  write_file(cache, text);
}

TEST_F(OnnxCasesTest, TheTimingCacheChoosesTheKernels) {
  if (!has_device("cpu")) GTEST_SKIP() << "the reference has one kernel of each kind";
  write_case("one", "Sigmoid", three(0, 0, 0), three(0.5F, 0.5F, 0.5F));
  const std::string cache = folder_.path("timings");
  const std::vector<std::string> options = {"--device", "cpu", "--timing-cache", cache};
  const auto kernels = [&] { return check("one", options).json().at("cases")[0].at("kernels"); };
  const json by_order = kernels();
  ASSERT_EQ(by_order.size(), 1U);
  ASSERT_EQ(run_infer({"tune", folder_.path("one/model.onnx"), "--device", "cpu", "--timing-cache",
                       cache})
                .exit_code,
            0);
  slow_down(cache, by_order[0]);
  const json by_time = kernels();
  ASSERT_EQ(by_time.size(), 1U);
  EXPECT_NE(by_time, by_order);
}

TEST_F(OnnxCasesTest, ForcedKernelsAreThoseThatRan) {
  if (!has_device("cpu")) GTEST_SKIP() << "the reference has one kernel of each kind";
  write_case("one", "Sigmoid", three(0, 0, 0), three(0.5F, 0.5F, 0.5F));
  for (const char* kernel : {"cpu_unary", "onednn_eltwise"}) {
    const ProcessResult result = check("one", {"--device", "cpu", "--backend", kernel});
    EXPECT_EQ(result.json().at("cases")[0].at("kernels"), json::array({kernel})) << result.err;
  }
}

}  // namespace
}  // namespace tessera
