// SPDX-License-Identifier: Apache-2.0
#include "engine/image/input_source.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "engine/image/natural_order.h"
#include "tests/engine/image_test_helpers.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Sources = std::vector<std::unique_ptr<InputSource>>;

Result<Sources> open(const std::vector<std::string>& paths, bool recursive = false) {
  return open_inputs(paths, {.recursive = recursive});
}

Sources open_ok(const std::vector<std::string>& paths, bool recursive = false) {
  auto sources = open(paths, recursive);
  EXPECT_TRUE(sources.ok()) << sources.status().message();
  return sources.ok() ? std::move(*sources) : Sources();
}

void expect_refused(const std::string& path, StatusCode code, const std::string& part) {
  const auto sources = open({path});
  ASSERT_FALSE(sources.ok()) << part;
  EXPECT_EQ(sources.status().code(), code) << sources.status().message();
  EXPECT_THAT(sources.status().message(), HasSubstr(path));
  EXPECT_THAT(sources.status().message(), HasSubstr(part));
}

Preprocess as_they_are(int64_t height, int64_t width, ColorMode color = ColorMode::kGray) {
  Preprocess preprocess;
  preprocess.height = height;
  preprocess.width = width;
  preprocess.color = color;
  preprocess.resize = ResizeMode::kNone;
  return preprocess;
}

std::vector<uint8_t> read_ok(const InputSource& source, size_t index,
                             const Preprocess& preprocess) {
  std::vector<uint8_t> out(
      static_cast<size_t>(preprocess.height * preprocess.width * preprocess.channels()));
  const Status status = source.read(index, preprocess, std::as_writable_bytes(std::span(out)));
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

std::string idx_bytes(const std::vector<uint32_t>& extents, const std::string& data) {
  std::string file = "\0\0\x08"s + static_cast<char>(extents.size());
  for (const uint32_t extent : extents) file += big32(extent);
  return file + data;
}

std::string npy_bytes(const std::string& descr, const std::string& shape, const std::string& data,
                      const std::string& order = "False") {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01\0"s + little16(static_cast<uint32_t>(header.size())) + header + data;
}

std::string float_bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(NaturalOrder, NumbersCountAsNumbers) {
  EXPECT_TRUE(natural_less("img2.png", "img10.png"));
  EXPECT_FALSE(natural_less("img10.png", "img2.png"));
  EXPECT_TRUE(natural_less("a", "b"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("x1y2", "x1y10"));
  EXPECT_TRUE(natural_less("x99999999999999999999998", "x99999999999999999999999"));
  EXPECT_FALSE(natural_less("same", "same"));
  // Equal numbers with other zeros: one order, whichever way they are asked.
  EXPECT_NE(natural_less("a01", "a1"), natural_less("a1", "a01"));
}

TEST(InputSource, ConsecutivePicturesAreOneSourceInNaturalOrder) {
  const TemporaryFolder folder;
  const Image image = noise_image(2, 3, 1, 1);
  std::filesystem::create_directories(folder.path("set/deep"));
  for (const char* name : {"set/img10.pgm", "set/img9.PGM", "set/deep/x.pgm", "last.pgm"}) {
    write_file(folder.path(name), pgm_bytes(image));
  }
  write_file(folder.path("set/notes.txt"), "no picture");
  write_file(folder.path("set/.hidden.pgm"), "no picture");

  Sources sources = open_ok({folder.path("set"), folder.path("last.pgm")});
  ASSERT_EQ(sources.size(), 1u);
  ASSERT_EQ(sources[0]->size(), 3u);
  EXPECT_EQ(sources[0]->name(0), folder.path("set/img9.PGM"));
  EXPECT_EQ(sources[0]->name(1), folder.path("set/img10.pgm"));
  EXPECT_EQ(sources[0]->name(2), folder.path("last.pgm"));
  EXPECT_EQ(sources[0]->kind(), SampleKind::kPixels);
  EXPECT_EQ(read_ok(*sources[0], 2, as_they_are(2, 3)), image.pixels);

  sources = open_ok({folder.path("set")}, true);
  ASSERT_EQ(sources[0]->size(), 3u);
  EXPECT_EQ(sources[0]->name(0), folder.path("set/deep/x.pgm"));
}

TEST(InputSource, BrokenPictureIsAnErrorOfItsSampleOnly) {
  const TemporaryFolder folder;
  write_file(folder.path("a.png"), "not a picture");
  write_file(folder.path("b.pgm"), pgm_bytes(noise_image(1, 1, 1, 1)));
  const Sources sources = open_ok({folder.path()});
  std::array<std::byte, 1> out = {};
  const Status status = sources[0]->read(0, as_they_are(1, 1), out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(folder.path("a.png")));
  EXPECT_TRUE(sources[0]->read(1, as_they_are(1, 1), out).ok());
}

TEST(InputSource, FoldersWithoutPicturesAreNotFound) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("empty"));
  expect_refused(folder.path("empty"), StatusCode::kNotFound, "no pictures");
  expect_refused(folder.path("nowhere"), StatusCode::kNotFound, "No such file");
  write_file(folder.path("empty/a.txt"), "");
  const auto above = open({folder.path()});
  ASSERT_FALSE(above.ok());
  EXPECT_THAT(above.status().message(), HasSubstr("--recursive"));
  EXPECT_EQ(open({}).status().code(), StatusCode::kInvalidArgument);
}

