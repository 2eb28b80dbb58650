// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <thread>

#include "engine/pipeline/pipeline.h"
#include "tests/engine/image_test_helpers.h"
#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kHeight = 3;
constexpr int64_t kWidth = 5;

// Forwards to a device whose memory is the host's and says that it is not, so that everything takes
// the way of a device that needs copies.
class CopyingDevice final : public Device {
 public:
  explicit CopyingDevice(std::shared_ptr<Device> host) : host_(std::move(host)) {}
  [[nodiscard]] const DeviceInfo& info() const override { return host_->info(); }
  [[nodiscard]] bool shares_host_memory() const override { return false; }
  [[nodiscard]] bool supports_graphs() const override { return false; }
  Result<Buffer> allocate(size_t bytes) override { return host_->allocate(bytes); }
  Result<Buffer> allocate_host(size_t bytes) override { return host_->allocate_host(bytes); }
  Result<std::unique_ptr<Stream>> create_stream() override { return host_->create_stream(); }
  Result<std::unique_ptr<Event>> create_event() override { return host_->create_event(); }

 private:
  std::shared_ptr<Device> host_;
};

// Pictures of noise; some broken, some slow.
class NoiseSource final : public InputSource {
 public:
  explicit NoiseSource(size_t size) : size_(size) {}
  [[nodiscard]] size_t size() const override { return size_; }
  [[nodiscard]] SampleKind kind() const override { return SampleKind::kPixels; }
  [[nodiscard]] std::string name(size_t index) const override {
    return "noise[" + std::to_string(index) + "]";
  }
  [[nodiscard]] Shape sample_shape() const override { return {}; }

  Status read(size_t index, const Preprocess& preprocess, std::span<std::byte> out) const override {
    if (random_delays) {
      std::this_thread::sleep_for(
          std::chrono::microseconds(noise_bytes(1, static_cast<uint32_t>(index))[0]));
    }
    size_t seen = furthest.load();
    while (seen < index + 1 && !furthest.compare_exchange_weak(seen, index + 1)) {
    }
    if (broken.contains(index)) return invalid_argument(name(index) + ": broken");
    if (throwing.contains(index)) throw std::runtime_error("thrown");
    const Image image = picture(index, preprocess.channels());
    return fit_image(image, preprocess, {reinterpret_cast<uint8_t*>(out.data()), out.size()});
  }

  static Image picture(size_t index, int64_t channels) {
    return noise_image(kHeight, kWidth, channels, static_cast<uint32_t>(index));
  }

  bool random_delays = false;
  std::set<size_t> broken;
  std::set<size_t> throwing;
  mutable std::atomic<size_t> furthest = 0;  // one more than the largest index read

 private:
  size_t size_;
};

class TensorSource final : public InputSource {
 public:
  TensorSource(size_t size, Shape shape) : size_(size), shape_(std::move(shape)) {}
  [[nodiscard]] size_t size() const override { return size_; }
  [[nodiscard]] SampleKind kind() const override { return SampleKind::kTensor; }
  [[nodiscard]] std::string name(size_t index) const override { return std::to_string(index); }
  [[nodiscard]] Shape sample_shape() const override { return shape_; }
  Status read(size_t index, const Preprocess&, std::span<std::byte> out) const override {
    const Tensor tensor = sample(index);
    std::memcpy(out.data(), tensor.data(), tensor.size_bytes());
    return {};
  }
  [[nodiscard]] Tensor sample(size_t index) const {
    return random_tensor(shape_, static_cast<uint32_t>(index + 1));
  }

 private:
  size_t size_;
  Shape shape_;
};

// Flatten, a fully connected layer and softmax: 4 scores.
std::shared_ptr<const Model> classifier(const std::vector<OnnxBuilder::Dim>& dims,
                                        int64_t elements) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, dims)
      .initializer("w", random_tensor({elements, 4}, 3))
      .node("Flatten", {"x"}, {"row"})
      .node("MatMul", {"row", "w"}, {"y"})
      .node("Softmax", {"y"}, {"p"}, {{"axis", 1}})
      .output("p");
  return build_model(builder);
}

std::shared_ptr<const Model> gray_classifier() {
  return classifier({"batch", 1, kHeight, kWidth}, kHeight * kWidth);
}

