// SPDX-License-Identifier: Apache-2.0
// What is said about files that are no ONNX models, or not whole ones.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/onnx/load.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class OnnxFile : public ::testing::Test {
 protected:
  // The status of loading a file "model.onnx" with these bytes.
  Status load_bytes(std::string_view bytes) {
    write_file(path, bytes);
    return load_onnx(path).status();
  }

  TemporaryFolder folder;
  std::string path = folder.path("model.onnx");
};

std::string small_model() {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1}).node("Relu", {"x"}, {"y"}).output("y");
  return builder.bytes();
}

TEST_F(OnnxFile, IsLoaded) { EXPECT_TRUE(load_bytes(small_model()).ok()); }

TEST_F(OnnxFile, Missing) {
  const Status status = load_onnx(path).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), path + ": no such file");
  EXPECT_EQ(load_onnx(path + "/below").status().code(), StatusCode::kNotFound);
}

TEST_F(OnnxFile, Folder) {
  const Status status = load_onnx(folder.path()).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), folder.path() + ": is a folder, not a file");
}

TEST_F(OnnxFile, PipeIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(load_onnx(path).status().message(), HasSubstr("not a regular file"));
}

TEST_F(OnnxFile, NoPermission) {
  write_file(path, small_model());
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read every file";
  const Status status = load_onnx(path).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), path + ": no permission to read the file");
}

TEST_F(OnnxFile, ForeignFormatsAreRecognized) {
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"", "an empty file"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "run `git lfs pull`"},
      {"PK\x03\x04 and so on", "a ZIP archive (PyTorch"},
      {"\x80\x02\x8a\x0al", "a Python pickle"},
      {"\x89PNG\r\n\x1a\n", "a PNG image"},
      {"\xff\xd8\xff\xe0", "a JPEG image"},
      {"\x1f\x8b\x08", "a gzip archive: unpack it first"},
      {"\x89HDF\r\n\x1a\n", "tf2onnx"},
      {std::string("\x1c\0\0\0TFL3", 8), "a TensorFlow Lite model"},
      {"%PDF-1.7", "a PDF document"},
      {"<!DOCTYPE html><html></html>", "a web page"},
      {"Hello, world.\n", "a text file"},
      {"caf\xc3\xa9\n", "a text file"},
      {std::string(100, '\0'), "starts with zeros"},
  };
  for (const auto& [bytes, text] : formats) {
    const Status status = load_bytes(bytes);
    EXPECT_EQ(status.code(), StatusCode::kInvalidModel) << text;
    EXPECT_THAT(status.message(), StartsWith(path + ": "));
    EXPECT_THAT(status.message(), HasSubstr(text));
  }
}

TEST_F(OnnxFile, TruncatedOrUnknown) {
  const std::string model = small_model();
  for (const std::string& bytes :
       {model.substr(0, model.size() / 2), std::string("\xfe\xfd\xfc")}) {
    const Status status = load_bytes(bytes);
    EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
    EXPECT_THAT(status.message(), StartsWith(path + ": truncated or not an ONNX file"));
  }
  // A valid message without a graph: cut between two fields.
  EXPECT_THAT(load_bytes("\x08\x08").message(), HasSubstr("it holds no graph"));
}

TEST_F(OnnxFile, LargerThanProtobufCanRead) {
  write_file(path, "\x08\x08");
  std::error_code error;
  std::filesystem::resize_file(path, uint64_t{3} << 30, error);
  if (error) GTEST_SKIP() << "no file of 3 GiB with a hole here: " << error.message();
  const Status status = load_onnx(path).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
  EXPECT_THAT(status.message(), HasSubstr("protobuf can read at most 2 GiB"));
  EXPECT_THAT(status.message(), HasSubstr("external data"));
}

TEST_F(OnnxFile, NothingIsPrinted) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(load_bytes(small_model().substr(0, 10)).ok());
  EXPECT_FALSE(load_bytes("text").ok());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tessera
