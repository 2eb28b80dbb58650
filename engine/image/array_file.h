// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/status.h"
#include "engine/image/file_bytes.h"

namespace tessera {

// An array in a file: C-contiguous, little-endian, its length checked against the file's.
struct ArrayFile {
  DType dtype = DType::kU8;
  Shape shape;
  int64_t data_offset = 0;
  std::shared_ptr<const RandomAccessBytes> bytes;
};

// IDX (yann.lecun.com/exdb/mnist), plain or gzip: magic 00 00 08 rank, big-endian extents, bytes.
// Only unsigned bytes, as all of the MNIST family are. kInvalidArgument names what is wrong.
Result<ArrayFile> open_idx_file(const std::string& path);

// NumPy's .npy, versions 1 to 3 (numpy.lib.format), of any dtype that DType has, little-endian and
// in C order. kInvalidArgument for a broken file, kUnsupported names another dtype or order.
Result<ArrayFile> open_npy_file(const std::string& path);

// A serialized TensorProto (.pb).
Result<ArrayFile> open_tensor_proto_file(const std::string& path);

}  // namespace tessera
