// SPDX-License-Identifier: Apache-2.0
// Output files of infer: their content, and that they stay valid when a run ends early.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/graph/printable.h"
#include "tests/engine/onnx_builder.h"
#include "tests/tools/run_infer.h"
#include "tests/tools/small_models.h"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kNpyHeader = 128;

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    write_brightest_pixel_model(model_);
    write_pixel(good_, 2);
    write_file(broken_, "P5\n2 2\n255\n");
  }

  ProcessResult write(const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {model_, good_,      broken_,
                                          good_,  "--output", folder_.path(file)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_infer(arguments);
  }
  std::string content(const std::string& file) { return read_file(folder_.path(file)); }

  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx");
  std::string good_ = folder_.path("a \"quoted\", name.pgm");
  std::string broken_ = folder_.path("broken.pgm");
};

TEST_F(OutputTest, CsvQuotesAndKeepsFailedRows) {
  const ProcessResult result = write("out.csv", {"--top", "2"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  const std::string text = content("out.csv");
  const std::string quoted = "\"" + folder_.path("a \"\"quoted\"\", name.pgm") + "\"";
  const std::string row = quoted + ",bottom left,1,top left,0,\n";
  EXPECT_THAT(text, StartsWith("image,top1,score1,top2,score2,error\n" + row + broken_ + ",,,,,"));
  EXPECT_TRUE(text.ends_with(row)) << text;
}

TEST_F(OutputTest, JsonLinesHasOneObjectARow) {
  EXPECT_EQ(write("out.jsonl").exit_code, 1);
  std::istringstream lines(content("out.jsonl"));
  std::vector<json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(json::parse(line));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("image"), good_);
  EXPECT_EQ(rows[0].at("top"),
            json::parse(R"([{"index": 2, "label": "bottom left", "score": 1}])"));
  EXPECT_THAT(rows[1].at("error").get<std::string>(), HasSubstr("broken.pgm"));
}

TEST_F(OutputTest, JsonFileAndJsonOnStdoutHaveTheDocumentedKeys) {
  EXPECT_EQ(write("out.json").exit_code, 1);
  const json file = json::parse(content("out.json"));
  const json printed = run_infer({model_, good_, broken_, good_, "--json"}).json();
  for (const json& document : {file, printed}) {
    EXPECT_EQ(document.at("model"), model_);
    EXPECT_TRUE(document.at("device").is_string());
    EXPECT_EQ(document.at("results").size(), 3U);
    EXPECT_EQ(document.at("images"), 3);
    EXPECT_EQ(document.at("failed"), 1);
    EXPECT_TRUE(document.at("seconds").is_number());
    EXPECT_EQ(document.at("complete"), true);
  }
}

TEST_F(OutputTest, NpyHoldsAllScoresAndNanForFailedRows) {
  EXPECT_EQ(write("out.npy").exit_code, 1);
  const std::string bytes = content("out.npy");
  ASSERT_EQ(bytes.size(), kNpyHeader + 3 * 4 * sizeof(float));
  EXPECT_THAT(bytes, StartsWith(std::string("\x93NUMPY\x01\x00", 8)));
  EXPECT_THAT(bytes.substr(0, kNpyHeader),
              HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"));
  EXPECT_EQ(bytes[kNpyHeader - 1], '\n');
  std::vector<float> scores(12);
  std::memcpy(scores.data(), bytes.data() + kNpyHeader, scores.size() * sizeof(float));
  EXPECT_EQ(std::vector<float>(scores.begin(), scores.begin() + 4),
            (std::vector<float>{0, 0, 1, 0}));
  for (size_t i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(scores[i]));
}

TEST_F(OutputTest, NpyWhoseFirstRowFailedHasTheRightShape) {
  run_infer({model_, broken_, good_, "--output", folder_.path("out.npy")});
  EXPECT_THAT(content("out.npy"), HasSubstr("'shape': (2, 4)"));
}

// Latin-1 names, say: whatever is written is valid UTF-8, and the name can be had back.
TEST_F(OutputTest, NamesThatAreNotUtf8AreEscapedInAllFormats) {
  const std::string plain = folder_.path("caf");
  const std::vector<std::string> names = {"\xe9.pgm", "\\xe9.pgm", "\xc3\xa9.pgm", "\n.pgm",
                                          "\xe9 broken.pgm"};
  const std::vector<std::string> shown = {"\\xe9.pgm", "\\x5cxe9.pgm", "\xc3\xa9.pgm", "\\x0a.pgm",
                                          "\\xe9 broken.pgm"};
  std::vector<std::string> arguments = {folder_.path("mod\xe8le.onnx")};
  std::filesystem::copy(model_, arguments[0]);
  for (const std::string& name : names) {
    write_pixel(plain + name, 1);
    arguments.push_back(plain + name);
  }
  write_file(plain + names.back(), "P5\n2 2\n255\n");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    ProcessResult result = run_infer(all);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_TRUE(is_valid_utf8(result.out + result.err)) << result.out << result.err;
    return result;
  };
  std::string rows;
  std::string csv = "image,top1,score1,error\n";
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    rows += plain + shown[i] + "\t1\t1\n";
    csv += plain + shown[i] + ",1,1,\n";
  }
  EXPECT_EQ(run({}).out, rows);
  run({"--output", folder_.path("out.csv")});
  EXPECT_THAT(content("out.csv"), StartsWith(csv + plain + shown.back() + ",,,"));
  EXPECT_TRUE(is_valid_utf8(content("out.csv")));
  const json printed = run({"--json"}).json();
  EXPECT_EQ(printed.at("model"), folder_.path("mod\\xe8le.onnx"));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(printed.at("results").at(i).at("image"), plain + shown[i]);
  }
  run({"--output", folder_.path("out.jsonl")});
  EXPECT_TRUE(is_valid_utf8(content("out.jsonl")));
  EXPECT_THAT(content("out.jsonl"), HasSubstr("caf\\\\xe9.pgm"));
}

