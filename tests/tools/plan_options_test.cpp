// SPDX-License-Identifier: Apache-2.0
// --save-plan, --load-plan and --timing-cache of the commands that run a model.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class PlanOptions : public ::testing::Test {
 protected:
  PlanOptions() {
    write_brightest_pixel_model(model_);
    write_pixel(picture_, 2);
    write_idx_pictures(images_, 6);
    write_idx_labels(labels_, {0, 1, 2, 3, 0, 1});
  }

  ProcessResult explain(std::vector<std::string> options) {
    options.insert(options.begin(), {"explain", model_, "--device=reference", "--batch=1"});
    return run_infer(options);
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx");
  std::string picture_ = folder_.path("picture.pgm");
  std::string images_ = folder_.path("images-idx3-ubyte");
  std::string labels_ = folder_.path("labels-idx1-ubyte");
  std::string plan_ = folder_.path("plan.json");
};

TEST_F(PlanOptions, ASavedPlanHasTheDocumentedKeysAndIsFollowed) {
  ASSERT_EQ(explain({"--save-plan", plan_}).exit_code, 0);
  const json plan = json::parse(read_file(plan_));
  for (const char* key : {"plan_format", "device", "driver", "libraries", "batch", "precision"}) {
    EXPECT_TRUE(plan.contains(key)) << key;
  }
  ASSERT_EQ(plan.at("layers").size(), 1u);
  EXPECT_EQ(plan.at("layers")[0].at("layer"), "scale");
  EXPECT_EQ(plan.at("layers")[0].at("kernel"), "reference_binary");
  for (const char* key : {"problem", "microseconds", "error", "runner_up"}) {
    EXPECT_TRUE(plan.at("layers")[0].contains(key)) << key;
  }
  const ProcessResult with_plan = explain({"--load-plan", plan_});
  EXPECT_THAT(with_plan.out, HasSubstr("chosen reference_binary: from plan " + plan_));
  EXPECT_EQ(with_plan.err, "");
}

TEST_F(PlanOptions, EveryCommandTakesThem) {
  const std::vector<std::vector<std::string>> commands = {
      {model_, picture_}, {"eval", model_, images_, labels_}, {"check", model_}};
  for (std::vector<std::string> command : commands) {
    std::filesystem::remove(plan_);
    command.insert(command.end(), {"--device=reference", "--save-plan", plan_});
    const ProcessResult saved = run_infer(command);
    EXPECT_EQ(saved.exit_code, 0) << saved.err;
    command[command.size() - 2] = "--load-plan";
    const ProcessResult loaded = run_infer(command);
    EXPECT_EQ(loaded.exit_code, 0) << loaded.err;
    EXPECT_THAT(loaded.err, Not(HasSubstr("ignored"))) << command[0];
  }
}

TEST_F(PlanOptions, AStalePlanCostsOneLineAndNothingElse) {
  ASSERT_EQ(explain({"--save-plan", plan_}).exit_code, 0);
  const ProcessResult result = run_infer(
      {"eval", model_, images_, labels_, "--device=reference", "--load-plan", plan_, "--quiet"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "infer: plan " + plan_ +
                            " is for batch 1, this network has 6; it is ignored: make one for this "
                            "with infer tune MODEL --save-plan\n");
}

TEST_F(PlanOptions, BrokenFilesAreUsageErrors) {
  write_file(plan_, "{");
  for (const char* option : {"--load-plan", "--timing-cache"}) {
    const ProcessResult result = explain({option, plan_});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(plan_ + ": not a ")) << option;
  }
  EXPECT_EQ(explain({"--load-plan", folder_.path("none")}).exit_code, 2);
}

TEST_F(PlanOptions, WhatTheRunReadsIsNotWrittenOver) {
  const std::string before = read_file(model_);
  EXPECT_EQ(explain({"--save-plan", model_}).exit_code, 2);
  EXPECT_EQ(run_infer({model_, picture_, "--save-plan", picture_}).exit_code, 2);
  EXPECT_EQ(run_infer({"check", model_, "--save-plan", model_}).exit_code, 2);
  EXPECT_EQ(read_file(model_), before);
}

TEST_F(PlanOptions, AFolderOfTestsTakesNoPlan) {
  const ProcessResult result = run_infer({"check", folder_.path("."), "--save-plan", plan_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("for one model"));
}

TEST_F(PlanOptions, ThePrecisionIsInTheHeaderAndInThePlan) {
  const ProcessResult half =
      run_infer({model_, picture_, "--device=reference", "--fp16", "--save-plan", plan_});
  EXPECT_EQ(half.exit_code, 0) << half.err;
  EXPECT_THAT(half.err, HasSubstr("| float16 | batch 1 |"));
  EXPECT_EQ(half.out, picture_ + "\tbottom left\t1\n");
  EXPECT_EQ(json::parse(read_file(plan_)).at("precision"), "float16");
  EXPECT_THAT(explain({"--load-plan", plan_}).err, HasSubstr("is for precision 'float16'"));
}

TEST_F(PlanOptions, PrecisionsThatMakeNoSenseAreUsageErrors) {
  EXPECT_EQ(explain({"--fp16", "--bf16"}).exit_code, 2);
  EXPECT_THAT(explain({"--layer-precisions", "scale:fp8"}).err, HasSubstr("must be one of fp32"));
  EXPECT_THAT(explain({"--layer-precisions", "nowhere:fp16"}).err, HasSubstr("'nowhere'"));
  EXPECT_EQ(run_infer({"check", folder_.path("."), "--fp16"}).exit_code, 2);
}

}  // namespace
}  // namespace tessera
