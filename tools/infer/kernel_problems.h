// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "kernels/problem/problem.h"

namespace tessera::cli {

// What `infer kernels` runs a family on.
struct KernelProblemOptions {
  std::string dtype = "f32";                   // f32, tf32, f16 or bf16
  std::vector<int64_t> sizes;                  // gemm: M = N = K
  std::vector<std::array<int64_t, 3>> shapes;  // gemm: M, N, K
  bool transpose_b = false;                    // gemm
  std::string preset = "resnet18";             // conv
  int64_t batch = 16;                          // conv
  size_t array_bytes = size_t{256} << 20;      // of the largest operand of the other families
};

// A problem and what to call it in a table ("1024", "3x3/2 64->128 at 56").
struct NamedProblem {
  std::string name;
  Problem problem;
};

// The problems of a family, in the order of their rows. kInvalidArgument for a family that has none
// (known_families lists those that do), a dtype or a preset that is unknown.
Result<std::vector<NamedProblem>> kernel_problems(const std::string& family,
                                                  const KernelProblemOptions& options);
std::vector<std::string> families_with_problems();

// Whether the time of this family is a matter of bytes rather than operations.
bool is_memory_family(std::string_view family);

}  // namespace tessera::cli