TEST_F(OutputTest, UnknownExtensionIsAUsageError) {
  const ProcessResult result = write("out.xlsx");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(".csv, .jsonl, .json or .npy"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out.xlsx")));
}

TEST_F(OutputTest, FolderThatIsNotThere) {
  const ProcessResult result = write("no/such/out.csv");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no/such/out.csv: cannot be created"));
}

TEST_F(OutputTest, FullDiskIsOneMessageAndExitCodeOne) {
  for (const char* name : {"full.csv", "full.json", "full.jsonl"}) {
    std::filesystem::create_symlink("/dev/full", folder_.path(name));
    const ProcessResult result =
        run_infer({model_, good_, "--quiet", "--output", folder_.path(name)});
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_EQ(result.err,
              "infer: " + folder_.path(name) + ": cannot be written: No space left on device\n");
  }
}

TEST_F(OutputTest, FullDiskBehindStdoutIsOneMessageAndExitCodeOne) {
  ProcessOptions to_full_disk;
  to_full_disk.stdout_path = "/dev/full";
  const ProcessResult rows = run_infer({model_, good_, "--quiet"}, to_full_disk);
  EXPECT_EQ(rows.exit_code, 1);
  EXPECT_EQ(rows.err, "infer: standard output: cannot be written: No space left on device\n");
  EXPECT_EQ(run_infer({"ops"}, to_full_disk).exit_code, 1);
  EXPECT_EQ(run_infer({"--version"}, to_full_disk).exit_code, 1);
}

// A file system of a few KiB, to fill it up in the middle of a run.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directory(folder);
    mounted_ =
        run_process({"/bin/mount", "-t", "tmpfs", "-o", "size=16k", "none", folder}).exit_code == 0;
  }
  ~SmallDisk() {
    if (mounted_) run_process({"/bin/umount", folder_});
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

TEST_F(OutputTest, RowsWrittenBeforeTheDiskWasFullStayReadable) {
  const SmallDisk disk(folder_.path("disk"));
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a small tmpfs";
  constexpr size_t kPictures = 4000;
  write_idx_pictures(folder_.path("many-idx3-ubyte"), kPictures);
  const auto fill = [&](const std::string& name) {
    const ProcessResult result = run_infer({model_, folder_.path("many-idx3-ubyte"), "--quiet",
                                            "--output", folder_.path("disk/" + name)});
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_THAT(result.err, HasSubstr("No space left on device"));
    const std::string bytes = content("disk/" + name);
    std::filesystem::remove(folder_.path("disk/" + name));
    return bytes;
  };
  const std::string csv = fill("out.csv");
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 50);
  EXPECT_TRUE(csv.ends_with(",1,\n")) << csv.substr(csv.size() - 80);
  const json document = json::parse(fill("out.json"), nullptr, false);
  ASSERT_FALSE(document.is_discarded());
  EXPECT_GT(document.at("results").size(), 50U);
  EXPECT_EQ(document.at("complete"), false);
  const std::string npy = fill("out.npy");
  const size_t rows = (npy.size() - kNpyHeader) / (4 * sizeof(float));
  EXPECT_EQ((npy.size() - kNpyHeader) % (4 * sizeof(float)), 0U);
  EXPECT_THAT(npy, HasSubstr("'shape': (" + std::to_string(rows) + ", 4)"));
}