TEST(InputSource, IdxHoldsGrayPictures) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> pixels = noise_bytes(3 * 2 * 4, 5);
  write_file(folder.path("set-ubyte"), idx_bytes({3, 2, 4}, to_text(pixels)));
  const Sources sources = open_ok({folder.path("set-ubyte")});
  ASSERT_EQ(sources.size(), 1u);
  ASSERT_EQ(sources[0]->size(), 3u);
  EXPECT_EQ(sources[0]->name(2), folder.path("set-ubyte") + "[2]");
  EXPECT_EQ(read_ok(*sources[0], 1, as_they_are(2, 4)),
            std::vector<uint8_t>(pixels.begin() + 8, pixels.begin() + 16));
}

TEST(InputSource, BrokenIdxIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("set.idx");
  const auto expect = [&](const std::string& content, StatusCode code, const std::string& part) {
    write_file(path, content);
    expect_refused(path, code, part);
  };
  expect(idx_bytes({3, 2, 4}, std::string(23, 'x')), StatusCode::kInvalidArgument, "declares 40");
  expect(idx_bytes({3, 2, 4}, std::string(25, 'x')), StatusCode::kInvalidArgument, "declares 40");
  expect(idx_bytes({3, 2, 4}, "").substr(0, 9), StatusCode::kInvalidArgument, "header");
  expect(idx_bytes({0xffffffff, 0xffffffff, 0xffffffff}, "x"), StatusCode::kInvalidArgument,
         "64 bits");
  expect(idx_bytes({0, 28, 28}, ""), StatusCode::kInvalidArgument, "no samples");
  expect(idx_bytes({4}, "1234"), StatusCode::kUnsupported, "uint8 (4)");
  expect("\0\0\x0d\x01\0\0\0\x01\0\0\0\0"s, StatusCode::kUnsupported, "element type 13");
}

TEST(InputSource, NpyHoldsPicturesOrTensors) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> rgb = noise_bytes(2 * 1 * 2 * 3, 5);
  write_file(folder.path("rgb.npy"), npy_bytes("|u1", "(2, 1, 2, 3)", to_text(rgb)));
  write_file(folder.path("x.npy"), npy_bytes("<f4", "(2, 1, 2)", float_bytes({1, 2, 3, 4})));
  const Sources sources = open_ok({folder.path("rgb.npy"), folder.path("x.npy")});
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0]->kind(), SampleKind::kPixels);
  EXPECT_EQ(read_ok(*sources[0], 1, as_they_are(1, 2, ColorMode::kRgb)),
            std::vector<uint8_t>(rgb.begin() + 6, rgb.end()));
  EXPECT_EQ(sources[1]->kind(), SampleKind::kTensor);
  EXPECT_EQ(sources[1]->sample_shape(), Shape({1, 2}));
  std::array<float, 2> row = {};
  ASSERT_TRUE(sources[1]->read(1, {}, std::as_writable_bytes(std::span(row))).ok());
  EXPECT_THAT(row, ElementsAre(3.0f, 4.0f));
}

TEST(InputSource, BrokenOrForeignNpyIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("x.npy");
  const auto expect = [&](const std::string& content, StatusCode code, const std::string& part) {
    write_file(path, content);
    expect_refused(path, code, part);
  };
  const std::string eight(8, 'x');
  expect(npy_bytes("<f8", "(1,)", eight), StatusCode::kUnsupported, "float64");
  expect(npy_bytes(">f4", "(2,)", eight), StatusCode::kUnsupported, "'>f4'");
  expect(npy_bytes("<f4", "(2,)", eight, "True"), StatusCode::kUnsupported, "Fortran");
  expect(npy_bytes("<f4", "(3,)", eight), StatusCode::kInvalidArgument, "does not fit");
  expect(npy_bytes("<f4", "(1,)", eight), StatusCode::kInvalidArgument, "does not fit");
  expect(npy_bytes("<f4", "()", eight.substr(4)), StatusCode::kInvalidArgument, "no samples");
  expect(npy_bytes("<f4", "(4611686018427387904, 4)", eight), StatusCode::kInvalidArgument,
         "does not fit");
  expect(npy_bytes("<f4", "(99999999999999999999,)", eight), StatusCode::kInvalidArgument,
         "header");
  expect(npy_bytes("<f4", "(2,), 'more': 1", eight), StatusCode::kInvalidArgument, "header");
  expect(npy_bytes("<f4", "(-2,)", eight), StatusCode::kInvalidArgument, "header");
  expect(npy_bytes("|u1", "(2, 2, 2)", eight, "'no'"), StatusCode::kInvalidArgument, "header");
  expect(npy_bytes("|u1", "(1, 2, 2, 2)", eight), StatusCode::kUnsupported, "(N, H, W, C)");
  expect(npy_bytes("|u1", "(8,)", eight), StatusCode::kUnsupported, "(N, H, W)");
  expect(npy_bytes("<f4", "(2,)", eight).substr(0, 40), StatusCode::kInvalidArgument, "header");
  expect("\x93NUMPY\x09\0garbage"s, StatusCode::kUnsupported, "version 9");
  expect("garbage that is long enough", StatusCode::kInvalidArgument, "not an .npy");
  expect("", StatusCode::kInvalidArgument, "not an .npy");
}

