// SPDX-License-Identifier: Apache-2.0
// The include direction that docs/architecture.md prints is the one that the tree keeps.
#include "tests/tools/include_rules.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/run_infer.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

IncludeDirection documented_direction() {
  return parse_include_direction(read_file(source_path("docs/architecture.md")));
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".cu" || extension == ".cuh";
}

TEST(IncludeRulesTest, TheTreeKeepsTheDocumentedDirection) {
  const IncludeDirection direction = documented_direction();
  ASSERT_THAT(direction, ::testing::Contains(::testing::Key("core")));
  size_t files = 0;
  for (const auto& [folder, allowed] : direction) {
    ASSERT_TRUE(fs::is_directory(source_path(folder))) << folder;
    for (const auto& entry : fs::recursive_directory_iterator(source_path(folder))) {
      if (!is_source(entry.path())) continue;
      const std::string path = fs::relative(entry.path(), source_path("")).string();
      EXPECT_THAT(check_includes(direction, path, read_file(entry.path().string())), IsEmpty());
      ++files;
    }
  }
  EXPECT_GT(files, 100U);
}

class PlantedLineTest : public ::testing::Test {
 protected:
  // The problems of a file at `path` that holds one include line.
  std::vector<std::string> check(const std::string& path, const std::string& line) {
    return check_includes(direction_, path, "// first line\n" + line + "\n");
  }
  IncludeDirection direction_ = documented_direction();
};

TEST_F(PlantedLineTest, WrongDirectionsAreFound) {
  EXPECT_THAT(check("core/shape.cpp", "#include \"kernels/kernel.h\""),
              ElementsAre("core/shape.cpp:2: kernels/kernel.h: core/ must not include kernels/"));
  EXPECT_THAT(check("kernels/select.cpp", "#include \"engine/graph/graph.h\""),
              ElementsAre(HasSubstr("kernels/ must not include engine/")));
  EXPECT_THAT(check("layers/conv.cpp", "  #  include \"tessera/model.h\""),
              ElementsAre(HasSubstr("layers/ must not include engine/")));
  EXPECT_THAT(check("engine/model/model.cpp", "#include \"tools/infer/json.h\""),
              ElementsAre(HasSubstr("engine/ must not include tools/")));
  EXPECT_THAT(check("tools/infer/main.cpp", "#include \"tests/tools/run_infer.h\""),
              ElementsAre(HasSubstr("tools/ must not include tests/")));
}

TEST_F(PlantedLineTest, LibrariesOutsideTheirCornerAreFound) {
  EXPECT_THAT(check("engine/model/model.cpp", "#include <google/protobuf/message_lite.h>"),
              ElementsAre(HasSubstr("protobuf belongs in engine/onnx/")));
  EXPECT_THAT(check("engine/executor/step.cpp", "#include \"onnx_schema.pb.h\""),
              ElementsAre(HasSubstr("protobuf belongs in engine/onnx/")));
  EXPECT_THAT(check("kernels/reference/conv.cpp", "#include <dnnl.hpp>"),
              ElementsAre(HasSubstr("oneDNN belongs in kernels/cpu/")));
  EXPECT_THAT(check("engine/pipeline/pipeline.cpp", "#include <cuda_runtime.h>"),
              ElementsAre(HasSubstr("CUDA belongs in kernels/cuda/")));
  EXPECT_THAT(check("tools/infer/main.cpp", "#include <cublas_v2.h>"),
              ElementsAre(HasSubstr("CUDA belongs in kernels/cuda/")));
  EXPECT_THAT(check("tools/infer/main.cpp", "#include <spng.h>"),
              ElementsAre(HasSubstr("image libraries belongs in engine/image/")));
}

TEST_F(PlantedLineTest, DeviceHeadersInHostCodeAreFound) {
  EXPECT_THAT(check("kernels/cuda/kernels.cpp", "#include \"kernels/cuda/launch.cuh\""),
              ElementsAre(HasSubstr("host code includes a .cuh")));
  EXPECT_THAT(check("tests/kernels/x_test.cpp", "#include \"kernels/cuda/launch.cuh\""),
              ElementsAre(HasSubstr("host code includes a .cuh")));
}

TEST_F(PlantedLineTest, PathsThatDoNotStartAtTheRootAreFound) {
  EXPECT_THAT(check("core/shape.cpp", "#include \"shape.h\""),
              ElementsAre(HasSubstr("not a path from the root")));
  EXPECT_THAT(check("core/shape.cpp", "#include \"../core/shape.h\""),
              ElementsAre(HasSubstr("not a path from the root")));
}

TEST_F(PlantedLineTest, RightLinesPass) {
  EXPECT_THAT(check("core/shape.cpp", "#include \"core/shape.h\""), IsEmpty());
  EXPECT_THAT(check("core/shape.cpp", "#include <vector>"), IsEmpty());
  EXPECT_THAT(check("tools/infer/main.cpp", "#include \"tessera/model.h\""), IsEmpty());
  EXPECT_THAT(check("engine/onnx/load.cpp", "#include \"onnx_schema.pb.h\""), IsEmpty());
  EXPECT_THAT(check("kernels/cpu/conv.cpp", "#include <oneapi/dnnl/dnnl.hpp>"), IsEmpty());
  EXPECT_THAT(check("kernels/cuda/gemm/naive.cu", "#include \"kernels/cuda/launch.cuh\""),
              IsEmpty());
}

TEST(IncludeDirectionTest, ReadsTheBlockAndNothingElse) {
  const IncludeDirection direction = parse_include_direction(
      "text: not this\n```include-direction\ncore:\nkernels: core\n```\nmore: text\n");
  EXPECT_EQ(direction, (IncludeDirection{{"core", {}}, {"kernels", {"core"}}}));
}

}  // namespace
}  // namespace tessera
