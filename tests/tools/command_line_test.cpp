// SPDX-License-Identifier: Apache-2.0
// Flags, help and exit codes of the program infer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CommandLineTest, HelpNamesEverySubCommandAndTheExitCodes) {
  const ProcessResult result = run_infer({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* word : {"eval", "explain", "check", "ops", "device", "doctor", "--backend",
                           "--layer-backends", "--shapes", "130 interrupted"}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
  EXPECT_EQ(result.err, "");
}

TEST(CommandLineTest, EverySubCommandHasHelp) {
  for (const char* command : {"eval", "explain", "tune", "check", "ops", "device", "doctor"}) {
    const ProcessResult result = run_infer({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("--json")) << command;
  }
}

TEST(CommandLineTest, VersionNamesTheBackends) {
  const ProcessResult result = run_infer({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("infer "));
  EXPECT_THAT(result.out, HasSubstr("reference"));
}

TEST(CommandLineTest, NothingGivenIsAUsageError) {
  const ProcessResult result = run_infer({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("infer: "));
  EXPECT_THAT(result.err, HasSubstr("MODEL"));
}

TEST(CommandLineTest, UnknownFlagNamesTheNearest) {
  const ProcessResult result = run_infer({"m.onnx", "images", "--bacth", "4"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "infer: unknown option --bacth; did you mean --batch?\n");
  EXPECT_EQ(result.out, "");
}

TEST(CommandLineTest, SwappedLettersAreNearToo) {
  const ProcessResult result = run_infer({"m.onnx", "images", "--tpo", "3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "infer: unknown option --tpo; did you mean --top?\n");
}

TEST(CommandLineTest, UnknownFlagThatIsLikeNoOtherPointsToTheHelp) {
  const ProcessResult result = run_infer({"m.onnx", "images", "--zzzzzzzzzz"});
  EXPECT_EQ(result.err, "infer: unknown option --zzzzzzzzzz; see infer --help\n");
}

TEST(CommandLineTest, MistypedSubCommandNamesTheNearest) {
  const ProcessResult result = run_infer({"expalin", "m.onnx"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean the sub-command explain?"));
}

TEST(CommandLineTest, NumbersOutOfRangeAreNamedInOneLine) {
  for (const char* value : {"0", "-1", "abc", "1.5", "99999999999999999999"}) {
    const ProcessResult result = run_infer({"m.onnx", "images", "--batch", value});
    EXPECT_EQ(result.exit_code, 2) << value;
    EXPECT_THAT(result.err, HasSubstr(std::string("'") + value + "' is not an integer from 1 to"));
    EXPECT_LT(result.err.size(), 120u);
  }
}

TEST(CommandLineTest, TwoPlacesForTheRowsContradictEachOther) {
  const ProcessResult result = run_infer({"m.onnx", "images", "--json", "--output", "x.csv"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--json"));
}

TEST(CommandLineTest, UnknownFlagWithAValueAttachedNamesTheNearest) {
  const ProcessResult result = run_infer({"explain", "m.onnx", "--devise=cpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "infer: unknown option --devise; did you mean --device?\n");
}

TEST(CommandLineTest, FlagLikeNoOtherPointsToTheHelp) {
  const ProcessResult result = run_infer({"eval", "a", "b", "c", "--zzzzzzzz"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown option --zzzzzzzz"));
  EXPECT_THAT(result.err, HasSubstr("--help"));
}

// A variable of a script that was not set must not turn an option off.
TEST(CommandLineTest, EmptyValuesAreUsageErrors) {
  for (const char* flag : {"--output", "--labels", "--device", "--backend", "--load-plan", "--mean",
                           "--preset", "--timing-cache", "--layer-precisions", "--shapes"}) {
    const ProcessResult result = run_infer({"m.onnx", "images", flag, ""});
    EXPECT_EQ(result.exit_code, 2) << flag;
    EXPECT_EQ(result.err, std::string("infer: ") + flag + ": the value is empty\n");
    EXPECT_EQ(run_infer({"m.onnx", "images", std::string(flag) + "="}).exit_code, 2) << flag;
  }
  EXPECT_EQ(run_infer({"m.onnx", ""}).err, "infer: INPUT: the value is empty\n");
  EXPECT_EQ(run_infer({"check", ""}).err, "infer: PATH: the value is empty\n");
}

TEST(CommandLineTest, AValueThatMayBeLeftOutIsNotMissing) {
  EXPECT_EQ(run_infer({"kernels", "--device", "reference", "--json"}).exit_code, 0);
}

TEST(CommandLineTest, BadValuesAreUsageErrors) {
  EXPECT_EQ(run_infer({"m.onnx", "i", "--batch", "0"}).exit_code, 2);
  EXPECT_EQ(run_infer({"m.onnx", "i", "--batch", "many"}).exit_code, 2);
  EXPECT_EQ(run_infer({"m.onnx", "i", "--top=0"}).exit_code, 2);
  for (const char* rules : {"conv1", "conv1:", ":conv_direct", "conv1:conv_direct,", ","}) {
    const ProcessResult kernel = run_infer({"m.onnx", "i", "--layer-backends", rules});
    EXPECT_EQ(kernel.exit_code, 2) << rules;
    EXPECT_THAT(kernel.err, HasSubstr("PATTERN:NAME")) << rules;
  }
}

class SmallModelTest : public ::testing::Test {
 protected:
  SmallModelTest() {
    write_brightest_pixel_model(model_);
    write_pixel(picture_, 2);
  }
  TemporaryFolder folder_;
  std::string model_ = folder_.path("brightest.onnx");
  std::string picture_ = folder_.path("picture.pgm");
};

TEST_F(SmallModelTest, PrintsTabSeparatedRowsAndAHeaderLine) {
  const ProcessResult result = run_infer({model_, picture_, "--device", "reference", "--top", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, picture_ + "\tbottom left\t1\ttop left\t0\n");
  EXPECT_THAT(result.err, StartsWith("infer: " + model_ + " | reference"));
  for (const char* word : {"float32", "batch 1", "graph off", "2x2 gray",
                           "labels: ", "scores: model output", "1 images, 0 failed"}) {
    EXPECT_THAT(result.err, HasSubstr(word));
  }
}

TEST_F(SmallModelTest, QuietPrintsRowsOnly) {
  const ProcessResult result = run_infer({model_, picture_, "--quiet"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, picture_ + "\tbottom left\t1\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(SmallModelTest, TakesBothSpellingsOfAnOption) {
  const ProcessResult apart = run_infer({model_, picture_, "--quiet", "--top", "3"});
  const ProcessResult joined = run_infer({model_, picture_, "--quiet", "--top=3"});
  EXPECT_EQ(apart.out, joined.out);
  EXPECT_EQ(apart.exit_code, 0);
}

TEST_F(SmallModelTest, PreprocessingFromTheCommandLineChangesTheScoresAndTheHeader) {
  const ProcessResult result =
      run_infer({model_, picture_, "--scale=1", "--mean=55", "--std=2", "--device=reference"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, picture_ + "\tbottom left\t100\n");
  EXPECT_THAT(result.err, HasSubstr("command line"));
}

TEST_F(SmallModelTest, BadPreprocessingNamesTheFlag) {
  const ProcessResult mean = run_infer({model_, picture_, "--mean", "1,x"});
  EXPECT_EQ(mean.exit_code, 2);
  EXPECT_THAT(mean.err, HasSubstr("--mean"));
  const ProcessResult resize = run_infer({model_, picture_, "--resize", "cubic"});
  EXPECT_EQ(resize.exit_code, 2);
  EXPECT_THAT(resize.err, StartsWith("infer: --resize is 'cubic', not one of none, bilinear"));
  const ProcessResult preset = run_infer({model_, picture_, "--preset", "imagnet"});
  EXPECT_EQ(preset.exit_code, 2);
  EXPECT_THAT(preset.err, HasSubstr("--preset imagnet: must be one of imagenet"));
}

TEST_F(SmallModelTest, OwnLabelsReplaceTheSidecars) {
  write_file(folder_.path("labels.txt"), "a\nb\nc\nd\n");
  const ProcessResult result =
      run_infer({model_, picture_, "--quiet", "--labels", folder_.path("labels.txt")});
  EXPECT_EQ(result.out, picture_ + "\tc\t1\n");
}

TEST_F(SmallModelTest, LabelsOfAnotherCountAreRefused) {
  write_file(folder_.path("labels.txt"), "a\nb\n");
  const ProcessResult result =
      run_infer({model_, picture_, "--labels", folder_.path("labels.txt")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("2 labels, but the model has 4 classes"));
}

TEST_F(SmallModelTest, AModelCalledLikeASubCommandIsGivenWithItsFolder) {
  write_brightest_pixel_model(folder_.path("eval"));
  const ProcessResult result =
      run_infer({folder_.path("eval"), picture_, "--quiet", "--scale", "1", "--resize", "none"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(SmallModelTest, UnknownBackendIsAUsageErrorThatNamesTheNearest) {
  const ProcessResult rule = run_infer(
      {model_, picture_, "--device", "reference", "--layer-backends", "scale:reference_bniary"});
  EXPECT_EQ(rule.exit_code, 2) << rule.err;
  EXPECT_THAT(rule.err, HasSubstr("did you mean reference_binary?"));
  const ProcessResult whole =
      run_infer({model_, picture_, "--device", "reference", "--backend", "refrence"});
  EXPECT_EQ(whole.exit_code, 2) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("did you mean reference?"));
}

TEST_F(SmallModelTest, APatternThatMatchesNothingListsTheLayers) {
  const ProcessResult result = run_infer(
      {model_, picture_, "--device", "reference", "--layer-backends", "nowhere:reference_binary"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("'nowhere'; the layers are: scale"));
}

TEST_F(SmallModelTest, AKernelThatCannotRunItsLayerIsExitCodeThree) {
  const ProcessResult result = run_infer(
      {model_, picture_, "--device", "reference", "--layer-backends", "scale:reference_pool"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("layer scale: forced by --layer-backends"));
}

TEST_F(SmallModelTest, HeaderSaysHowKernelsWereChosen) {
  const ProcessResult automatic = run_infer({model_, picture_, "--device", "reference"});
  EXPECT_THAT(automatic.err, HasSubstr("| kernels: automatic |"));
  const ProcessResult forced =
      run_infer({model_, picture_, "--device", "reference", "--backend", "reference_binary"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(forced.err,
              HasSubstr("| kernels: forced by --backend reference_binary for 1 of 1 layers |"));
}

TEST_F(SmallModelTest, ShapesThatContradictTheModelAreRefused) {
  const ProcessResult fixed = run_infer({"explain", model_, "--shapes", "x=1x1x4x4"});
  EXPECT_EQ(fixed.exit_code, 2);
  EXPECT_THAT(fixed.err, HasSubstr("the model fixes extent 2 to 2"));
  const ProcessResult unknown = run_infer({"explain", model_, "--shapes", "depth=3"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("depth"));
}

TEST_F(SmallModelTest, ShapesSetTheBatch) {
  const auto json = run_infer({"explain", model_, "--shapes", "x=5x1x2x2", "--json"}).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("batch"), 5);
}

TEST(DeviceTest, MissingCudaIsExitCodeFourWithTheReason) {
  if (has_device("cuda")) GTEST_SKIP() << "this machine has a CUDA device";
  TemporaryFolder folder;
  write_brightest_pixel_model(folder.path("m.onnx"));
  write_pixel(folder.path("p.pgm"), 0);
  const ProcessResult run =
      run_infer({folder.path("m.onnx"), folder.path("p.pgm"), "--device", "cuda"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, StartsWith("infer: device cuda: "));
  EXPECT_EQ(run_infer({"device", "--device", "cuda"}).exit_code, 4);
}

TEST(DeviceTest, UnknownDeviceIsAUsageError) {
  const ProcessResult result = run_infer({"device", "--device", "tpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown device 'tpu'"));
}

}  // namespace
}  // namespace tessera
