// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

constexpr ReduceKind kKinds[] = {ReduceKind::kSum,       ReduceKind::kMean,      ReduceKind::kMax,
                                 ReduceKind::kMin,       ReduceKind::kL1,        ReduceKind::kL2,
                                 ReduceKind::kSumSquare, ReduceKind::kLogSumExp, ReduceKind::kProd};

constexpr std::array<int64_t, 3> kShapes[] = {  // outer, axis, inner
    {1, 1, 1},     {7, 3, 1},    {1, 8, 1},    {5, 31, 1},    {129, 32, 1},  {3, 33, 1},
    {4, 64, 1},    {2, 127, 1},  {9, 128, 1},  {3, 1000, 1},  {2, 1025, 1},  {3, 4096, 1},
    {2, 8191, 1},  {2, 8192, 1}, {2, 8193, 1}, {3, 12000, 1}, {1, 70001, 1}, {2, 65536, 1},
    {1, 21, 65},   {2, 33, 32},  {3, 10, 7},   {2, 19, 68},   {5, 1, 9},     {1, 1000, 3},
    {1, 20000, 2}, {0, 4, 1},    {0, 4, 4},    {3, 0, 1},     {2, 0, 5},     {2, 3, 0}};

}  // namespace

std::vector<Problem> reduce_problems() {
  std::vector<Problem> list;
  for (const ReduceKind kind : kKinds) {
    for (const auto& [outer, axis, inner] : kShapes) {
      // A long product leaves the range of float32 on its way, in one order sooner than in another.
      if (kind == ReduceKind::kProd && axis > 33) continue;
      list.emplace_back(ReduceProblem{kind, DType::kF32, outer, axis, inner});
    }
  }
  append_precisions(list);
  for (const ReduceKind kind : kKinds) {
    list.emplace_back(ReduceProblem{kind, DType::kF64, 3, 10, 2});
  }
  return list;
}

}  // namespace tessera::testing
