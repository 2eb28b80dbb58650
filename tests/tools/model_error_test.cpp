// SPDX-License-Identifier: Apache-2.0
// What infer says about model files that it cannot run: message and exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ModelErrorTest : public ::testing::Test {
 protected:
  ModelErrorTest() { write_pixel(folder_.path("picture.pgm"), 0); }

  ProcessResult classify(const std::string& model) {
    return run_infer({model, folder_.path("picture.pgm"), "--device", "reference"});
  }
  // Expects one message that begins with the file's path and names `part`.
  void expect_refusal(const std::string& model, int exit_code, const std::string& part) {
    const ProcessResult result = classify(model);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_THAT(result.err, StartsWith("infer: " + model));
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(result.out, "");
  }
  static OnnxBuilder& picture_input(OnnxBuilder& builder) {
    return builder.input("x", DType::kF32, {"batch", 1, 2, 2});
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx");
};

TEST_F(ModelErrorTest, MissingFile) { expect_refusal(folder_.path("none.onnx"), 2, "none.onnx"); }

TEST_F(ModelErrorTest, NotAnOnnxFile) {
  write_file(model_, "This is a text, and no network at all.\n");
  expect_refusal(model_, 3, "ONNX");
}

TEST_F(ModelErrorTest, EmptyFile) {
  write_file(model_, "");
  expect_refusal(model_, 3, "empty");
}

TEST_F(ModelErrorTest, TruncatedFile) {
  write_brightest_pixel_model(model_);
  const std::string bytes = read_file(model_);
  write_file(model_, bytes.substr(0, bytes.size() - 7));
  expect_refusal(model_, 3, "truncated");
}

TEST_F(ModelErrorTest, PictureInsteadOfAModel) {
  write_file(model_, "\x89PNG\r\n\x1a\nand so on");
  expect_refusal(model_, 3, "PNG");
}

TEST_F(ModelErrorTest, MissingExternalData) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("Add", {"x", "w"}, {"y"})
      .external_initializer("w", {DType::kF32, Shape({1})}, "weights.bin")
      .output("y");
  builder.write(model_);
  expect_refusal(model_, 2, "weights.bin");
}

TEST_F(ModelErrorTest, ExternalPathThatLeavesTheFolder) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("Add", {"x", "w"}, {"y"})
      .external_initializer("w", {DType::kF32, Shape({1})}, "../../../../etc/hostname")
      .output("y");
  builder.write(model_);
  expect_refusal(model_, 3, "../../../../etc/hostname");
}

TEST_F(ModelErrorTest, CyclicGraph) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("Add", {"x", "b"}, {"a"}, {}, "first")
      .node("Relu", {"a"}, {"b"}, {}, "second")
      .output("b");
  builder.write(model_);
  expect_refusal(model_, 3, "cycle");
}

TEST_F(ModelErrorTest, UnsortedGraphRuns) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("Flatten", {"a"}, {"y"}, {}, "last")
      .node("Relu", {"x"}, {"a"}, {}, "first")
      .output("y", DType::kF32, {"batch", 4});
  builder.write(model_);
  const ProcessResult result = classify(model_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, folder_.path("picture.pgm") + "\t0\t1\n");
}

TEST_F(ModelErrorTest, UnknownOperatorsAreAllNamedAtOnce) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("NoSuchOp", {"x"}, {"a"}, {}, "first")
      .node("NoSuchOpEither", {"a"}, {"y"}, {}, "second")
      .output("y");
  builder.write(model_);
  expect_refusal(model_, 3, "NoSuchOp");
  expect_refusal(model_, 3, "first");
  expect_refusal(model_, 3, "NoSuchOpEither");
  expect_refusal(model_, 3, "second");
}

TEST_F(ModelErrorTest, SeveralProblemsAreIndented) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("NoSuchOp", {"x"}, {"a"})
      .node("NoSuchOpEither", {"a"}, {"y"})
      .output("y");
  builder.write(model_);
  const std::string error = classify(model_).err;
  for (size_t at = error.find('\n'); at + 1 < error.size(); at = error.find('\n', at + 1)) {
    EXPECT_EQ(error.substr(at + 1, 2), "  ") << error;
  }
}

TEST_F(ModelErrorTest, WrongRank) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("Flatten", {"x"}, {"flat"})
      .node("Conv", {"flat", "w"}, {"y"}, {}, "conv_on_rows")
      .initializer("w", Tensor::from_values<float>(Shape({1, 1, 1, 1}), {1.0F}))
      .output("y");
  builder.write(model_);
  const ProcessResult result = classify(model_);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("conv_on_rows"));
}

TEST_F(ModelErrorTest, WrongDtype) {
  OnnxBuilder builder;
  picture_input(builder)
      .node("Add", {"x", "w"}, {"y"}, {}, "mixed_sum")
      .initializer("w", Tensor::from_values<int64_t>(Shape({1}), {1}))
      .output("y");
  builder.write(model_);
  const ProcessResult result = classify(model_);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("mixed_sum"));
  EXPECT_THAT(result.err, HasSubstr("int64"));
}

TEST_F(ModelErrorTest, SidecarThatIsNoJson) {
  write_brightest_pixel_model(model_);
  write_file(folder_.path("model.infer.json"), "{ not json");
  const ProcessResult result = classify(model_);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("model.infer.json"));
}

TEST_F(ModelErrorTest, UnreadableModel) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to run infer as another user";
  write_brightest_pixel_model(model_);
  ::chmod(folder_.path().c_str(), 0755);
  ::chmod(model_.c_str(), 0600);
  ProcessOptions as_nobody;
  as_nobody.as_nobody = true;
  const ProcessResult probe = run_infer({"--version"}, as_nobody);
  if (probe.exit_code != 0) GTEST_SKIP() << "another user cannot start " TESSERA_INFER_PATH;
  const ProcessResult result = run_infer({model_, folder_.path("picture.pgm")}, as_nobody);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("model.onnx"));
  EXPECT_THAT(result.err, HasSubstr("no permission"));
}

}  // namespace
}  // namespace tessera