TEST(InputSource, TensorProtoHoldsSamples) {
  const TemporaryFolder folder;
  const Tensor tensor = Tensor::from_values<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  write_file(folder.path("input_0.pb"), tensor_proto_bytes(tensor));
  const Sources sources = open_ok({folder.path("input_0.pb")});
  EXPECT_EQ(sources[0]->size(), 2u);
  std::array<float, 3> row = {};
  ASSERT_TRUE(sources[0]->read(1, {}, std::as_writable_bytes(std::span(row))).ok());
  EXPECT_THAT(row, ElementsAre(4.0f, 5.0f, 6.0f));
}

TEST(InputSource, ReadsFromManyThreads) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> pixels = noise_bytes(64 * 5 * 7, 3);
  write_file(folder.path("set"), idx_bytes({64, 5, 7}, to_text(pixels)));
  const Sources sources = open_ok({folder.path("set")});
  std::vector<std::vector<uint8_t>> got(64);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = t; i < 64; i += 4) got[i] = read_ok(*sources[0], i, as_they_are(5, 7));
      });
    }
  }
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_TRUE(std::equal(got[i].begin(), got[i].end(),
                           pixels.begin() + static_cast<std::ptrdiff_t>(i * 35)));
  }
}

TEST(LabelSet, EveryKindOfFile) {
  const TemporaryFolder folder;
  write_file(folder.path("labels-idx1"), idx_bytes({3}, "\x07\x00\xff"s));
  write_file(folder.path("labels.npy"), npy_bytes("<i4", "(2,)", little32(9) + little32(1)));
  write_file(folder.path("labels.txt"), "3\r\n 1 \n\n2\n");
  write_file(folder.path("labels.csv"), "name,label\na.png,4\nb, c.png,0\n");
  EXPECT_THAT(load_label_set(folder.path("labels-idx1"))->by_index, ElementsAre(7, 0, 255));
  EXPECT_THAT(load_label_set(folder.path("labels.npy"))->by_index, ElementsAre(9, 1));
  EXPECT_THAT(load_label_set(folder.path("labels.txt"))->by_index, ElementsAre(3, 1, 2));
  EXPECT_THAT(load_label_set(folder.path("labels.csv"))->by_name,
              ElementsAre(std::pair("a.png"s, 4), std::pair("b, c.png"s, 0)));
}

TEST(LabelSet, ErrorsNameFileAndLine) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& name, const std::string& content, StatusCode code,
                          const std::string& part) {
    write_file(folder.path(name), content);
    const auto labels = load_label_set(folder.path(name));
    ASSERT_FALSE(labels.ok()) << part;
    EXPECT_EQ(labels.status().code(), code);
    EXPECT_THAT(labels.status().message(), HasSubstr(name));
    EXPECT_THAT(labels.status().message(), HasSubstr(part));
  };
  expect("a.txt", "1\ntwo\n", StatusCode::kInvalidArgument, "line 2: 'two'");
  expect("a.txt", "1.5\n", StatusCode::kInvalidArgument, "'1.5'");
  expect("a.txt", "\n", StatusCode::kInvalidArgument, "no labels");
  expect("a.txt", "1\n\0\n"s, StatusCode::kInvalidArgument, "not a text file");
  expect("a.csv", "name,label\na.png\n", StatusCode::kInvalidArgument, "line 2");
  expect("a.npy", npy_bytes("<f4", "(1,)", float_bytes({1})), StatusCode::kInvalidArgument,
         "float32 (1)");
  expect("a.idx", idx_bytes({1, 1, 1}, "x"), StatusCode::kInvalidArgument, "uint8 (1, 1, 1)");
  EXPECT_EQ(load_label_set(folder.path("none")).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tessera
