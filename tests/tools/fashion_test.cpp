// SPDX-License-Identifier: Apache-2.0
// The models of this repository on the Fashion-MNIST test set: every backend must reach the count
// of correct answers that the training framework measured and the sidecar states, to within one.
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string data_folder() {
  const char* folder = std::getenv("TESSERA_FASHION_MNIST");
  return folder != nullptr ? folder : "/usr/share/datasets/fashion-mnist";
}
std::string images_path() { return data_folder() + "/t10k-images-idx3-ubyte.gz"; }
std::string labels_path() { return data_folder() + "/t10k-labels-idx1-ubyte.gz"; }

// Why the test set cannot be used; nothing when it can.
std::optional<std::string> missing_data() {
  if (std::filesystem::exists(images_path()) && std::filesystem::exists(labels_path())) return {};
  return data_folder() +
         " has no t10k files: install dataset-fashion-mnist or set TESSERA_FASHION_MNIST";
}

struct Combination {
  std::string model;
  std::string device;
  friend std::ostream& operator<<(std::ostream& out, const Combination& combination) {
    return out << combination.model << " on " << combination.device;
  }
};

class FashionTest : public ::testing::TestWithParam<Combination> {
 protected:
  void SetUp() override {
    if (const auto reason = missing_data()) GTEST_SKIP() << *reason;
    if (!has_device(GetParam().device)) GTEST_SKIP() << "no " << GetParam().device << " device";
  }
  [[nodiscard]] std::string model_path() const {
    return source_path("models/" + GetParam().model + ".onnx");
  }
  [[nodiscard]] json sidecar() const {
    return json::parse(read_file(source_path("models/" + GetParam().model + ".infer.json")));
  }
};

TEST_P(FashionTest, ReachesTheStatedAccuracy) {
  const ProcessResult result = run_infer({"eval", model_path(), images_path(), labels_path(),
                                          "--device", GetParam().device, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = result.json();
  EXPECT_EQ(document.at("images"), 10000);
  EXPECT_EQ(document.at("failed"), 0);
  const int expected = sidecar().at("accuracy").at("correct").get<int>();
  EXPECT_NEAR(document.at("correct").get<int>(), expected, 1);
}

TEST_P(FashionTest, ChecksAgainstTheReferenceAndTheGoldens) {
  if (!has_picture_format("PNG"))
    GTEST_SKIP() << "the golden pictures are PNG; this build reads none";
  const ProcessResult result =
      run_infer({"check", model_path(), "--device", GetParam().device, "--batch", "3", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.json().at("goldens").size(), sidecar().at("golden").size());
}

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const char* model : {"fashion_mlp", "fashion_cnn", "fashion_resnet"}) {
    for (const char* device : {"reference", "cpu", "cuda"}) all.push_back({model, device});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Models, FashionTest, ::testing::ValuesIn(combinations()),
                         [](const auto& test) {
                           return test.param.model + "_" + test.param.device;
                         });

TEST(SamplesTest, TheDemoClassifiesTheSamplePictures) {
  if (!has_picture_format("PNG")) GTEST_SKIP() << "this build reads no PNG";
  const ProcessResult result = run_infer({source_path("models/fashion_cnn.onnx"),
                                          source_path("models/samples"), "--device", "reference"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("fashion_00000_ankle-boot.png\tAnkle boot\t"));
}

}  // namespace
}  // namespace tessera
