// SPDX-License-Identifier: Apache-2.0
// Tensors of a model file: every element type in every field, and sizes that do not fit.
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string_view>

#include "engine/onnx/load.h"
#include "onnx_schema.pb.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

// A model whose output is its initializer "w".
class OnnxTensor : public ::testing::Test {
 protected:
  OnnxTensor() { builder.output("w"); }

  // A fresh initializer "w" of the given element type (a number of TensorProto.DataType).
  onnx::TensorProto& start(int32_t element_type, const std::vector<int64_t>& dims) {
    builder.proto().mutable_graph()->clear_initializer();
    onnx::TensorProto& proto = *builder.proto().mutable_graph()->add_initializer();
    proto.set_name("w");
    proto.set_data_type(element_type);
    for (const int64_t extent : dims) proto.add_dims(extent);
    return proto;
  }

  [[nodiscard]] Tensor read() const {
    const Result<Graph> graph = builder.load();
    EXPECT_TRUE(graph.ok()) << graph.status().message();
    return graph.ok() ? *graph->values[graph->outputs[0]].constant : Tensor();
  }
  [[nodiscard]] Status status() const { return builder.load().status(); }
  [[nodiscard]] std::string message() const { return status().message(); }

  void expect_read_back(const Tensor& value) {
    for (const bool raw : {true, false}) {
      builder.proto().mutable_graph()->clear_initializer();
      raw ? builder.initializer("w", value) : builder.typed_initializer("w", value);
      const Tensor tensor = read();
      ASSERT_EQ(tensor.desc(), value.desc()) << (raw ? "raw" : "typed");
      EXPECT_EQ(bytes_of(tensor), bytes_of(value)) << value.desc() << (raw ? " raw" : " typed");
    }
  }

  OnnxBuilder builder;
};

template <typename T>
Tensor extremes() {
  using Limits = std::numeric_limits<T>;
  return Tensor::from_values<T>({2, 2}, {Limits::lowest(), Limits::max(), T{1}, T{0}});
}

Tensor tensor_of_bits(DType dtype, std::initializer_list<uint16_t> bits) {
  const Shape shape{static_cast<int64_t>(bits.size())};
  Tensor tensor = allocate_small_tensor({dtype, shape});
  std::memcpy(tensor.mutable_data(), bits.begin(), bits.size() * sizeof(uint16_t));
  return tensor;
}

TEST_F(OnnxTensor, EveryElementTypeIsReadBackBitForBit) {
  expect_read_back(extremes<float>());
  expect_read_back(extremes<double>());
  expect_read_back(extremes<int8_t>());
  expect_read_back(extremes<uint8_t>());
  expect_read_back(extremes<int16_t>());
  expect_read_back(extremes<uint16_t>());
  expect_read_back(extremes<int32_t>());
  expect_read_back(extremes<uint32_t>());
  expect_read_back(extremes<int64_t>());
  expect_read_back(extremes<uint64_t>());
  expect_read_back(Tensor::from_values<bool>({3}, {true, false, true}));
  expect_read_back(tensor_of_bits(DType::kF16, {0x0000, 0x3c00, 0xfbff, 0x7c01}));
  expect_read_back(tensor_of_bits(DType::kBF16, {0x8000, 0x3f80, 0xff7f}));
}

TEST_F(OnnxTensor, ScalarsAndEmptyTensors) {
  expect_read_back(Tensor::from_values<float>({}, {3.0f}));
  expect_read_back(Tensor::from_values<float>({0, 4}, {}));
  start(onnx::TensorProto::FLOAT, {2, 0});
  EXPECT_EQ(read().shape(), Shape({2, 0}));
}

