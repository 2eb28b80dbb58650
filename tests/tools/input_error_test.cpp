// SPDX-License-Identifier: Apache-2.0
// What infer says about pictures and folders that it cannot read: message and exit code.
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class InputErrorTest : public ::testing::Test {
 protected:
  InputErrorTest() { write_brightest_pixel_model(model_); }

  ProcessResult classify(const std::vector<std::string>& inputs) {
    std::vector<std::string> arguments = {model_};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    arguments.emplace_back("--quiet");
    return run_infer(arguments);
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx");
};

TEST_F(InputErrorTest, MissingInput) {
  const ProcessResult result = classify({folder_.path("none.png")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("infer: "));
  EXPECT_THAT(result.err, HasSubstr("none.png"));
}

TEST_F(InputErrorTest, PathThroughAFile) {
  write_file(folder_.path("file"), "x");
  const ProcessResult result = classify({folder_.path("file/picture.png")});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("file/picture.png"));
}

TEST_F(InputErrorTest, EmptyFolder) {
  std::filesystem::create_directory(folder_.path("empty"));
  const ProcessResult result = classify({folder_.path("empty")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("empty"));
}

TEST_F(InputErrorTest, PictureOfAnotherSizeIsRefusedWithoutResizing) {
  write_pgm(folder_.path("large.pgm"), 3, 2, {1, 2, 3, 4, 5, 6});
  const ProcessResult refused = classify({folder_.path("large.pgm")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("large.pgm"));
  EXPECT_THAT(refused.err, HasSubstr("2x2"));
  const ProcessResult resized = classify({folder_.path("large.pgm"), "--resize", "bilinear"});
  EXPECT_EQ(resized.exit_code, 0) << resized.err;
}

TEST_F(InputErrorTest, ChannelsThatTheModelDoesNotHave) {
  write_pixel(folder_.path("p.pgm"), 0);
  const ProcessResult result = classify({folder_.path("p.pgm"), "--channels", "rgb"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the network takes (1, 1, 2, 2)"));
}

// Taken as 1, the open extents would turn each picture into a dot, and a dot has a class too.
TEST_F(InputErrorTest, OpenExtentsAreNeverGuessed) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {"batch", 1, "height", "width"})
      .node("GlobalMaxPool", {"x"}, {"g"})
      .node("Flatten", {"g"}, {"y"})
      .output("y");
  builder.write(folder_.path("open.onnx"));
  write_pixel(folder_.path("p.pgm"), 0);
  const std::vector<std::string> run = {folder_.path("open.onnx"), folder_.path("p.pgm"),
                                        "--quiet"};
  const ProcessResult refused = run_infer(run);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("leaves open 'height' 'width'"));
  EXPECT_THAT(refused.err, HasSubstr("--shapes height=VALUE"));
  std::vector<std::string> sized = run;
  for (const char* word : {"--shapes", "height=2", "--shapes", "width=2"}) sized.emplace_back(word);
  const ProcessResult result = run_infer(sized);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, folder_.path("p.pgm") + "\t0\t1\n");
}

TEST_F(InputErrorTest, AHugeBatchTakesNoMoreThanTheSamplesNeed) {
  write_pixel(folder_.path("p.pgm"), 0);
  const ProcessResult result = classify({folder_.path("p.pgm"), "--batch", "1000000000"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(InputErrorTest, ANameWithControlCharactersStaysOneRow) {
  const std::string name = folder_.path("two\nlines\x1b[31m.pgm");
  write_pixel(name, 0);
  const ProcessResult result = classify({name});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, folder_.path("two\\x0alines\\x1b[31m.pgm") + "\ttop left\t1\n");
}

TEST_F(InputErrorTest, AMessageAboutANameWithALineBreakIsOneLine) {
  const std::string shown = folder_.path("two\\x0alines");
  const auto expect_one_line = [&](const std::vector<std::string>& arguments) {
    const ProcessResult result = run_infer(arguments);
    EXPECT_NE(result.exit_code, 0) << arguments[0];
    EXPECT_THAT(result.err, StartsWith("infer: " + shown));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  const std::string name = folder_.path("two\nlines");
  for (const char* kind : {".pgm", ".npy", ".pb", ".gz", ".onnx", ".csv"}) {
    expect_one_line({model_, name + kind, "--quiet"});
    expect_one_line({"explain", name + kind});
    expect_one_line({"eval", model_, model_, name + kind, "--quiet"});
    write_file(name + kind, "P5\nnonsense");
    expect_one_line({model_, name + kind, "--quiet"});
    expect_one_line({"explain", name + kind});
  }
}

TEST_F(InputErrorTest, BrokenPictureAmongGoodOnesIsCountedAndTheRestIsClassified) {
  write_pixel(folder_.path("a.pgm"), 1);
  write_file(folder_.path("b.pgm"), "P5\n2 2\n255\n");  // no pixels
  write_pixel(folder_.path("c.pgm"), 3);
  const ProcessResult result =
      run_infer({model_, folder_.path("a.pgm"), folder_.path("b.pgm"), folder_.path("c.pgm")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, folder_.path("a.pgm") + "\ttop right\t1\n" + folder_.path("c.pgm") +
                            "\tbottom right\t1\n");
  EXPECT_THAT(result.err, HasSubstr("b.pgm"));
  EXPECT_THAT(result.err, HasSubstr("3 images, 1 failed"));
}

TEST_F(InputErrorTest, PngThatDeclaresHugeDimensionsTakesNoMemory) {
  if (!has_picture_format("PNG")) GTEST_SKIP() << "this build reads no PNG";
  // Signature, then IHDR of 2^31 - 1 by 2^31 - 1 pixels, 8 bits gray, with its CRC-32.
  using namespace std::string_literals;
  write_file(folder_.path("huge.png"),
             "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\0\0\0\0"
             "\x31\xa2\x54\xba"s);
  const ProcessResult result = classify({folder_.path("huge.png")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("huge.png"));
  EXPECT_THAT(result.err, HasSubstr("2147483647"));
}

TEST_F(InputErrorTest, IdxFileWithAWrongMagicNumber) {
  write_idx_pictures(folder_.path("images-idx3-ubyte"), 2);
  std::string bytes = read_file(folder_.path("images-idx3-ubyte"));
  bytes[0] = '\x55';
  write_file(folder_.path("images-idx3-ubyte"), bytes);
  const ProcessResult result = classify({folder_.path("images-idx3-ubyte")});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("images-idx3-ubyte"));
  EXPECT_EQ(result.out, "");
}

TEST_F(InputErrorTest, TruncatedIdxFile) {
  write_idx_pictures(folder_.path("images-idx3-ubyte"), 5);
  const std::string bytes = read_file(folder_.path("images-idx3-ubyte"));
  write_file(folder_.path("images-idx3-ubyte"), bytes.substr(0, bytes.size() - 3));
  const ProcessResult result = classify({folder_.path("images-idx3-ubyte")});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("images-idx3-ubyte"));
  EXPECT_EQ(result.out, "");
}

// Whatever reader finds the fault; 3 would blame the model.
TEST_F(InputErrorTest, BrokenOrUnusableArraysOfAllKindsHaveOneExitCode) {
  using namespace std::string_literals;
  const std::string tensor = tensor_proto_bytes(Tensor::from_values<float>({1, 4}, {1, 2, 3, 4}));
  const std::pair<const char*, std::string> files[] = {
      {"text.pb", "hello\n"},
      {"empty.pb", ""},
      {"cut.pb", tensor.substr(0, tensor.size() - 3)},
      {"double.pb", tensor_proto_bytes(Tensor::from_values<double>({1, 1, 2, 2}, {1, 2, 3, 4}))},
      {"text.npy", "hello\n"},
      {"version.npy", "\x93NUMPY\x09\0garbage"s},
      {"cut.idx", "\0\0\x08\x03\0\0\0\x01\0\0"s},
      {"float.idx", "\0\0\x0d\x01\0\0\0\x01\0\0\0\0"s},
      {"text.gz", "hello\n"},
  };
  for (const auto& [name, content] : files) {
    write_file(folder_.path(name), content);
    const ProcessResult result = classify({folder_.path(name)});
    EXPECT_EQ(result.exit_code, 2) << name << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(folder_.path(name)));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
  write_pixel(folder_.path("p.pgm"), 0);
  const ProcessResult labels =
      run_infer({"eval", model_, folder_.path("p.pgm"), folder_.path("float.idx")});
  EXPECT_EQ(labels.exit_code, 2) << labels.err;
}

TEST_F(InputErrorTest, BrokenGzipIsRefused) {
  using namespace std::string_literals;
  // Header, an empty block, checksum and length: a whole member of no bytes.
  const std::string member = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"s;
  for (const std::string& content : {member, member + "garbage", member.substr(0, 15)}) {
    write_file(folder_.path("set.gz"), content);
    const ProcessResult result = classify({folder_.path("set.gz")});
    if (result.exit_code == 4) GTEST_SKIP() << result.err;  // this build has no zlib
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("set.gz: "));
  }
}

TEST_F(InputErrorTest, ManyInputsAtOnceKeepTheirOrder) {
  std::filesystem::create_directory(folder_.path("folder"));
  std::string expected;
  std::vector<std::string> inputs;
  const char* labels[] = {"top left", "top right", "bottom left", "bottom right"};
  for (size_t i = 0; i < 300; ++i) {
    inputs.push_back(folder_.path("p" + std::to_string(i) + ".pgm"));
    write_pixel(inputs.back(), i % 4);
    expected += inputs.back() + '\t' + labels[i % 4] + "\t1\n";
  }
  write_pixel(folder_.path("folder/x.pgm"), 3);
  inputs.push_back(folder_.path("folder"));
  expected += folder_.path("folder/x.pgm") + "\tbottom right\t1\n";
  write_idx_pictures(folder_.path("two-idx3-ubyte"), 2);
  inputs.push_back(folder_.path("two-idx3-ubyte"));
  const ProcessResult result = classify(inputs);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(expected));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 303);
}

TEST_F(InputErrorTest, FoldersOfFoldersNeedRecursive) {
  std::filesystem::create_directories(folder_.path("a/b"));
  write_pixel(folder_.path("a/top.pgm"), 0);
  write_pixel(folder_.path("a/b/deep.pgm"), 1);
  EXPECT_EQ(classify({folder_.path("a")}).out, folder_.path("a/top.pgm") + "\ttop left\t1\n");
  const ProcessResult all = classify({folder_.path("a"), "--recursive"});
  EXPECT_THAT(all.out, HasSubstr("deep.pgm\ttop right"));
  EXPECT_THAT(all.out, HasSubstr("top.pgm\ttop left"));
}

}  // namespace
}  // namespace tessera
