// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "engine/image/input_source.h"
#include "tests/engine/image_test_helpers.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string gzip(const std::string& content) {
  z_stream stream = {};
  constexpr int kGzip = 16 + MAX_WBITS;
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class GzipIdx : public ::testing::Test {
 protected:
  void expect_refused(const std::string& content, const std::string& part) {
    write_file(path, content);
    const auto labels = load_label_set(path);
    ASSERT_FALSE(labels.ok()) << part;
    EXPECT_EQ(labels.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(labels.status().message(), HasSubstr(path));
    EXPECT_THAT(labels.status().message(), HasSubstr(part));
  }

  TemporaryFolder folder;
  std::string path = folder.path("t10k.gz");
  std::string idx = "\0\0\x08\x01\0\0\0\x03\x05\x06\x07"s;
};

TEST_F(GzipIdx, IsInflated) {
  write_file(path, gzip(idx));
  const auto labels = load_label_set(path);
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  EXPECT_THAT(labels->by_index, ElementsAre(5, 6, 7));
}

TEST_F(GzipIdx, PicturesToo) {
  const std::vector<uint8_t> pixels = noise_bytes(2 * 3 * 3, 1);
  write_file(path, gzip("\0\0\x08\x03"s + big32(2) + big32(3) + big32(3) + to_text(pixels)));
  const std::vector<std::string> paths = {path};
  const auto sources = open_inputs(paths, {});
  ASSERT_TRUE(sources.ok()) << sources.status().message();
  EXPECT_EQ((*sources)[0]->size(), 2u);
  EXPECT_EQ((*sources)[0]->name(1), path + "[1]");
}

// As `cat a.gz b.gz` and bgzip make them: the members may end anywhere and some may be empty.
TEST_F(GzipIdx, AllMembersAreRead) {
  for (size_t cut = 0; cut <= idx.size(); ++cut) {
    write_file(path, gzip("") + gzip(idx.substr(0, cut)) + gzip(idx.substr(cut)) + gzip(""));
    const auto labels = load_label_set(path);
    ASSERT_TRUE(labels.ok()) << cut << ": " << labels.status().message();
    EXPECT_THAT(labels->by_index, ElementsAre(5, 6, 7)) << cut;
  }
}

TEST_F(GzipIdx, WhatFollowsAMemberIsAnotherOne) {
  for (const std::string& garbage : {"x"s, "\0"s, "\x1f"s, "garbage"s, idx}) {
    expect_refused(gzip(idx) + garbage, "garbage of " + std::to_string(garbage.size()) + " bytes");
    expect_refused(gzip(idx.substr(0, 5)) + garbage + gzip(idx.substr(5)), "garbage of ");
  }
  expect_refused(gzip(idx) + gzip("x"), "more bytes");
  const std::string second = gzip(idx.substr(5));
  for (size_t length = 2; length < second.size(); ++length) {
    expect_refused(gzip(idx.substr(0, 5)) + second.substr(0, length), "ends early");
  }
}

TEST_F(GzipIdx, LengthMustBeWhatTheHeaderDeclares) {
  expect_refused(gzip(idx + "x"), "more bytes");
  expect_refused(gzip(idx.substr(0, 10)), "declares 11");
  expect_refused(gzip(idx.substr(0, 6)), "header");
  expect_refused(gzip(""), "IDX");
}

// 16 MiB of zeros behind a header that declares 3 bytes: inflating stops at once.
TEST_F(GzipIdx, BombIsNotInflated) {
  expect_refused(gzip(idx + std::string(1 << 24, '\0')), "more bytes");
}

TEST_F(GzipIdx, HeaderThatDeclaresMoreThanTheFileCanHoldIsRefused) {
  expect_refused(gzip("\0\0\x08\x03"s + big32(100000) + big32(1000) + big32(1000)), "can hold");
}

TEST_F(GzipIdx, DamageIsFound) {
  const std::string whole = gzip(idx);
  for (size_t length = 2; length < whole.size(); ++length) {
    write_file(path, whole.substr(0, length));
    ASSERT_FALSE(load_label_set(path).ok()) << length;
  }
  std::string wrong_checksum = whole;
  wrong_checksum[whole.size() - 6] = static_cast<char>(wrong_checksum[whole.size() - 6] ^ 1);
  expect_refused(wrong_checksum, "broken");
}

}  // namespace
}  // namespace tessera
