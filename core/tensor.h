// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>

#include "core/buffer.h"
#include "core/dtype.h"
#include "core/layout.h"
#include "core/shape.h"
#include "core/status.h"

namespace tessera {

// What a tensor is, without its data.
struct TensorDesc {
  DType dtype = DType::kF32;
  Shape shape;
  Layout layout = Layout::kRowMajor;

  [[nodiscard]] int64_t num_elements() const { return shape.num_elements(); }
  // Elements of memory, channel padding of a blocked layout included.
  [[nodiscard]] int64_t storage_elements() const;
  [[nodiscard]] size_t size_bytes() const;
  // kOutOfMemory when the size in bytes overflows 64 bits, kInvalidArgument for a negative extent.
  [[nodiscard]] Status validate() const;
  // "float32 (2, 3, 4)"; a layout other than row-major is appended.
  [[nodiscard]] std::string to_string() const;

  bool operator==(const TensorDesc&) const = default;
};

std::ostream& operator<<(std::ostream& out, const TensorDesc& desc);

// A tensor in host memory that owns its data; copies share it (read-mostly: whoever fills it does
// so before handing out copies). Not for device memory.
class Tensor {
 public:
  Tensor() = default;

  // Uninitialised memory for `desc`. Fails with kOutOfMemory or kInvalidArgument.
  static Result<Tensor> allocate(TensorDesc desc);
  // A row-major tensor with a copy of `values`. Requires: values.size() == shape.num_elements().
  template <typename T>
  static Tensor from_values(Shape shape, std::span<const T> values);
  template <typename T>
  static Tensor from_values(Shape shape, std::initializer_list<T> values) {
    return from_values<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  // A tensor over memory that `owner` keeps alive (a mapped file, say). Requires: `data` holds
  // desc.size_bytes() bytes.
  static Tensor wrap(TensorDesc desc, const void* data, std::shared_ptr<const void> owner);

  [[nodiscard]] const TensorDesc& desc() const { return desc_; }
  [[nodiscard]] DType dtype() const { return desc_.dtype; }
  [[nodiscard]] const Shape& shape() const { return desc_.shape; }
  [[nodiscard]] int64_t num_elements() const { return desc_.num_elements(); }
  [[nodiscard]] size_t size_bytes() const { return desc_.size_bytes(); }
  [[nodiscard]] const void* data() const { return data_; }
  // Requires: made by allocate or from_values.
  [[nodiscard]] void* mutable_data() { return const_cast<void*>(data_); }

  // Requires: T matches dtype().
  template <typename T>
  [[nodiscard]] std::span<const T> values() const {
    return {static_cast<const T*>(data_), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  [[nodiscard]] std::span<T> mutable_values() {
    return {static_cast<T*>(mutable_data()), static_cast<size_t>(num_elements())};
  }

  // The same data under another shape with as many elements.
  [[nodiscard]] Tensor reshaped(Shape shape) const;

 private:
  TensorDesc desc_;
  const void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

// Allocates like Tensor::allocate; aborts when memory is short. For small tensors only.
Tensor allocate_small_tensor(TensorDesc desc);

template <typename T>
Tensor Tensor::from_values(Shape shape, std::span<const T> values) {
  Tensor tensor = allocate_small_tensor({dtype_of<T>(), std::move(shape)});
  std::copy(values.begin(), values.end(), static_cast<T*>(tensor.mutable_data()));
  return tensor;
}

// Element `index` of a host tensor of any dtype as a double (integers above 2^53 lose digits).
double element_as_double(const Tensor& tensor, int64_t index);
// All elements of an integer or bool tensor as int64; kInvalidArgument for other dtypes.
Result<std::vector<int64_t>> elements_as_int64(const Tensor& tensor);

}  // namespace tessera
