// SPDX-License-Identifier: Apache-2.0
// infer tune
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TuneCommand : public ::testing::Test {
 protected:
  TuneCommand() { write_brightest_pixel_model(model_); }

  ProcessResult tune(std::vector<std::string> options) {
    options.insert(options.begin(), {"tune", model_, "--device=reference", "--batch=2"});
    return run_infer(options);
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx");
  std::string cache_ = folder_.path("timings");
  std::string plan_ = folder_.path("plan.json");
};

TEST_F(TuneCommand, JsonHasTheDocumentedKeys) {
  const ProcessResult result = tune({"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_TRUE(document.is_object());
  for (const char* key :
       {"model", "device", "precision", "batch", "measured", "known", "remaining", "layers"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document.at("remaining"), 0);
  ASSERT_EQ(document.at("layers").size(), 1U);
  const json& layer = document.at("layers")[0];
  for (const char* key : {"name", "problem", "kernel", "reason", "candidates"}) {
    EXPECT_TRUE(layer.contains(key)) << key;
  }
  const json& candidate = layer.at("candidates")[0];
  for (const char* key :
       {"kernel", "chosen", "microseconds", "error", "correct", "roof_fraction", "reason"}) {
    EXPECT_TRUE(candidate.contains(key)) << key;
  }
  EXPECT_EQ(candidate.at("chosen"), true);
  EXPECT_GT(candidate.at("microseconds").get<double>(), 0.0);
}

TEST_F(TuneCommand, TheCacheIsFilledAndThePlanIsFollowed) {
  const ProcessResult first = tune({"--timing-cache", cache_, "--save-plan", plan_});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("1 measured, 0 known"));
  EXPECT_THAT(first.out, HasSubstr("scale\treference_binary\t*\t"));
  const ProcessResult second = tune({"--timing-cache", cache_});
  EXPECT_THAT(second.err, HasSubstr("0 measured, 1 known"));
  const std::vector<std::string> explain = {"explain", model_, "--device=reference", "--batch=2"};
  std::vector<std::string> with_plan = explain;
  with_plan.insert(with_plan.end(), {"--load-plan", plan_});
  EXPECT_THAT(run_infer(with_plan).out,
              HasSubstr("chosen reference_binary: from plan " + plan_ + " ("));
  std::vector<std::string> with_cache = explain;
  with_cache.insert(with_cache.end(), {"--timing-cache", cache_});
  EXPECT_THAT(run_infer(with_cache).out, HasSubstr("chosen reference_binary: timing cache ("));
}

TEST_F(TuneCommand, WithoutTimeNothingIsMeasuredAndTheRunSaysHowToGoOn) {
  const ProcessResult result = tune({"--time-limit", "0.000001"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 not measured"));
  EXPECT_THAT(result.err, HasSubstr("--timing-cache"));
  EXPECT_THAT(result.out, HasSubstr("not measured"));
}

TEST_F(TuneCommand, BadOptionsAreUsageErrors) {
  EXPECT_EQ(tune({"--time-limit", "0"}).exit_code, 2);
  EXPECT_EQ(tune({"--load-plan", plan_}).exit_code, 2);
  write_file(cache_, "precious");
  EXPECT_EQ(tune({"--timing-cache", cache_}).exit_code, 2);
  EXPECT_EQ(read_file(cache_), "precious");
}

}  // namespace
}  // namespace tessera
