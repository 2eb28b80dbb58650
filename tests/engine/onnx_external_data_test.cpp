// SPDX-License-Identifier: Apache-2.0
// Weights in files beside the model.
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/onnx/load.h"
#include "onnx_schema.pb.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string bytes_of(std::initializer_list<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

// folder/model/model.onnx, with the output "w" in an external file.
class ExternalData : public ::testing::Test {
 protected:
  ExternalData() {
    fs::create_directory(model_folder);
    builder.output("w");
  }

  Result<Graph> load(const std::string& location, int64_t offset = 0, int64_t length = -1,
                     const Shape& shape = {2}) {
    builder.proto().mutable_graph()->clear_initializer();
    builder.external_initializer("w", {DType::kF32, shape}, location, offset, length);
    builder.write(model_folder + "/model.onnx");
    return load_onnx(model_folder + "/model.onnx");
  }
  // The status after the value of the entry "offset" has been replaced by `text`.
  Status load_with_offset(const std::string& text) {
    onnx::GraphProto& graph = *builder.proto().mutable_graph();
    graph.clear_initializer();
    builder.external_initializer("w", {DType::kF32, {2}}, "w.bin", 1);
    graph.mutable_initializer(0)->mutable_external_data(1)->set_value(text);
    builder.write(model_folder + "/model.onnx");
    return load_onnx(model_folder + "/model.onnx").status();
  }
  std::string message(const std::string& location, int64_t offset = 0, int64_t length = -1) {
    return load(location, offset, length).status().message();
  }
  static const Tensor& output(const Result<Graph>& graph) {
    return *graph->values[graph->outputs[0]].constant;
  }

  TemporaryFolder folder;
  std::string model_folder = folder.path("model");
  OnnxBuilder builder;
};

TEST_F(ExternalData, IsReadAtItsOffset) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2, 3, 4}));
  auto graph = load("w.bin");
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_THAT(output(graph).values<float>(), ElementsAre(1, 2));
  graph = load("w.bin", 8, 8);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_THAT(output(graph).values<float>(), ElementsAre(3, 4));
}

TEST_F(ExternalData, UnalignedOffsetGivesAlignedMemory) {
  write_file(model_folder + "/w.bin", "abc" + bytes_of({1, 2}));
  const auto graph = load("w.bin", 3);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(output(graph).data()) % alignof(float), 0u);
  EXPECT_THAT(output(graph).values<float>(), ElementsAre(1, 2));
}

TEST_F(ExternalData, AlignedTensorsOfAFileShareItsMapping) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2, 3, 4}));
  builder.output("v");
  builder.external_initializer("w", {DType::kF32, {2}}, "w.bin", 0)
      .external_initializer("v", {DType::kF32, {2}}, "./w.bin", 8)
      .write(model_folder + "/model.onnx");
  const auto graph = load_onnx(model_folder + "/model.onnx");
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const auto& w = *graph->values[graph->outputs[0]].constant;
  const auto& v = *graph->values[graph->outputs[1]].constant;
  EXPECT_EQ(w.values<float>().data() + 2, v.values<float>().data());
}

TEST_F(ExternalData, SubfolderAndEmptyTensor) {
  fs::create_directory(model_folder + "/weights");
  write_file(model_folder + "/weights/w..bin", bytes_of({1, 2}));
  EXPECT_TRUE(load("weights/w..bin").ok());
  EXPECT_TRUE(load("weights/w..bin", 8, 0, {0}).ok());
}

TEST_F(ExternalData, IsFoundWhateverTheWorkingFolder) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2}));
  ASSERT_TRUE(load("w.bin").ok());
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_TRUE(load_onnx("model/model.onnx").ok());
  fs::current_path(model_folder);
  EXPECT_TRUE(load_onnx("model.onnx").ok());
  fs::current_path(before);
}

TEST_F(ExternalData, MissingFileIsNamed) {
  const Status status = load("lost.bin").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("initializer 'w': external data 'lost.bin' cannot be "
                                          "read in folder '" +
                                          model_folder));
}