Preprocess gray() {
  Preprocess preprocess;
  preprocess.color = ColorMode::kGray;
  preprocess.resize = ResizeMode::kNone;
  preprocess.mean.fill(0.25f);
  preprocess.std.fill(0.5f);
  return preprocess;
}

struct Row {
  size_t index = 0;
  std::string name;
  Status status;
  std::vector<float> scores;
};

// What the pipeline must give for a picture: the formula and the session, one sample alone.
std::vector<float> expected_scores(const std::shared_ptr<const Model>& model, size_t index,
                                   const Preprocess& preprocess, const Shape& input) {
  const int64_t channels = preprocess.channels();
  const Image image = NoiseSource::picture(index, channels);
  std::vector<float> values(image.pixels.size());
  for (int64_t p = 0; p < kHeight * kWidth; ++p) {
    for (int64_t c = 0; c < channels; ++c) {
      const auto pixel = static_cast<float>(image.pixels[static_cast<size_t>(p * channels + c)]);
      const auto at =
          static_cast<size_t>(preprocess.nhwc ? p * channels + c : c * kHeight * kWidth + p);
      values[at] = (pixel * preprocess.scale - preprocess.mean[static_cast<size_t>(c)]) /
                   preprocess.std[static_cast<size_t>(c)];
    }
  }
  const Tensor tensor = Tensor::from_values<float>(input, std::span<const float>(values));
  const std::vector<Tensor> outputs = run_model(model, "reference", {tensor});
  const std::span<const float> scores = outputs.at(0).values<float>();
  return {scores.begin(), scores.end()};
}

// Each test runs on every device that is there: those that share the host's memory, the reference
// behind a device that needs copies, and a GPU.
class PipelineOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bool copying = GetParam() == "copying";
    auto opened = open_device(copying ? "reference" : GetParam());
    if (!opened.ok()) GTEST_SKIP() << opened.status().message();
    device = *opened;
    if (copying) device.device = std::make_shared<CopyingDevice>(device.device);
    options.preprocess = gray();
    options.batch = 7;
    options.decode_threads = 4;
  }

  std::unique_ptr<Pipeline> create(const std::shared_ptr<const Model>& model) {
    auto pipeline = Pipeline::create(model, device, options);
    EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
    return pipeline.ok() ? std::move(*pipeline) : nullptr;
  }

  std::vector<Row> run(Pipeline& pipeline, const InputSource& source) {
    std::vector<Row> rows;
    auto finished = pipeline.run(source, [&](const SampleResult& result) -> Status {
      rows.push_back(
          {result.index, result.name, result.status, {result.scores.begin(), result.scores.end()}});
      return {};
    });
    EXPECT_TRUE(finished.ok()) << finished.status().message();
    if (finished.ok()) stats = *finished;
    return rows;
  }

  // Sums of 15 to 45 products of magnitude 1 to 4, through a softmax: float32 keeps five digits.
  // The reference gives the very same numbers whatever the batch.
  void expect_near(const std::vector<float>& got, const std::vector<float>& expected) const {
    const float tolerance = device.backend->name == "reference" ? 0.0f : 1e-5f;
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(std::fabs(got[i] - expected[i]) <= tolerance)
          << got[i] << ", not " << expected[i];
    }
  }

  void expect_scores(const std::shared_ptr<const Model>& model, const std::vector<Row>& rows,
                     const Shape& input) {
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].index, i);
      ASSERT_TRUE(rows[i].status.ok()) << rows[i].status.message();
      expect_near(rows[i].scores, expected_scores(model, i, options.preprocess, input));
    }
  }

  OpenDevice device;
  PipelineOptions options;
  PipelineStats stats;
};

// A batch that the samples do not fill must not change any of them.
TEST_P(PipelineOn, EqualsTheSessionForEveryBatch) {
  const auto model = gray_classifier();
  for (const int64_t batch : {1, 7, 32}) {
    options.batch = batch;
    const auto pipeline = create(model);
    ASSERT_NE(pipeline, nullptr);
    EXPECT_EQ(pipeline->batch(), batch);
    for (const size_t samples : {45, 3, 64}) {
      const std::vector<Row> rows = run(*pipeline, NoiseSource(samples));
      ASSERT_EQ(rows.size(), samples);
      expect_scores(model, rows, {1, 1, kHeight, kWidth});
      EXPECT_EQ(stats.samples, samples);
      EXPECT_EQ(stats.failed, 0u);
      EXPECT_EQ(stats.batches,
                (samples + static_cast<size_t>(batch) - 1) / static_cast<size_t>(batch));
    }
  }
}