TEST_F(OutputTest, ClosedPipeIsOneMessageAndExitCodeOne) {
  constexpr size_t kPictures = 200000;
  write_idx_pictures(folder_.path("many-idx3-ubyte"), kPictures);
  ProcessOptions options;
  options.close_stdout_after_output = true;
  const ProcessResult result =
      run_infer({model_, folder_.path("many-idx3-ubyte"), "--quiet"}, options);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "infer: standard output: cannot be written: Broken pipe\n");
}

TEST_F(OutputTest, InterruptKeepsEveryFinishedRow) {
  constexpr size_t kPictures = 2000000;
  write_idx_pictures(folder_.path("many-idx3-ubyte"), kPictures);
  ProcessOptions options;
  options.interrupt_after_bytes = 1;
  const ProcessResult rows =
      run_infer({model_, folder_.path("many-idx3-ubyte"), "--device", "reference"}, options);
  EXPECT_EQ(rows.exit_code, 130) << rows.err;
  EXPECT_THAT(rows.err, HasSubstr("; interrupted"));
  const auto count = static_cast<size_t>(std::count(rows.out.begin(), rows.out.end(), '\n'));
  EXPECT_THAT(rows.err, HasSubstr("infer: " + std::to_string(count) + " images, 0 failed"));
  EXPECT_LT(count, kPictures);
  EXPECT_TRUE(rows.out.ends_with("\t1\n"));
  const json document =
      run_infer({model_, folder_.path("many-idx3-ubyte"), "--json"}, options).json();
  ASSERT_FALSE(document.is_discarded());
  EXPECT_EQ(document.at("complete"), false);
  EXPECT_EQ(document.at("results").size(), document.at("images").get<size_t>());
}

// A file that is opened while stderr is closed must not become stderr.
TEST_F(OutputTest, MessagesAreNotWrittenIntoAFileWhenStreamsAreClosed) {
  for (const std::vector<int>& closed : {std::vector<int>{2}, {1, 2}, {0, 1, 2}}) {
    ProcessOptions options;
    options.closed = closed;
    const ProcessResult result =
        run_infer({model_, good_, broken_, "--output", folder_.path("rows.jsonl")}, options);
    EXPECT_EQ(result.exit_code, 1);
    std::istringstream lines(content("rows.jsonl"));
    size_t rows = 0;
    for (std::string line; std::getline(lines, line); ++rows) {
      EXPECT_TRUE(json::accept(line)) << line;
    }
    EXPECT_EQ(rows, 2U);
  }
}

TEST_F(OutputTest, AClosedStdoutIsAnError) {
  for (const std::vector<int>& closed : {std::vector<int>{1}, {0, 1}}) {
    ProcessOptions options;
    options.closed = closed;
    const ProcessResult result = run_infer({model_, good_, "--quiet"}, options);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err, "infer: standard output: cannot be written: Bad file descriptor\n");
  }
}

TEST_F(OutputTest, NeverWritesOverWhatTheRunReads) {
  const std::string before = read_file(good_);
  std::filesystem::create_symlink(good_, folder_.path("link.csv"));
  const ProcessResult linked = write("link.csv");
  EXPECT_EQ(linked.exit_code, 2);
  EXPECT_THAT(linked.err, HasSubstr("this run reads that file"));
  EXPECT_EQ(read_file(good_), before);
  const std::string sidecar = std::filesystem::path(model_).stem().string() + ".infer.json";
  EXPECT_EQ(write(sidecar).exit_code, 2);
}

TEST_F(OutputTest, ARefusedRunLeavesAnOldFileAsItWas) {
  write_file(folder_.path("old.csv"), "precious");
  EXPECT_EQ(write("old.csv", {"--channels", "rgb"}).exit_code, 2);
  EXPECT_EQ(content("old.csv"), "precious");
}

TEST_F(OutputTest, AShorterResultReplacesAllOfALongerFile) {
  write_file(folder_.path("old.csv"), std::string(100000, 'x'));
  EXPECT_EQ(write("old.csv").exit_code, 1);  // one of the three pictures is broken
  EXPECT_THAT(content("old.csv"), StartsWith("image,top1,score1,error\n"));
  EXPECT_THAT(content("old.csv"), ::testing::Not(HasSubstr("xxx")));
}

TEST_F(OutputTest, NoMoreColumnsThanClasses) {
  EXPECT_EQ(write("rows.csv", {"--top", "1000000"}).exit_code, 1);
  EXPECT_THAT(content("rows.csv"), HasSubstr(",top4,score4,error\n"));
}

}  // namespace
}  // namespace tessera
