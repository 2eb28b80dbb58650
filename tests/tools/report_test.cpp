// SPDX-License-Identifier: Apache-2.0
// The sub-commands that report: eval, explain, check, ops, device, doctor, and their --json keys.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class EvalTest : public ::testing::Test {
 protected:
  EvalTest() {
    write_brightest_pixel_model(model_);
    write_idx_pictures(images_, 6);  // answers 0 1 2 3 0 1
    write_idx_labels(labels_, {0, 1, 2, 3, 1, 1});
  }
  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx");
  std::string images_ = folder_.path("images-idx3-ubyte");
  std::string labels_ = folder_.path("labels-idx1-ubyte");
};

TEST_F(EvalTest, CountsAndTheJsonKeys) {
  const ProcessResult result = run_infer({"eval", model_, images_, labels_, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_FALSE(document.is_discarded());
  EXPECT_EQ(document.at("images"), 6);
  EXPECT_EQ(document.at("correct"), 5);
  EXPECT_EQ(document.at("failed"), 0);
  EXPECT_DOUBLE_EQ(document.at("accuracy").get<double>(), 5.0 / 6.0);
  EXPECT_EQ(document.at("labels"), json({"top left", "top right", "bottom left", "bottom right"}));
  EXPECT_EQ(document.at("confusion"), json::parse("[[1,0,0,0],[1,2,0,0],[0,0,1,0],[0,0,0,1]]"));
  EXPECT_DOUBLE_EQ(document.at("classes")[0].at("precision").get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(document.at("classes")[0].at("recall").get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(document.at("classes")[1].at("recall").get<double>(), 2.0 / 3.0);
}

TEST_F(EvalTest, TextStatesAccuracyAndConfusion) {
  const ProcessResult result = run_infer({"eval", model_, images_, labels_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("accuracy 0.8333 (5 of 6 images, 0 failed)"));
  EXPECT_THAT(result.out, HasSubstr("top right\t1\t2\t0\t0\n"));
}

TEST_F(EvalTest, MismatchedCountsAreAnError) {
  write_idx_labels(labels_, {0, 1, 2});
  const ProcessResult result = run_infer({"eval", model_, images_, labels_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("holds 6 images"));
  EXPECT_THAT(result.err, HasSubstr("holds 3 labels"));
}

TEST_F(EvalTest, LabelOutsideTheClassesIsAnError) {
  write_idx_labels(labels_, {0, 1, 2, 9, 0, 1});
  const ProcessResult result = run_infer({"eval", model_, images_, labels_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("label 9"));
}

TEST_F(EvalTest, LabelsByNameFindTheirPictures) {
  std::filesystem::create_directory(folder_.path("pictures"));
  write_pixel(folder_.path("pictures/one.pgm"), 1);
  write_pixel(folder_.path("pictures/three.pgm"), 3);
  write_file(folder_.path("labels.csv"), "name,label\nthree.pgm,3\none.pgm,1\n");
  const json document =
      run_infer({"eval", model_, folder_.path("pictures"), folder_.path("labels.csv"), "--json"})
          .json();
  EXPECT_EQ(document.at("correct"), 2);
  write_file(folder_.path("labels.csv"), "name,label\nthree.pgm,3\ntwo.pgm,1\n");
  const ProcessResult missing =
      run_infer({"eval", model_, folder_.path("pictures"), folder_.path("labels.csv")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("one.pgm"));
}

TEST_F(EvalTest, FailedPictureIsCountedAndIsExitCodeOne) {
  std::filesystem::create_directory(folder_.path("pictures"));
  write_pixel(folder_.path("pictures/one.pgm"), 1);
  write_file(folder_.path("pictures/two.pgm"), "P5\n2 2\n255\n");
  write_file(folder_.path("labels.csv"), "name,label\none.pgm,1\ntwo.pgm,1\n");
  const ProcessResult result =
      run_infer({"eval", model_, folder_.path("pictures"), folder_.path("labels.csv"), "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.json().at("failed"), 1);
  EXPECT_EQ(result.json().at("images"), 2);
  EXPECT_DOUBLE_EQ(result.json().at("accuracy").get<double>(), 0.5);
}

TEST_F(EvalTest, ExplainHasTheDocumentedKeys) {
  const ProcessResult result =
      run_infer({"explain", model_, "--device", "reference", "--batch", "3", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_FALSE(document.is_discarded());
  EXPECT_EQ(document.at("inputs"), json({"x float32 (batch, 1, 2, 2)"}));
  EXPECT_EQ(document.at("batch"), 3);
  for (const char* key :
       {"producer", "ir_version", "opset", "outputs", "device", "notes", "graph", "passes"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  ASSERT_FALSE(document.at("steps").empty());
  for (const char* key : {"name", "problem", "family", "kernel", "reason", "microseconds", "error",
                          "runner_up", "alternatives", "refused", "flops", "output_offset_bytes",
                          "output_bytes", "workspace_bytes"}) {
    EXPECT_TRUE(document.at("steps")[0].contains(key)) << key;
  }
  EXPECT_EQ(document.at("steps")[0].at("output_bytes"), 3 * 4 * 4);
  for (const char* key : {"arena_bytes", "without_reuse_bytes", "weights_bytes"}) {
    EXPECT_TRUE(document.at("memory").contains(key)) << key;
  }
  const ProcessResult text = run_infer({"explain", model_, "--device", "reference"});
  EXPECT_THAT(text.out, HasSubstr("memory   arena "));
  EXPECT_THAT(text.out, HasSubstr("scale"));
}

TEST_F(EvalTest, CheckComparesEveryGroup) {
  const ProcessResult result = run_infer({"check", model_, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  EXPECT_EQ(document.at("ok"), true);
  ASSERT_FALSE(document.at("steps").empty());
  for (const char* key :
       {"name", "kernel", "ok", "worst_error", "worst_tolerance", "worst_ratio", "worst_element"}) {
    EXPECT_TRUE(document.at("steps")[0].contains(key)) << key;
  }
}

TEST_F(EvalTest, CheckReplaysGoldensAndFindsAWrongOne) {
  write_pixel(folder_.path("golden.pgm"), 1);
  std::string sidecar = read_file(folder_.path("model.infer.json"));
  const auto with_golden = [&](const std::string& score) {
    return sidecar.substr(0, sidecar.rfind('}')) +
           R"(, "golden": [{"image": "golden.pgm", "top5": [)"
           R"({"label": "top right", "index": 1, "score": )" +
           score + "}]}]}";
  };
  write_file(folder_.path("model.infer.json"), with_golden("1.0"));
  const ProcessResult right = run_infer({"check", model_, "--json"});
  EXPECT_EQ(right.exit_code, 0) << right.err;
  ASSERT_EQ(right.json().at("goldens").size(), 1U);
  EXPECT_EQ(right.json().at("goldens")[0].at("ok"), true);
  write_file(folder_.path("model.infer.json"), with_golden("0.9"));
  const ProcessResult wrong = run_infer({"check", model_, "--json"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.json().at("goldens")[0].at("ok"), false);
}

TEST(ReportTest, OpsListsTheTables) {
  const ProcessResult result = run_infer({"ops", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const json document = result.json();
  bool has_conv = false;
  for (const json& row : document.at("operators")) {
    for (const char* key : {"op", "domain", "first_opset", "newest_opset", "note"}) {
      EXPECT_TRUE(row.contains(key)) << row;
    }
    has_conv = has_conv || row.at("op") == "Conv";
  }
  EXPECT_TRUE(has_conv);
  EXPECT_THAT(run_infer({"ops"}).out, HasSubstr("Conv\tai.onnx\t"));
}

TEST(ReportTest, DeviceMeasuresTheReferenceDevice) {
  const ProcessResult result = run_infer({"device", "--device", "reference", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  ASSERT_EQ(document.at("devices").size(), 1U);
  const json& device = document.at("devices")[0];
  EXPECT_EQ(device.at("backend"), "reference");
  EXPECT_TRUE(device.at("copies").is_null());
  EXPECT_GT(device.at("launch_us").get<double>(), 0.0);
  EXPECT_TRUE(device.at("graph_us").is_null());
}

TEST(ReportTest, DeviceWithoutAGpuSaysWhyAndIsNoError) {
  if (has_device("cuda")) GTEST_SKIP() << "this machine has a CUDA device";
  const ProcessResult result = run_infer({"device"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no cuda device: "));
}

TEST(ReportTest, DeviceMeasuresCopiesAndGraphsOfAGpu) {
  if (!has_device("cuda")) GTEST_SKIP() << "no CUDA device";
  const json device = run_infer({"device", "--device", "cuda", "--json"}).json().at("devices")[0];
  EXPECT_GT(device.at("copies").at("pinned_to_device_gb_per_s").get<double>(), 0.0);
  EXPECT_GT(device.at("graph_us").get<double>(), 0.0);
  EXPECT_GT(device.at("multiprocessors").get<int>(), 0);
}

TEST(ReportTest, DoctorNamesEveryBackendAndARemedyForWhatIsMissing) {
  const ProcessResult result = run_infer({"doctor", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const json document = result.json();
  EXPECT_EQ(document.at("can_run"), true);
  std::set<std::string> areas;
  for (const json& finding : document.at("findings")) {
    areas.insert(finding.at("area").get<std::string>());
    EXPECT_NE(finding.at("text"), "");
    if (!finding.at("found").get<bool>()) {
      EXPECT_NE(finding.at("remedy"), "") << finding;
    }
  }
  EXPECT_EQ(areas, (std::set<std::string>{"cuda", "cpu", "reference", "images"}));
  EXPECT_THAT(run_infer({"doctor"}).out, HasSubstr("models can run"));
}

}  // namespace
}  // namespace tessera
