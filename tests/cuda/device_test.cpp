// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/backend.h"
#include "kernels/select.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

const Backend& cuda_backend() { return *find_backend("cuda"); }

TEST(CudaBackend, SaysWhatIsMissingWhereThereIsNoDevice) {
  const auto found = cuda_backend().devices();
  if (found.ok()) GTEST_SKIP() << "there is a CUDA device: " << found->front().name;
  EXPECT_EQ(found.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(found.status().message(), HasSubstr("CUDA"));
  const auto device = cuda_backend().open(0);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().message(), found.status().message());
}

TEST(CudaBackend, DescribesRuntimeDriverAndLibraries) {
  const std::vector<std::string> lines = cuda_backend().describe_libraries();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[0], HasSubstr("CUDA runtime"));
  EXPECT_THAT(lines[1], HasSubstr("CUDA driver"));
  EXPECT_THAT(lines[2], HasSubstr("cuBLAS "));
  EXPECT_THAT(lines[3], HasSubstr("cuBLASLt "));
  EXPECT_THAT(lines[4], HasSubstr("cuDNN "));
}

// Skips where there is no device.
class CudaDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = cuda_backend().open(0);
    if (!opened.ok()) GTEST_SKIP() << "no CUDA device: " << opened.status().message();
    device_ = std::move(opened).value();
    auto stream = device_->create_stream();
    ASSERT_TRUE(stream.ok()) << stream.status().message();
    stream_ = std::move(stream).value();
  }

  // Device memory that holds `values`.
  Buffer upload(const std::vector<float>& values) {
    const size_t bytes = values.size() * sizeof(float);
    auto buffer = device_->allocate(bytes);
    EXPECT_TRUE(buffer.ok()) << buffer.status().message();
    EXPECT_TRUE(stream_->copy_to_device(buffer->data(), values.data(), bytes).ok());
    EXPECT_TRUE(stream_->synchronize().ok());
    return std::move(buffer).value();
  }
  std::vector<float> download(const Buffer& buffer) {
    std::vector<float> values(buffer.size_bytes() / sizeof(float));
    EXPECT_TRUE(stream_->copy_to_host(values.data(), buffer.data(), buffer.size_bytes()).ok());
    EXPECT_TRUE(stream_->synchronize().ok());
    return values;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
};

TEST_F(CudaDevice, IsDescribed) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.backend, "cuda");
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.memory_bytes, 0u);
  EXPECT_FALSE(device_->shares_host_memory());
  EXPECT_TRUE(device_->supports_graphs());
}

TEST_F(CudaDevice, OrdinalOutOfRangeIsUnavailable) {
  for (const int ordinal : {-1, 1000}) {
    const auto device = cuda_backend().open(ordinal);
    ASSERT_FALSE(device.ok());
    EXPECT_EQ(device.status().code(), StatusCode::kUnavailable);
    EXPECT_THAT(device.status().message(), HasSubstr(std::to_string(ordinal)));
  }
}

TEST_F(CudaDevice, CopiesGoThereAndBack) {
  std::vector<float> values(1001);
  std::iota(values.begin(), values.end(), 0.5f);
  const Buffer first = upload(values);
  const Buffer second = upload(std::vector<float>(values.size(), -1.0f));
  ASSERT_TRUE(stream_->copy_on_device(second.data(), first.data(), first.size_bytes()).ok());
  EXPECT_EQ(download(second), values);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data()) % 256, 0u);
}

TEST_F(CudaDevice, EmptyBuffersAndCopiesAreFine) {
  const auto device_memory = device_->allocate(0);
  const auto host_memory = device_->allocate_host(0);
  ASSERT_TRUE(device_memory.ok() && host_memory.ok());
  EXPECT_EQ(device_memory->data(), nullptr);
  EXPECT_TRUE(stream_->copy_to_device(nullptr, nullptr, 0).ok());
}

TEST_F(CudaDevice, TooLargeAnAllocationNamesSizesAndLeavesNoErrorBehind) {
  const auto buffer = device_->allocate(size_t{1} << 50);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(buffer.status().message(), HasSubstr("1073741824 MiB"));
  EXPECT_THAT(buffer.status().message(), HasSubstr("free of"));
  EXPECT_EQ(download(upload({1.0f, 2.0f})), (std::vector<float>{1.0f, 2.0f}));
}