TEST_P(PipelineOn, LayoutsAndColours) {
  options.preprocess.color = ColorMode::kRgb;
  options.preprocess.mean = {0.1f, 0.2f, 0.3f, 0.0f};
  const auto nchw = classifier({"batch", 3, kHeight, kWidth}, 3 * kHeight * kWidth);
  expect_scores(nchw, run(*create(nchw), NoiseSource(9)), {1, 3, kHeight, kWidth});
  options.preprocess.nhwc = true;
  const auto nhwc = classifier({"batch", kHeight, kWidth, 3}, 3 * kHeight * kWidth);
  expect_scores(nhwc, run(*create(nhwc), NoiseSource(9)), {1, kHeight, kWidth, 3});
  options.preprocess.nhwc = false;
  options.preprocess.height = kHeight;
  options.preprocess.width = kWidth;
  const auto flat = classifier({"batch", 3 * kHeight * kWidth}, 3 * kHeight * kWidth);
  expect_scores(flat, run(*create(flat), NoiseSource(9)), {1, 3 * kHeight * kWidth});
  const auto open = classifier({"batch", 3, "height", "width"}, 3 * kHeight * kWidth);
  expect_scores(open, run(*create(open), NoiseSource(9)), {1, 3, kHeight, kWidth});
}

TEST_P(PipelineOn, OrderIsKeptWhateverDecodingTakes) {
  const auto model = gray_classifier();
  options.lanes = 4;
  NoiseSource source(1000);
  source.random_delays = true;
  const std::vector<Row> rows = run(*create(model), source);
  ASSERT_EQ(rows.size(), 1000u);
  expect_scores(model, rows, {1, 1, kHeight, kWidth});
  EXPECT_EQ(rows[999].name, "noise[999]");
}

TEST_P(PipelineOn, BrokenSamplesAreReportedAndTheRestGoesOn) {
  const auto model = gray_classifier();
  NoiseSource source(30);
  source.broken = {0, 8, 29};
  source.throwing = {9};
  const std::vector<Row> rows = run(*create(model), source);
  ASSERT_EQ(rows.size(), 30u);
  EXPECT_EQ(stats.failed, 4u);
  for (const Row& row : rows) {
    if (source.broken.contains(row.index)) {
      EXPECT_EQ(row.status.code(), StatusCode::kInvalidArgument);
      EXPECT_TRUE(row.scores.empty());
    } else if (source.throwing.contains(row.index)) {
      EXPECT_THAT(row.status.message(), HasSubstr("noise[9]: thrown"));
    } else {
      expect_near(row.scores,
                  expected_scores(model, row.index, options.preprocess, {1, 1, kHeight, kWidth}));
    }
  }
}

// A network whose rows depend on each other: softmax over the batch.
std::shared_ptr<const Model> batch_softmax() {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {"batch", kHeight * kWidth})
      .node("Softmax", {"x"}, {"p"}, {{"axis", 0}})
      .output("p");
  return build_model(builder);
}

Preprocess plain_gray() {
  Preprocess preprocess;
  preprocess.color = ColorMode::kGray;
  preprocess.height = kHeight;
  preprocess.width = kWidth;
  return preprocess;
}

TEST_P(PipelineOn, BrokenSampleEntersTheNetworkAsZeros) {
  options.preprocess = plain_gray();
  options.batch = 2;
  options.lanes = 1;
  NoiseSource source(6);
  source.broken = {4};
  const std::vector<Row> rows = run(*create(batch_softmax()), source);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_FALSE(rows[4].status.ok());
  const Image other = NoiseSource::picture(5, 1);
  ASSERT_EQ(rows[5].scores.size(), other.pixels.size());
  for (size_t i = 0; i < other.pixels.size(); ++i) {
    EXPECT_NEAR(rows[5].scores[i], 1.0 / (1.0 + std::exp(-other.pixels[i] / 255.0)), 1e-5);
  }
}

TEST_P(PipelineOn, NetworkNeverSeesRowsThatAreNotThere) {
  options.preprocess = plain_gray();
  options.batch = 4;
  const std::vector<Row> rows = run(*create(batch_softmax()), NoiseSource(5));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[4].scores, ::testing::Each(1.0f));
  EXPECT_THAT(rows[3].scores, ::testing::Each(::testing::Lt(1.0f)));
}

