// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(DType, SizesAndNames) {
  EXPECT_EQ(dtype_size_bytes(DType::kF32), 4u);
  EXPECT_EQ(dtype_size_bytes(DType::kF64), 8u);
  EXPECT_EQ(dtype_size_bytes(DType::kBF16), 2u);
  EXPECT_EQ(dtype_size_bytes(DType::kBool), 1u);
  EXPECT_STREQ(dtype_name(DType::kI64), "int64");
  EXPECT_TRUE(dtype_is_float(DType::kF16));
  EXPECT_FALSE(dtype_is_integer(DType::kF16));
  EXPECT_TRUE(dtype_is_integer(DType::kU8));
  EXPECT_FALSE(dtype_is_integer(DType::kBool));
  EXPECT_FALSE(dtype_is_float(DType::kBool));
}

TEST(TensorDesc, CountsChannelPaddingOfBlockedLayouts) {
  const Shape shape = {2, 19, 3, 5};
  EXPECT_EQ((TensorDesc{DType::kF32, shape}).storage_elements(), 2 * 19 * 15);
  EXPECT_EQ((TensorDesc{DType::kF32, shape, Layout::kNHWC}).storage_elements(), 2 * 19 * 15);
  EXPECT_EQ((TensorDesc{DType::kF32, shape, Layout::kNChw8c}).storage_elements(), 2 * 24 * 15);
  EXPECT_EQ((TensorDesc{DType::kF32, shape, Layout::kNChw16c}).storage_elements(), 2 * 32 * 15);
  EXPECT_EQ((TensorDesc{DType::kF16, shape, Layout::kNChw16c}).size_bytes(), 2u * 2 * 32 * 15);
  EXPECT_EQ((TensorDesc{DType::kF32, shape, Layout::kNChw8c}).num_elements(), 2 * 19 * 15);
}

TEST(TensorDesc, ValidationFindsWhatCannotBeAllocated) {
  EXPECT_TRUE((TensorDesc{DType::kF32, {2, 3}}).validate().ok());
  EXPECT_TRUE((TensorDesc{DType::kF32, {0}}).validate().ok());
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ((TensorDesc{DType::kF32, {huge, 4}}).validate().code(), StatusCode::kOutOfMemory);
  EXPECT_EQ((TensorDesc{DType::kF32, {huge, 4, 0}}).validate().code(), StatusCode::kOutOfMemory);
  EXPECT_EQ((TensorDesc{DType::kF64, {huge}}).validate().code(), StatusCode::kOutOfMemory);
  EXPECT_EQ((TensorDesc{DType::kF32, {2, -1}}).validate().code(), StatusCode::kInvalidArgument);
}

TEST(TensorDesc, Prints) {
  EXPECT_EQ((TensorDesc{DType::kF32, {2, 3}}).to_string(), "float32 (2, 3)");
  EXPECT_EQ((TensorDesc{DType::kU8, {1, 2, 3, 4}, Layout::kNHWC}).to_string(),
            "uint8 (1, 2, 3, 4) NHWC");
}

TEST(Tensor, AllocationIsAlignedAndReportsFailure) {
  const auto tensor = Tensor::allocate({DType::kF32, {3, 5}});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->size_bytes(), 60u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 256, 0u);
  EXPECT_EQ(Tensor::allocate({DType::kF32, {int64_t{1} << 55}}).status().code(),
            StatusCode::kOutOfMemory);
  EXPECT_EQ(Tensor::allocate({DType::kF32, {-1}}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Tensor, CopiesShareTheirData) {
  Tensor tensor = Tensor::from_values<float>({2, 2}, {1, 2, 3, 4});
  const Tensor copy = tensor;
  tensor.mutable_values<float>()[3] = 7;
  EXPECT_EQ(copy.values<float>()[3], 7);
  const Tensor flat = copy.reshaped({4});
  EXPECT_EQ(flat.data(), copy.data());
  EXPECT_EQ(flat.shape(), (Shape{4}));
}

TEST(Tensor, WrapKeepsTheOwnerAlive) {
  auto owner = std::make_shared<std::vector<int32_t>>(std::vector<int32_t>{5, 6});
  const std::weak_ptr<std::vector<int32_t>> watch = owner;
  {
    const Tensor tensor = Tensor::wrap({DType::kI32, {2}}, owner->data(), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(tensor.values<int32_t>()[1], 6);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Tensor, ElementsOfAnyTypeReadAsNumbers) {
  EXPECT_EQ(element_as_double(Tensor::from_values<int8_t>({2}, {-3, 4}), 0), -3);
  EXPECT_EQ(element_as_double(Tensor::from_values<uint64_t>({1}, {1u << 31}), 0), 2147483648.0);
  EXPECT_EQ(element_as_double(Tensor::from_values<bool>({1}, {true}), 0), 1);
  Tensor half = allocate_small_tensor({DType::kF16, {1}});
  *static_cast<uint16_t*>(half.mutable_data()) = 0xc000;
  EXPECT_EQ(element_as_double(half, 0), -2);
}

TEST(Tensor, IntegersReadAsInt64) {
  const auto values = elements_as_int64(Tensor::from_values<int32_t>({3}, {1, -2, 3}));
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(*values, (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(elements_as_int64(Tensor::from_values<float>({1}, {1})).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Buffer, FreesExactlyOnce) {
  int freed = 0;
  int memory = 0;
  {
    Buffer first(&memory, sizeof(memory), [&](void* data) {
      EXPECT_EQ(data, &memory);
      ++freed;
    });
    Buffer second = std::move(first);
    EXPECT_EQ(second.data(), &memory);
    Buffer& same = second;  // a moved-from alias, so that compilers do not warn
    second = std::move(same);
    first = std::move(second);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

TEST(Buffer, OfZeroBytesIsEmpty) {
  const auto buffer = allocate_host_buffer(0);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_EQ(allocate_host_buffer(SIZE_MAX).status().code(), StatusCode::kOutOfMemory);
}

}  // namespace
}  // namespace tessera
