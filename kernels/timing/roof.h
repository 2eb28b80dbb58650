// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/device.h"
#include "kernels/problem/problem.h"

namespace tessera {

// The fewest bytes that any kernel must move through memory for `problem`: each element that takes
// part read once, each result written once. Gaps between rows, broadcast repetitions and cells that
// a strided window skips do not count.
double problem_bytes(const Problem& problem);

// What a device can do at most, at its highest clocks; nothing where it is not known.
//
// CUDA: memory clock * 2 * bus width; multiprocessors * clock * operations per clock, those by
// compute capability: the CUDA C++ Programming Guide's table "Throughput of Native Arithmetic
// Instructions" (FMA, 2 operations each), and for tensor cores NVIDIA's architecture white papers
// (V100, Turing, A100, H100), dense. Data sheets quote tensor cores at a lower clock than the
// highest. CPU: not known.
std::optional<double> peak_bytes_per_second(const DeviceInfo& device);
// Of the unit that a kernel for `problem` can use: tensor cores for the products of GEMM and
// convolution in float16, bfloat16 and where TF32 is allowed, ordinary arithmetic otherwise.
std::optional<double> peak_flops_per_second(const Problem& problem, const DeviceInfo& device);

// The time below which no kernel comes: max(bytes / bandwidth, FLOPs / peak). A float32 product
// that is put together from narrower ones on tensor cores can pass it.
struct Roof {
  double microseconds = 0;
  bool is_memory = false;  // memory is the slower of the two
};

// Nothing when a peak is not known.
std::optional<Roof> problem_roof(const Problem& problem, const DeviceInfo& device);

}  // namespace tessera