TEST_F(OnnxTensor, LargeRawData) {
  std::vector<float> values(100000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  expect_read_back(Tensor::from_values<float>({1000, 100}, std::span<const float>(values)));
}

TEST_F(OnnxTensor, SignExtendedFloat16) {
  start(onnx::TensorProto::FLOAT16, {2}).add_int32_data(-1024);  // 0xfc00 as a signed number
  builder.proto().mutable_graph()->mutable_initializer(0)->add_int32_data(0x3c00);
  EXPECT_EQ(std::memcmp(read().data(), std::vector<uint16_t>{0xfc00, 0x3c00}.data(), 4), 0);
}

TEST_F(OnnxTensor, AnyByteButZeroIsTrue) {
  start(onnx::TensorProto::BOOL, {3}).set_raw_data(std::string("\x00\x07\x01", 3));
  const Tensor tensor = read();
  const auto* bytes = static_cast<const uint8_t*>(tensor.data());
  EXPECT_THAT(std::vector<int>(bytes, bytes + 3), ElementsAre(0, 1, 1));
}

TEST_F(OnnxTensor, RawDataShorterOrLongerThanDims) {
  start(onnx::TensorProto::FLOAT, {100}).set_raw_data("12345678");
  EXPECT_EQ(status().code(), StatusCode::kInvalidModel);
  EXPECT_EQ(message(),
            "test.onnx: initializer 'w': 8 bytes of data for dims (100) of float32 = 400 bytes");
  start(onnx::TensorProto::FLOAT, {1}).set_raw_data("12345678");
  EXPECT_THAT(message(), EndsWith("8 bytes of data for dims (1) of float32 = 4 bytes"));
  start(onnx::TensorProto::FLOAT, {0}).set_raw_data("1234");
  EXPECT_THAT(message(), EndsWith("4 bytes of data for dims (0) of float32 = 0 bytes"));
}

TEST_F(OnnxTensor, TypedFieldShorterOrLongerThanDims) {
  start(onnx::TensorProto::FLOAT, {2}).add_float_data(1.0f);
  EXPECT_THAT(message(), EndsWith("float_data has length 1, dims (2) of float32 need 2"));
  start(onnx::TensorProto::INT64, {}).add_float_data(1.0f);
  EXPECT_THAT(message(), EndsWith("int64_data has length 0, dims () of int64 need 1"));
  start(onnx::TensorProto::FLOAT, {3});
  EXPECT_THAT(message(), EndsWith("float_data has length 0, dims (3) of float32 need 3"));
}

TEST_F(OnnxTensor, ValuesThatDoNotFitTheType) {
  start(onnx::TensorProto::INT8, {1}).add_int32_data(300);
  EXPECT_THAT(message(), EndsWith("value 300 at index 0 of int32_data does not fit int8"));
  start(onnx::TensorProto::UINT16, {1}).add_int32_data(-1);
  EXPECT_THAT(message(), EndsWith("value -1 at index 0 of int32_data does not fit uint16"));
  start(onnx::TensorProto::UINT32, {1}).add_uint64_data(uint64_t{1} << 32);
  EXPECT_THAT(message(), HasSubstr("does not fit uint32"));
  start(onnx::TensorProto::FLOAT16, {1}).add_int32_data(70000);
  EXPECT_THAT(message(), HasSubstr("does not fit float16"));
}

TEST_F(OnnxTensor, DimsThatOverflow) {
  start(onnx::TensorProto::FLOAT, {int64_t{1} << 62, 4});
  EXPECT_EQ(status().code(), StatusCode::kInvalidModel);
  EXPECT_THAT(message(), HasSubstr("initializer 'w': the size of dims (4611686018427387904, 4) of "
                                   "float32 overflows 64 bits"));
  start(onnx::TensorProto::FLOAT, {int64_t{1} << 62});
  EXPECT_THAT(message(), HasSubstr("overflows 64 bits"));
  start(onnx::TensorProto::FLOAT, {int64_t{1} << 40}).set_raw_data("1234");
  EXPECT_THAT(message(), HasSubstr("4 bytes of data for dims (1099511627776) of float32"));
}

TEST_F(OnnxTensor, NegativeDims) {
  start(onnx::TensorProto::FLOAT, {2, -1}).set_raw_data("12345678");
  EXPECT_THAT(message(), EndsWith("initializer 'w': negative extent in dims (2, -1)"));
}

TEST_F(OnnxTensor, TooManyDims) {
  start(onnx::TensorProto::FLOAT, std::vector<int64_t>(65, 1)).set_raw_data("1234");
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(message(), HasSubstr("has 65 dims"));
}

TEST_F(OnnxTensor, UnsupportedElementTypesAreNamed) {
  const std::vector<std::pair<int32_t, std::string>> types = {
      {0, "has no element type"},
      {8, "element type string is"},
      {14, "element type complex64 is"},
      {17, "element type float8e4m3fn is"},
      {22, "element type int4 is"},
      {23, "element type float4e2m1 is"},
      {-1, "element type number -1 is not"},
      {99, "element type number 99 is not"}};
  for (const auto& [number, text] : types) {
    start(number, {1});
    EXPECT_THAT(message(), HasSubstr("initializer 'w': " + text));
  }
}

TEST_F(OnnxTensor, DataStoredTwice) {
  onnx::TensorProto& proto = start(onnx::TensorProto::FLOAT, {1});
  proto.set_raw_data("1234");
  proto.add_float_data(1.0f);
  EXPECT_THAT(message(), HasSubstr("initializer 'w': stores its data twice"));
}

TEST_F(OnnxTensor, Segments) {
  start(onnx::TensorProto::FLOAT, {1}).mutable_segment()->set_begin(0);
  EXPECT_THAT(message(), HasSubstr("initializer 'w': is stored in segments"));
}

TEST(TensorProtoFile, IsReadBack) {
  const TemporaryFolder folder;
  const Tensor value = Tensor::from_values<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  write_file(folder.path("input_0.pb"), tensor_proto_bytes(value, "x"));
  const Result<Tensor> read = load_tensor_proto(folder.path("input_0.pb"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->shape(), Shape({2, 3}));
  EXPECT_THAT(read->values<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TensorProtoFile, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_tensor_proto(folder.path("none.pb")).status().message(),
            folder.path("none.pb") + ": no such file");
  write_file(folder.path("text.pb"), "hello\n");
  EXPECT_EQ(load_tensor_proto(folder.path("text.pb")).status().message(),
            folder.path("text.pb") + ": not an ONNX file but a text file");
  const std::string bytes = tensor_proto_bytes(Tensor::from_values<float>({2}, {1, 2}));
  write_file(folder.path("cut.pb"), bytes.substr(0, bytes.size() - 3));
  EXPECT_THAT(load_tensor_proto(folder.path("cut.pb")).status().message(),
              HasSubstr("cut.pb: truncated or not an ONNX file"));
}

}  // namespace
}  // namespace tessera
