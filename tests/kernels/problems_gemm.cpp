// SPDX-License-Identifier: Apache-2.0
#include <tuple>

#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

// Dense operands.
GemmProblem gemm(int64_t m, int64_t n, int64_t k, bool transpose_a = false,
                 bool transpose_b = false) {
  GemmProblem p;
  p.M = m;
  p.N = n;
  p.K = k;
  p.transpose_a = transpose_a;
  p.transpose_b = transpose_b;
  p.lda = transpose_a ? m : k;
  p.ldb = transpose_b ? k : n;
  p.ldd = n;
  return p;
}

using Sizes = std::tuple<int64_t, int64_t, int64_t>;
using Gaps = std::pair<int64_t, int64_t>;

constexpr std::pair<bool, bool> kTransposes[] = {
    {false, false}, {false, true}, {true, false}, {true, true}};

void add_tile_edges(std::vector<Problem>& list) {
  for (const int64_t tile : {8, 16, 32, 64, 128}) {
    for (const auto& [ta, tb] : kTransposes) {
      list.emplace_back(gemm(tile - 1, tile + 1, tile, ta, tb));
      list.emplace_back(gemm(tile, tile - 1, tile + 1, ta, tb));
      list.emplace_back(gemm(tile + 1, tile, tile - 1, ta, tb));
    }
    list.emplace_back(gemm(tile, tile, tile));
  }
}

void add_odd_sizes(std::vector<Problem>& list) {
  const Sizes sizes[] = {{1, 1, 1},   {1, 10, 784}, {1, 127, 301}, {7, 13, 17},
                         {257, 3, 5}, {3, 257, 5},  {5, 3, 1031},  {1, 1, 4099},
                         {2, 1, 1},   {1, 300, 1},  {131, 1, 67},  {32, 128, 784}};
  for (const auto& [m, n, k] : sizes) {
    for (const auto& [ta, tb] : kTransposes) list.emplace_back(gemm(m, n, k, ta, tb));
  }
}

void add_empty(std::vector<Problem>& list) {
  list.emplace_back(gemm(0, 10, 20));
  list.emplace_back(gemm(10, 0, 20));
  GemmProblem no_terms = gemm(5, 7, 0);
  list.emplace_back(no_terms);
  no_terms.epilogue = {true, true, {ActivationKind::kRelu, 0, 0}};
  list.emplace_back(no_terms);
  GemmProblem no_batch = gemm(4, 5, 6);
  no_batch.batch_rank = 2;
  no_batch.batch_extent = {3, 0};
  no_batch.batch_stride_a = {0, 24};
  no_batch.batch_stride_b = {0, 30};
  list.emplace_back(no_batch);
}

void add_row_strides(std::vector<Problem>& list) {
  for (const auto& [ta, tb] : kTransposes) {
    for (const int64_t extra : {1, 3, 8}) {
      for (const auto& [m, n, k] : {Sizes{33, 18, 20}, Sizes{64, 128, 32}, Sizes{1, 40, 129}}) {
        GemmProblem p = gemm(m, n, k, ta, tb);
        p.lda += extra;
        p.ldb += 2 * extra;
        p.ldd += 3 * extra;
        p.epilogue.has_residual = extra == 3;
        list.emplace_back(p);
      }
    }
  }
}

void add_batches(std::vector<Problem>& list) {
  for (const auto& [ta, tb] : kTransposes) {
    GemmProblem p = gemm(17, 19, 23, ta, tb);
    const int64_t a = 17 * 23;
    const int64_t b = 23 * 19;
    p.batch_rank = 1;
    p.batch_extent = {3};
    p.batch_stride_a = {a};
    p.batch_stride_b = {b};
    list.emplace_back(p);
    p.batch_stride_b = {0};  // one B for all
    list.emplace_back(p);
    p.batch_stride_a = {0};
    p.batch_stride_b = {b + 7};  // one A for all, gaps between the Bs
    list.emplace_back(p);
    p.batch_rank = 2;
    p.batch_extent = {2, 3};
    p.batch_stride_a = {a, 0};
    p.batch_stride_b = {0, b};
    list.emplace_back(p);
    p.batch_stride_a = {a, 2 * a};  // outer dimension fastest in memory
    p.batch_stride_b = {3 * b, b};
    list.emplace_back(p);
    p.batch_rank = 4;
    p.batch_extent = {2, 1, 3, 2};
    p.batch_stride_a = {0, 0, 2 * a, a};
    p.batch_stride_b = {3 * b, 0, b, 0};
    list.emplace_back(p);
  }
}

