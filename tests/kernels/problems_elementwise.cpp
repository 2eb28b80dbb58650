// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

void add_unary(std::vector<Problem>& list) {
  for (const Activation& activation : all_activations()) {
    for (const int64_t count : {0, 1, 3, 31, 32, 33, 127, 128, 129, 1023, 1025, 70001}) {
      list.emplace_back(UnaryProblem{DType::kF32, count, activation});
    }
    list.emplace_back(UnaryProblem{DType::kF64, 37, activation});
  }
}

constexpr BinaryKind kBinaryKinds[] = {BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul,
                                       BinaryKind::kDiv};

// Row-major operands of the given extents, broadcast where the extent of an operand is 1.
BinaryProblem broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  BinaryProblem p;
  p.rank = static_cast<int>(a.size());
  int64_t stride_a = 1;
  int64_t stride_b = 1;
  for (size_t d = a.size(); d-- > 0;) {
    p.extent[d] = a[d] == 1 ? b[d] : a[d];
    p.stride_a[d] = a[d] == 1 ? 0 : stride_a;
    p.stride_b[d] = b[d] == 1 ? 0 : stride_b;
    stride_a *= a[d];
    stride_b *= b[d];
  }
  return p;
}

// One dimension without broadcasting, as equal shapes are lowered.
BinaryProblem dense(int64_t count) {
  BinaryProblem p;
  p.rank = 1;
  p.extent = {count};
  p.stride_a = {1};
  p.stride_b = {1};
  return p;
}

std::vector<BinaryProblem> binary_shapes() {
  std::vector<BinaryProblem> shapes = {
      broadcast({2, 3, 4}, {2, 3, 4}),  // dense, not collapsed
      broadcast({2, 3, 4, 5}, {1, 3, 1, 1}),
      broadcast({1, 7}, {5, 1}),
      broadcast({17}, {1}),
      broadcast({1}, {33}),
      broadcast({4, 1, 6}, {1, 5, 1}),
      broadcast({0, 3}, {1, 3}),
      broadcast({2, 1, 3, 1, 2, 1, 2, 3}, {1, 2, 1, 3, 1, 2, 1, 3}),
      broadcast({3, 1, 129}, {1, 2, 129}),
      // Rows that are whole vectors.
      broadcast({2, 3, 16}, {1, 3, 1}),
      broadcast({4, 1, 24}, {1, 5, 24}),
      broadcast({1, 40}, {7, 1}),
      broadcast({1, 1, 3, 8}, {5, 33, 3, 8}),
      broadcast({1000}, {1}),
  };
  for (const int64_t count : {0, 1, 5, 127, 128, 129, 40001}) shapes.push_back(dense(count));
  BinaryProblem scalar;  // rank 0: one element
  shapes.push_back(scalar);
  BinaryProblem transposed;  // strides that no row-major operand has
  transposed.rank = 2;
  transposed.extent = {5, 7};
  transposed.stride_a = {1, 5};
  transposed.stride_b = {9, 1};
  shapes.push_back(transposed);
  return shapes;
}

void add_binary(std::vector<Problem>& list) {
  const std::vector<BinaryProblem> shapes = binary_shapes();
  for (const BinaryKind kind : kBinaryKinds) {
    for (BinaryProblem p : shapes) {
      p.kind = kind;
      list.emplace_back(p);
    }
    for (const DType dtype : {DType::kF64, DType::kI8, DType::kU8, DType::kI16, DType::kU16,
                              DType::kI32, DType::kU32, DType::kI64, DType::kU64}) {
      for (BinaryProblem p : {dense(257), broadcast({3, 1, 5}, {1, 4, 5})}) {
        p.kind = kind;
        p.dtype = dtype;
        list.emplace_back(p);
      }
    }
  }
}

void add_cast(std::vector<Problem>& list) {
  constexpr DType kAll[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,
                            DType::kU8,  DType::kI16, DType::kU16, DType::kI32,  DType::kU32,
                            DType::kI64, DType::kU64, DType::kBool};
  for (const DType from : kAll) {
    for (const DType to : kAll) {
      list.emplace_back(CastProblem{from, to, 131});
    }
  }
  list.emplace_back(CastProblem{DType::kI64, DType::kF32, 0});
  list.emplace_back(CastProblem{DType::kU8, DType::kF32, 70001});
}

void add_batch_norm(std::vector<Problem>& list) {
  const std::array<int64_t, 3> shapes[] = {{1, 1, 1},   {2, 3, 49},  {0, 3, 4},    {4, 17, 1},
                                           {1, 33, 65}, {3, 128, 5}, {1, 1, 1025}, {2, 8, 0},
                                           {3, 5, 64},  {37, 16, 1}};
  for (const auto& [n, c, inner] : shapes) {
    for (const float epsilon : {1e-5f, 0.1f}) {
      list.emplace_back(BatchNormProblem{DType::kF32, n, c, inner, epsilon});
    }
  }
  list.emplace_back(BatchNormProblem{DType::kF64, 2, 3, 4, 1e-3f});
}

}  // namespace

std::vector<Problem> elementwise_problems() {
  std::vector<Problem> list;
  add_unary(list);
  add_binary(list);
  add_cast(list);
  add_batch_norm(list);
  append_precisions(list);
  return list;
}

}  // namespace tessera::testing