TEST_P(PipelineOn, ErrorOfTheSinkEndsTheRun) {
  const auto pipeline = create(gray_classifier());
  NoiseSource source(1000);
  size_t calls = 0;
  const auto failing = [&](const SampleResult&) -> Status {
    return ++calls == 10 ? io_error("disk full") : Status();
  };
  const auto finished = pipeline->run(source, failing);
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.status().code(), StatusCode::kIo);
  EXPECT_EQ(calls, 10u);
  // Back-pressure: what was decoded is what fits into the lanes.
  EXPECT_LE(source.furthest.load(), 7u * (static_cast<size_t>(options.lanes) + 2));
  EXPECT_EQ(run(*pipeline, NoiseSource(20)).size(), 20u);
}

TEST_P(PipelineOn, ExceptionOfTheSinkBecomesAnError) {
  const auto pipeline = create(gray_classifier());
  const auto finished = pipeline->run(NoiseSource(100), [](const SampleResult&) -> Status {
    throw std::runtime_error("out of paper");
  });
  ASSERT_FALSE(finished.ok());
  EXPECT_THAT(finished.status().message(), HasSubstr("out of paper"));
}

TEST_P(PipelineOn, CancelFinishesWhatWasBegun) {
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  const auto model = gray_classifier();
  const auto pipeline = create(model);
  std::vector<size_t> indices;
  const auto stop_at_ten = [&](const SampleResult& result) -> Status {
    indices.push_back(result.index);
    cancel = cancel || result.index == 10;
    return result.status;
  };
  const auto finished = pipeline->run(NoiseSource(1000), stop_at_ten);
  ASSERT_TRUE(finished.ok()) << finished.status().message();
  EXPECT_EQ(finished->samples, indices.size());
  EXPECT_GE(indices.size(), 14u);
  EXPECT_LE(indices.size(), 7u * (static_cast<size_t>(options.lanes) + 2));
  EXPECT_EQ(indices.size() % 7, 0u);
  EXPECT_EQ(run(*pipeline, NoiseSource(5)).size(), 0u);  // still cancelled
}

TEST_P(PipelineOn, TensorsAreTakenAsTheyAre) {
  const auto model = gray_classifier();
  const TensorSource source(17, {kHeight, kWidth});
  const std::vector<Row> rows = run(*create(model), source);
  ASSERT_EQ(rows.size(), 17u);
  for (const Row& row : rows) {
    const Tensor input = source.sample(row.index).reshaped({1, 1, kHeight, kWidth});
    const Tensor expected = run_model(model, "reference", {input})[0];
    const std::span<const float> scores = expected.values<float>();
    expect_near(row.scores, {scores.begin(), scores.end()});
  }
}

TEST_P(PipelineOn, PicturesAndTensorsInTurn) {
  const auto model = gray_classifier();
  const auto pipeline = create(model);
  EXPECT_EQ(run(*pipeline, TensorSource(9, {1, kHeight, kWidth})).size(), 9u);
  expect_scores(model, run(*pipeline, NoiseSource(16)), {1, 1, kHeight, kWidth});
  EXPECT_EQ(run(*pipeline, TensorSource(30, {1, kHeight, kWidth})).size(), 30u);
}

TEST_P(PipelineOn, ModelWithABatchOfOneRunsOneByOne) {
  const auto model = classifier({1, 1, kHeight, kWidth}, kHeight * kWidth);
  const auto pipeline = create(model);
  EXPECT_EQ(pipeline->batch(), 1);
  EXPECT_THAT(pipeline->notes(), ElementsAre(HasSubstr("one by one")));
  const std::vector<Row> rows = run(*pipeline, NoiseSource(5));
  ASSERT_EQ(rows.size(), 5u);
  expect_scores(model, rows, {1, 1, kHeight, kWidth});
}

TEST_P(PipelineOn, ModelWithAFixedBatchGetsItsLastSampleAgain) {
  const auto fixed = classifier({4, 1, kHeight, kWidth}, kHeight * kWidth);
  const auto pipeline = create(fixed);
  EXPECT_EQ(pipeline->batch(), 4);
  EXPECT_THAT(pipeline->notes(), ElementsAre(HasSubstr("repeating its last sample")));
  for (const size_t samples : {2, 10}) {
    const std::vector<Row> rows = run(*pipeline, NoiseSource(samples));
    ASSERT_EQ(rows.size(), samples);
    expect_scores(gray_classifier(), rows, {1, 1, kHeight, kWidth});
  }
}

