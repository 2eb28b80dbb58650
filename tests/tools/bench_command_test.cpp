// SPDX-License-Identifier: Apache-2.0
// infer bench
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kModel = source_path("models/fashion_mlp.onnx");

std::vector<std::string> bench(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench",      kModel, "--device",     "reference",
                                        "--duration", "0",    "--iterations", "3",
                                        "--warmUp",   "0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BenchTest, JsonKeysAndConsistency) {
  const ProcessResult result = run_infer(bench({"--batch", "1,4", "--dumpProfile", "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_FALSE(document.is_discarded()) << result.out;
  const json& batches = document.at("batches");
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].at("batch"), 1);
  EXPECT_EQ(batches[1].at("batch"), 4);
  for (const json& batch : batches) {
    for (const char* figure : {"host_to_host", "device_only", "enqueue"}) {
      const json& us = batch.at(figure);
      EXPECT_GE(us.at("samples").get<int>(), 3);
      EXPECT_GT(us.at("min_us").get<double>(), 0);
      EXPECT_LE(us.at("min_us").get<double>(), us.at("median_us").get<double>());
      EXPECT_LE(us.at("median_us").get<double>(), us.at("p90_us").get<double>());
      EXPECT_LE(us.at("p90_us").get<double>(), us.at("p95_us").get<double>());
      EXPECT_LE(us.at("p95_us").get<double>(), us.at("p99_us").get<double>());
    }
    // The host's memory is the device's: there is nothing to copy.
    EXPECT_TRUE(batch.at("copy_in").is_null());
    EXPECT_TRUE(batch.at("copy_out").is_null());
    const double mean = batch.at("device_only").at("mean_us").get<double>();
    EXPECT_NEAR(batch.at("device_only_samples_per_second").get<double>(),
                batch.at("batch").get<double>() * 1e6 / mean, 1e-3);
    ASSERT_FALSE(batch.at("profile").empty());
    for (const json& layer : batch.at("profile")) {
      EXPECT_GT(layer.at("us").get<double>(), 0);
      EXPECT_GT(layer.at("bytes").get<double>(), 0);
      EXPECT_FALSE(layer.at("kernel").get<std::string>().empty());
    }
  }
  // Four times the samples are four times the work.
  EXPECT_DOUBLE_EQ(batches[1].at("profile")[0].at("flops").get<double>(),
                   4 * batches[0].at("profile")[0].at("flops").get<double>());
}

TEST(BenchTest, TheHeaderSaysWhatIsInTheFigures) {
  const ProcessResult result = run_infer(bench({"--batch", "2", "--dump-profile"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("float32 | graph off"));
  EXPECT_THAT(result.err, HasSubstr("nothing is copied"));
  EXPECT_THAT(result.out, HasSubstr("2\thost to host\t"));
  EXPECT_THAT(result.out, HasSubstr("2\tcopy in\t-\t-\t-\t-\t-\t-\n"));
  EXPECT_THAT(result.out, HasSubstr("layers at batch 2"));
}

TEST(BenchTest, AFixedBatchIsMeasuredOnce) {
  const TemporaryFolder folder;
  const std::string model = folder.path("model.onnx");
  write_brightest_pixel_model(model);
  const std::string profile = folder.path("profile.json");
  const ProcessResult result =
      run_infer({"bench", model, "--device", "reference", "--duration", "0", "--iterations", "1",
                 "--batch", "1,1", "--exportProfile", profile});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(read_file(profile));
  EXPECT_EQ(document.at("batches").size(), 1U);
  EXPECT_FALSE(document.at("batches")[0].at("profile").empty());
}

TEST(BenchTest, MistakesAreNamed) {
  const ProcessResult zero = run_infer(bench({"--batch", "1,0"}));
  EXPECT_EQ(zero.exit_code, 2);
  EXPECT_THAT(zero.err, HasSubstr("--batch: '0' is not a positive integer"));
  const ProcessResult plan = run_infer(bench({"--batch", "1,2", "--save-plan", "plan.json"}));
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_THAT(plan.err, HasSubstr("a plan is for one batch size"));
  const ProcessResult over = run_infer(bench({"--batch", "1", "--export-profile", kModel}));
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_THAT(over.err, HasSubstr("this run reads that file"));
  const ProcessResult negative = run_infer({"bench", kModel, "--duration", "-1"});
  EXPECT_EQ(negative.exit_code, 2);
  const ProcessResult unknown = run_infer({"bench", kModel, "--dumpprofile"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean --dump-profile?"));
}

// What has no rows to finish ends at once.
TEST(BenchTest, EndsWhenItIsTerminated) {
  ProcessOptions options;
  options.terminate_after_ms = 2000;
  const ProcessResult result =
      run_infer({"bench", kModel, "--device=reference", "--duration=600"}, options);
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace tessera
