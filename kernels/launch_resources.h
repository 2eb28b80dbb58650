// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

// What one launch of a device kernel takes, and how much of a multiprocessor it can fill.
struct LaunchResources {
  int64_t blocks = 0;
  int threads_per_block = 0;
  int registers_per_thread = 0;
  size_t shared_bytes_per_block = 0;  // static and dynamic
  size_t local_bytes_per_thread = 0;  // spilled registers, arrays in memory
  int blocks_per_multiprocessor = 0;  // that fit at once
  double occupancy = 0;               // their threads / the most that a multiprocessor holds
};

}  // namespace tessera
