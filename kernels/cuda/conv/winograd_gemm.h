// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.h"
#include "core/status.h"

namespace tessera::cuda {

// `batch` products D[b] (M, N) = A[b]^T (M, depth) * B[b] (depth, N), float32, all of whole tiles:
// element (k, m) of A[b] is at a[(b * depth + k) * pitch_m + m], (k, n) of B[b] at
// b[(b * depth + k) * pitch_n + n] and (m, n) of D[b] at d[(b * M + m) * pitch_n + n]. depth is a
// multiple of kWinogradDepth, pitch_m and pitch_n of kWinogradPitch, all pointers of 16 bytes.
// What lies between M or N and the pitch is read, and multiplied into nothing that counts.
struct WinogradGemm {
  const float* a;
  const float* b;
  float* d;
  int64_t batch, M, depth, pitch_m, pitch_n;
};
constexpr int64_t kWinogradDepth = 8;
constexpr int64_t kWinogradPitch = 64;

Status launch_winograd_gemm(const WinogradGemm& gemm, const DeviceInfo& device, Stream& stream);

}  // namespace tessera::cuda
