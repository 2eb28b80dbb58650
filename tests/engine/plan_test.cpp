// SPDX-License-Identifier: Apache-2.0
// Plans and timing caches as files.
#include "engine/plan/plan.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

#include "engine/plan/timing_cache.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

const DeviceKey kDevice = {"cuda NVIDIA H200", "13.0", "CUDA runtime 13.0; cuBLAS 13.1"};

class PlanFile : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.path("plan.json");
};

Plan example_plan() {
  Plan plan;
  plan.device = kDevice;
  plan.batch = 64;
  plan.precision = "float32";
  plan.layers.push_back({"conv1+relu1", "conv float32 N=64", "conv_direct", {}});
  plan.layers.push_back(
      {"fc", "gemm float32 M=64", "gemm_warp_tile", {12.5, 0.25, "gemm_naive", 40}});
  return plan;
}

TEST_F(PlanFile, ComesBackAsItWasSaved) {
  ASSERT_TRUE(save_plan(example_plan(), path_).ok());
  const auto plan = load_plan(path_);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->mismatch(kDevice, 64, "float32"), "");
  ASSERT_EQ(plan->layers.size(), 2u);
  EXPECT_FALSE(plan->layers[0].evidence.microseconds);
  const PlanEntry* fc = plan->find("fc", "gemm float32 M=64");
  ASSERT_NE(fc, nullptr);
  EXPECT_EQ(fc->kernel, "gemm_warp_tile");
  EXPECT_EQ(fc->evidence.microseconds, 12.5);
  EXPECT_EQ(fc->evidence.error, 0.25);
  EXPECT_EQ(fc->evidence.runner_up, "gemm_naive");
  EXPECT_EQ(fc->evidence.runner_up_microseconds, 40.0);
  EXPECT_EQ(plan->find("fc", "gemm float32 M=1"), nullptr);
}

TEST_F(PlanFile, SavingReplacesTheOldFileAndLeavesNothingBeside) {
  write_file(path_, std::string(100000, 'x'));
  ASSERT_TRUE(save_plan(example_plan(), path_).ok());
  EXPECT_TRUE(load_plan(path_).ok());
  const std::filesystem::directory_iterator files(std::filesystem::path(path_).parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  EXPECT_EQ(save_plan(example_plan(), folder_.path("nowhere/plan.json")).code(),
            StatusCode::kNotFound);
  EXPECT_EQ(save_plan(example_plan(), "/dev/null").code(), StatusCode::kInvalidArgument);
}

TEST_F(PlanFile, ABrokenFileIsAUsageErrorThatNamesIt) {
  for (const char* text :
       {"", "{", "[]", "7", "{}", R"({"plan_format": 2})", R"({"plan_format": "1"})",
        R"({"plan_format": 1})",
        R"({"plan_format": 1, "device": 1, "driver": "", "libraries": "", "batch": 1})",
        R"({"plan_format": 1, "device": "", "driver": "", "libraries": "", "batch": 1,
            "precision": "float32", "layers": [{"layer": "a"}]})"}) {
    write_file(path_, text);
    const Status status = load_plan(path_).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(status.message(), HasSubstr(path_ + ": not a plan")) << text;
  }
  EXPECT_EQ(load_plan(folder_.path("none")).status().code(), StatusCode::kNotFound);
}

class TimingCacheFile : public PlanFile {};

TEST_F(TimingCacheFile, KeepsWhatWasAddedByDevice) {
  auto cache = std::move(*TimingCache::load(path_));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(cache.add(kDevice, "gemm", "a", {10.0, 0.5}).ok());
  ASSERT_TRUE(cache.add(kDevice, "gemm", "a", {12.0, 0.5}).ok());
  ASSERT_TRUE(cache.add(kDevice, "gemm", "b", {5.0, kInfinity}).ok());
  const auto again = std::move(*TimingCache::load(path_));
  EXPECT_EQ(again.broken_lines(), 0u);
  ASSERT_NE(again.find(kDevice, "gemm", "a"), nullptr);
  EXPECT_EQ(again.find(kDevice, "gemm", "a")->microseconds, 12.0) << "the last one counts";
  ASSERT_NE(again.find(kDevice, "gemm", "b"), nullptr);
  EXPECT_FALSE(again.find(kDevice, "gemm", "b")->is_correct());
  DeviceKey other = kDevice;
  other.driver = "13.1";
  EXPECT_EQ(again.find(other, "gemm", "a"), nullptr);
  EXPECT_EQ(again.find(kDevice, "conv", "a"), nullptr);
}

TEST_F(TimingCacheFile, BrokenLinesAreSkippedAndCounted) {
  auto cache = std::move(*TimingCache::load(path_));
  ASSERT_TRUE(cache.add(kDevice, "gemm", "a", {10.0, 0.5}).ok());
  std::ofstream(path_, std::ios::app) << R"({"device": "x"})"
                                      << "\n"
                                      << R"({"device": "cu)";
  // The open last line is closed before the next is written.
  ASSERT_TRUE(cache.add(kDevice, "gemm", "b", {20.0, 0.5}).ok());
  const auto again = std::move(*TimingCache::load(path_));
  EXPECT_EQ(again.broken_lines(), 2u);
  EXPECT_NE(again.find(kDevice, "gemm", "a"), nullptr);
  EXPECT_NE(again.find(kDevice, "gemm", "b"), nullptr);
}

TEST_F(TimingCacheFile, AnotherKindOfFileIsNeitherReadNorWritten) {
  write_file(path_, "precious\n");
  EXPECT_EQ(TimingCache::load(path_).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TimingCacheFile, SeveralWritersLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kEach = 50;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      auto cache = std::move(*TimingCache::load(path_));
      for (int i = 0; i < kEach; ++i) {
        const std::string kernel = std::to_string(w) + "_" + std::to_string(i);
        EXPECT_TRUE(cache.add(kDevice, "gemm", kernel, {1.0 + i, 0.5}).ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto cache = std::move(*TimingCache::load(path_));
  EXPECT_EQ(cache.broken_lines(), 0u);
  for (int w = 0; w < kWriters; ++w) {
    for (int i = 0; i < kEach; ++i) {
      EXPECT_NE(cache.find(kDevice, "gemm", std::to_string(w) + "_" + std::to_string(i)), nullptr);
    }
  }
}

}  // namespace
}  // namespace tessera
