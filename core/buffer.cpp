// SPDX-License-Identifier: Apache-2.0
#include "core/buffer.h"

#include <cstdlib>
#include <limits>

#include "core/math.h"

namespace tessera {

Result<Buffer> allocate_host_buffer(size_t size_bytes) {
  constexpr size_t kAlignment = 256;
  if (size_bytes == 0) return Buffer();
  if (size_bytes > std::numeric_limits<size_t>::max() / 2) {
    return out_of_memory("cannot allocate " + std::to_string(size_bytes) + " bytes of host memory");
  }
  void* data = std::aligned_alloc(kAlignment, round_up(size_bytes, kAlignment));
  if (data == nullptr) {
    return out_of_memory("cannot allocate " + std::to_string(size_bytes) + " bytes of host memory");
  }
  return Buffer(data, size_bytes, [](void* pointer) { std::free(pointer); });
}

}  // namespace tessera