TEST_F(ExternalData, FolderInsteadOfAFile) {
  fs::create_directory(model_folder + "/sub");
  EXPECT_THAT(message("sub"), HasSubstr("external data 'sub': is a folder"));
  EXPECT_THAT(message("."), HasSubstr("external data '.': is a folder"));
}

TEST_F(ExternalData, RangeBeyondTheFile) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2}));
  EXPECT_THAT(message("w.bin", 4),
              HasSubstr("external data of 8 bytes at offset 4 reaches past the end of 'w.bin', "
                        "which has 8 bytes"));
  EXPECT_THAT(message("w.bin", INT64_MAX), HasSubstr("reaches past the end"));
}

TEST_F(ExternalData, OffsetPlusLengthThatWraps) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2}));
  EXPECT_THAT(load_with_offset("18446744073709551612").message(),  // 2^64 - 4
              HasSubstr("reaches past the end"));
}

TEST_F(ExternalData, LengthThatIsNotThatOfTheTensor) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2, 3}));
  EXPECT_THAT(message("w.bin", 0, 12),
              HasSubstr("external data of 12 bytes where dtype and dims need 8"));
  EXPECT_THAT(message("w.bin", 0, INT64_MAX), HasSubstr("where dtype and dims need 8"));
}

TEST_F(ExternalData, NumbersThatAreNone) {
  write_file(model_folder + "/w.bin", bytes_of({1, 2}));
  for (const char* text : {"-4", "", "1e3", "0x10", " 4", "99999999999999999999"}) {
    EXPECT_THAT(load_with_offset(text).message(),
                HasSubstr("external data with offset '" + std::string(text) + "', which is not"));
  }
}

TEST_F(ExternalData, PathsThatLeaveTheFolderAreRefused) {
  write_file(folder.path("secret.bin"), bytes_of({1, 2}));
  fs::create_directory(model_folder + "/sub");
  for (const std::string location : {"../secret.bin", "sub/../../secret.bin", "sub/.."}) {
    const Status status = load(location).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
    EXPECT_THAT(status.message(), HasSubstr("external data '" + location +
                                            "' is refused: it leaves the model's folder"));
  }
  EXPECT_THAT(message(folder.path("secret.bin")), HasSubstr("it is an absolute path"));
}

TEST_F(ExternalData, SymbolicLinkThatLeavesTheFolderIsRefused) {
  write_file(folder.path("secret.bin"), bytes_of({1, 2}));
  write_file(model_folder + "/w.bin", bytes_of({1, 2}));
  fs::create_symlink(folder.path("secret.bin"), model_folder + "/out.bin");
  fs::create_directory_symlink(folder.path(), model_folder + "/up");
  fs::create_symlink(model_folder + "/w.bin", model_folder + "/in.bin");
  EXPECT_THAT(message("out.bin"), HasSubstr("a symbolic link that leaves the model's folder"));
  EXPECT_THAT(message("up/secret.bin"), HasSubstr("a symbolic link that leaves"));
  EXPECT_TRUE(load("in.bin").ok());
  // A neighbour whose name starts like the model's folder is outside of it.
  fs::create_directory(folder.path("model2"));
  write_file(folder.path("model2/w.bin"), bytes_of({1, 2}));
  fs::create_directory_symlink(folder.path("model2"), model_folder + "/near");
  EXPECT_THAT(message("near/w.bin"), HasSubstr("a symbolic link that leaves"));
}

TEST_F(ExternalData, LocationMustBeThere) {
  EXPECT_THAT(message(""), HasSubstr("external data without a location"));
  EXPECT_THAT(message(std::string("w.bin\0x", 7)), HasSubstr("cannot contain \\x00"));
}

TEST_F(ExternalData, ModelFromMemoryHasNoFolder) {
  builder.external_initializer("w", {DType::kF32, {2}}, "w.bin");
  EXPECT_THAT(builder.load().status().message(), HasSubstr("read from memory, without a folder"));
}

}  // namespace
}  // namespace tessera