TEST_P(PipelineOn, NoSamplesNoCalls) {
  EXPECT_TRUE(run(*create(gray_classifier()), NoiseSource(0)).empty());
  EXPECT_EQ(stats.batches, 0u);
}

TEST_P(PipelineOn, StagesAreMeasured) {
  run(*create(gray_classifier()), NoiseSource(50));
  EXPECT_GT(stats.wall_seconds, 0.0);
  EXPECT_GT(stats.decode_seconds, 0.0);
  EXPECT_GT(stats.compute_seconds, 0.0);
  const bool copies = !device.device->shares_host_memory();
  EXPECT_EQ(stats.copy_in_seconds > 0.0, copies);
  EXPECT_EQ(stats.copy_out_seconds > 0.0, copies);
}

INSTANTIATE_TEST_SUITE_P(Devices, PipelineOn,
                         ::testing::Values("reference", "copying", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

class PipelineRefuses : public ::testing::Test {
 protected:
  void expect_refused(const std::shared_ptr<const Model>& model, StatusCode code,
                      const std::string& part) {
    const auto pipeline = Pipeline::create(model, *open_device("reference"), options);
    ASSERT_FALSE(pipeline.ok()) << part;
    EXPECT_EQ(pipeline.status().code(), code) << pipeline.status().message();
    EXPECT_THAT(pipeline.status().message(), HasSubstr(part));
  }

  Status run_status(const std::shared_ptr<const Model>& model, const InputSource& source) {
    const auto pipeline = Pipeline::create(model, *open_device("reference"), options);
    EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
    return (*pipeline)->run(source, [](const SampleResult&) { return Status(); }).status();
  }

  void SetUp() override { options.preprocess = gray(); }

  PipelineOptions options;
};

TEST_F(PipelineRefuses, OptionsThatMakeNoSense) {
  options.batch = 0;
  expect_refused(gray_classifier(), StatusCode::kInvalidArgument, "batch of 0");
  options = PipelineOptions();
  options.lanes = 0;
  expect_refused(gray_classifier(), StatusCode::kInvalidArgument, "in flight");
  options = PipelineOptions();
  options.decode_threads = -1;
  expect_refused(gray_classifier(), StatusCode::kInvalidArgument, "decode threads");
}

TEST_F(PipelineRefuses, ModelsThatDoNotTakeOneBatchOfFloats) {
  OnnxBuilder two;
  two.input("a", DType::kF32, {"n", 2}).input("b", DType::kF32, {"n", 2});
  two.node("Add", {"a", "b"}, {"y"}).output("y");
  expect_refused(build_model(two), StatusCode::kInvalidArgument, "this one has 2");

  OnnxBuilder turned;
  turned.input("x", DType::kF32, {"n", 2});
  turned.node("Transpose", {"x"}, {"y"}, {{"perm", std::vector<int64_t>{1, 0}}}).output("y");
  expect_refused(build_model(turned), StatusCode::kUnsupported, "(2, 32)");
}

TEST_F(PipelineRefuses, SamplesThatTheNetworkCannotTake) {
  options.preprocess.color = ColorMode::kRgb;
  Status status = run_status(gray_classifier(), NoiseSource(3));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("(32, 1, 3, 5)"));
  EXPECT_THAT(status.message(), HasSubstr("(32, 3, 3, 5)"));
  status = run_status(gray_classifier(), TensorSource(3, {4, 4}));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("(4, 4)"));
}

TEST(PipelineStats, SumLongestAndBound) {
  PipelineStats stats;
  stats.wall_seconds = 9;
  stats.decode_seconds = 2;
  stats.copy_in_seconds = 0.5;
  stats.compute_seconds = 4;
  stats.copy_out_seconds = 0.25;
  stats.write_seconds = 1;
  EXPECT_DOUBLE_EQ(stats.sum_seconds(), 7.75);
  EXPECT_DOUBLE_EQ(stats.longest_seconds(), 4.0);
  EXPECT_EQ(stats.bound_by(), "compute");
}

}  // namespace
}  // namespace tessera