TEST_F(CudaDevice, EventsOrderStreamsAndMeasureTime) {
  auto start = device_->create_event();
  auto end = device_->create_event();
  auto other = device_->create_stream();
  ASSERT_TRUE(start.ok() && end.ok() && other.ok());
  const std::vector<float> values(1 << 20, 3.0f);
  const Buffer src = upload(values);
  const Buffer middle = upload(std::vector<float>(values.size(), 0.0f));
  const Buffer dst = upload(std::vector<float>(values.size(), 0.0f));
  ASSERT_TRUE(stream_->record(**start).ok());
  ASSERT_TRUE(stream_->copy_on_device(middle.data(), src.data(), src.size_bytes()).ok());
  ASSERT_TRUE(stream_->record(**end).ok());
  ASSERT_TRUE((*other)->wait(**end).ok());
  ASSERT_TRUE((*other)->copy_on_device(dst.data(), middle.data(), src.size_bytes()).ok());
  ASSERT_TRUE((*other)->synchronize().ok());
  EXPECT_EQ(download(dst), values);
  ASSERT_TRUE((*end)->synchronize().ok());
  const auto milliseconds = (*end)->milliseconds_since(**start);
  ASSERT_TRUE(milliseconds.ok()) << milliseconds.status().message();
  EXPECT_GE(*milliseconds, 0.0f);
}

TEST_F(CudaDevice, ACapturedGraphRunsAgainOnNewData) {
  const UnaryProblem problem{DType::kF32, 1000, {ActivationKind::kRelu, 0.0f, 0.0f}};
  const auto entry = select(problem, cuda_backend(), device_->info());
  ASSERT_TRUE(entry.ok());
  auto kernel = (*entry)->create(problem, *device_);
  ASSERT_TRUE(kernel.ok());
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), -500.0f);
  const Buffer src = upload(values);
  const Buffer dst = upload(std::vector<float>(values.size(), -7.0f));
  const void* inputs[] = {src.data()};
  const Operands operands{inputs, dst.data(), nullptr};

  ASSERT_TRUE(stream_->begin_capture().ok());
  ASSERT_TRUE((*kernel)->launch(operands, *stream_).ok());
  auto graph = stream_->end_capture();
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(download(dst).front(), -7.0f) << "captured work must not run";

  for (const float shift : {0.0f, 250.0f}) {
    for (float& value : values) value += shift;
    ASSERT_TRUE(
        stream_->copy_to_device(src.data(), values.data(), values.size() * sizeof(float)).ok());
    ASSERT_TRUE((*graph)->launch(*stream_).ok());
    std::vector<float> expected = values;
    for (float& value : expected) value = std::max(value, 0.0f);
    EXPECT_EQ(download(dst), expected);
  }
}

TEST_F(CudaDevice, ThreadsUseTheirOwnStreams) {
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4);
  for (size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      auto stream = device_->create_stream();
      auto buffer = device_->allocate(256 * sizeof(float));
      if (!stream.ok() || !buffer.ok()) return;
      const std::vector<float> values(256, static_cast<float>(t));
      std::vector<float> result(256, -1.0f);
      const size_t bytes = values.size() * sizeof(float);
      const bool copied = (*stream)->copy_to_device(buffer->data(), values.data(), bytes).ok() &&
                          (*stream)->copy_to_host(result.data(), buffer->data(), bytes).ok() &&
                          (*stream)->synchronize().ok();
      if (copied) results[t] = result;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < results.size(); ++t) {
    EXPECT_EQ(results[t], std::vector<float>(256, static_cast<float>(t))) << "thread " << t;
  }
}

TEST_F(CudaDevice, TellsWhatALaunchTakes) {
  UnaryProblem relu;
  relu.count = 1000;
  relu.activation.kind = ActivationKind::kRelu;
  const auto entry = select(relu, cuda_backend(), device_->info());
  ASSERT_TRUE(entry.ok()) << entry.status().message();
  const auto kernel = (*entry)->create(relu, *device_);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  const Buffer src = upload(std::vector<float>(1000, 1.0f));
  const Buffer dst = upload(std::vector<float>(1000, 0.0f));
  const std::array<const void*, 1> inputs = {src.data()};
  const auto launches = cuda_backend().trace_launches(device_->info(), [&] {
    return (*kernel)->launch({inputs, dst.data(), nullptr}, *stream_);
  });
  ASSERT_TRUE(launches.ok()) << launches.status().message();
  ASSERT_EQ(launches->size(), 1u);
  const LaunchResources& launch = launches->front();
  EXPECT_GE(launch.blocks * launch.threads_per_block, 1);
  EXPECT_GT(launch.registers_per_thread, 0);
  EXPECT_GE(launch.blocks_per_multiprocessor, 1);
  EXPECT_GT(launch.occupancy, 0.0);
  EXPECT_LE(launch.occupancy, 1.0);
  EXPECT_TRUE(stream_->synchronize().ok());
  // Outside the trace nothing is recorded, and an error of the launches is passed on.
  ASSERT_TRUE((*kernel)->launch({inputs, dst.data(), nullptr}, *stream_).ok());
  const auto failed = cuda_backend().trace_launches(device_->info(),
                                                    [] { return internal_error("did not start"); });
  EXPECT_EQ(failed.status().message(), "did not start");
}

}  // namespace
}  // namespace tessera