void add_biases(std::vector<Problem>& list) {
  for (const auto& [m, n, k] : {Sizes{33, 31, 12}, Sizes{1, 10, 84}, Sizes{64, 64, 64}}) {
    const std::pair<int64_t, int64_t> strides[] = {{0, 1}, {1, 0}, {0, 0}, {n, 1}, {n + 5, 1}};
    for (const auto& [stride_m, stride_n] : strides) {
      for (const float beta : {1.0f, -0.75f}) {
        GemmProblem p = gemm(m, n, k, false, true);
        p.epilogue.has_bias = true;
        p.bias_stride_m = stride_m;
        p.bias_stride_n = stride_n;
        p.beta = beta;
        p.alpha = beta == 1.0f ? 1.0f : 1.5f;
        list.emplace_back(p);
        p.batch_rank = 1;
        p.batch_extent = {2};
        p.batch_stride_a = {m * k};
        p.batch_stride_b = {n * k};
        p.epilogue.has_residual = true;
        list.emplace_back(p);
      }
    }
  }
  for (const float alpha : {0.1f, 0.0f, -0.0f}) {
    GemmProblem scaled = gemm(20, 24, 28);
    scaled.alpha = alpha;
    list.emplace_back(scaled);
    scaled = gemm(65, 66, 67, false, true);  // large enough for cuBLAS
    scaled.alpha = alpha;
    scaled.epilogue.has_bias = true;
    scaled.beta = 0.0f;
    list.emplace_back(scaled);
  }
}

void add_epilogues(std::vector<Problem>& list) {
  for (const Activation& activation : all_activations()) {
    for (const auto& [bias, residual] : kTransposes) {
      GemmProblem p = gemm(31, 66, 27, false, true);
      p.epilogue = {bias, residual, activation};
      list.emplace_back(p);
      p = gemm(1, 10, 128, false, true);
      p.epilogue = {bias, residual, activation};
      list.emplace_back(p);
    }
  }
  GemmProblem wide = gemm(9, 10, 11);
  wide.dtype = DType::kF64;
  wide.epilogue = {true, true, {ActivationKind::kTanh, 0, 0}};
  list.emplace_back(wide);
}

// Whole tiles whose rows or matrices do not begin at 16 bytes, in one operand after the other.
void add_misaligned_tiles(std::vector<Problem>& list) {
  for (const auto& [ta, tb] : kTransposes) {
    for (const auto& [gap_a, gap_b] : {Gaps{0, 0}, Gaps{1, 0}, Gaps{0, 2}, Gaps{3, 1}}) {
      GemmProblem p = gemm(128, 128, 48, ta, tb);
      p.batch_rank = 1;
      p.batch_extent = {2};
      p.batch_stride_a = {128 * 48 + gap_a};
      p.batch_stride_b = {128 * 48 + gap_b};
      list.emplace_back(p);
    }
  }
}

// Enough tiles of 64 and of 128 to keep every multiprocessor of a large GPU busy: kernels that
// choose their tile by the size of the problem choose small ones for everything else here.
void add_many_tiles(std::vector<Problem>& list) {
  constexpr int64_t kTiles = 160;
  for (const int64_t tile : {64, 128}) {
    list.emplace_back(gemm(tile / 2 + 1, kTiles * tile - 2, 35, false, true));
    list.emplace_back(gemm(kTiles * tile - 3, tile / 2 + 4, 36, true, false));
  }
  list.emplace_back(gemm(1097, 70, 40));  // many rows of tiles, a ragged last group of them
}

}  // namespace

std::vector<Problem> gemm_problems() {
  std::vector<Problem> list;
  add_tile_edges(list);
  add_odd_sizes(list);
  add_empty(list);
  add_row_strides(list);
  add_batches(list);
  add_biases(list);
  add_epilogues(list);
  add_misaligned_tiles(list);
  append_precisions(list);
  add_many_tiles(list);
  return list;
}

}  // namespace tessera::testing
