// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <gtest/gtest.h>

#include "core/device.h"

namespace tessera {
namespace {

std::unique_ptr<Device> test_device() {
  DeviceInfo info;
  info.backend = "cpu";
  info.name = "a host";
  info.threads = 3;
  return make_host_device(info);
}

TEST(HostDevice, KeepsItsInfo) {
  const auto device = test_device();
  EXPECT_EQ(device->info().name, "a host");
  EXPECT_EQ(device->info().threads, 3);
  EXPECT_TRUE(device->shares_host_memory());
  EXPECT_FALSE(device->supports_graphs());
}

TEST(HostDevice, CopiesAtOnce) {
  const auto device = test_device();
  const auto stream = device->create_stream();
  ASSERT_TRUE(stream.ok());
  const auto memory = device->allocate(3);
  ASSERT_TRUE(memory.ok());
  const std::array<char, 3> sent = {'a', 'b', 'c'};
  std::array<char, 3> received = {};
  EXPECT_TRUE((*stream)->copy_to_device(memory->data(), sent.data(), 3).ok());
  EXPECT_TRUE((*stream)->copy_to_host(received.data(), memory->data(), 3).ok());
  EXPECT_EQ(received, sent);
  EXPECT_TRUE((*stream)->copy_on_device(received.data(), memory->data(), 0).ok());
  EXPECT_TRUE((*stream)->synchronize().ok());
  EXPECT_EQ((*stream)->native_handle(), nullptr);
}

TEST(HostDevice, EventsMeasureTime) {
  const auto device = test_device();
  const auto stream = device->create_stream();
  const auto start = device->create_event();
  const auto end = device->create_event();
  EXPECT_TRUE((*stream)->record(**start).ok());
  EXPECT_TRUE((*stream)->record(**end).ok());
  EXPECT_TRUE((*stream)->wait(**start).ok());
  EXPECT_TRUE((*end)->synchronize().ok());
  const auto elapsed = (*end)->milliseconds_since(**start);
  ASSERT_TRUE(elapsed.ok());
  EXPECT_GE(*elapsed, 0.0f);
}

TEST(HostDevice, RefusesGraphs) {
  const auto device = test_device();
  const auto stream = device->create_stream();
  EXPECT_EQ((*stream)->begin_capture().code(), StatusCode::kUnsupported);
  EXPECT_EQ((*stream)->end_capture().status().code(), StatusCode::kUnsupported);
}

TEST(HostDevice, ReportsMemoryThatThereIsNot) {
  EXPECT_EQ(test_device()->allocate(size_t{1} << 60).status().code(), StatusCode::kOutOfMemory);
}

}  // namespace
}  // namespace tessera
