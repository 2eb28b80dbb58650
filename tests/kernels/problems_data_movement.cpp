// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

// One dtype of each size in bytes, and the types with names of their own.
constexpr DType kStorages[] = {DType::kU8, DType::kBool, DType::kF16, DType::kF32, DType::kI64};

TransposeProblem transpose(const std::vector<int64_t>& extents, const std::vector<int>& axes) {
  TransposeProblem p;
  p.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), p.extent.begin());
  std::copy(axes.begin(), axes.end(), p.permutation.begin());
  return p;
}

void add_transpose(std::vector<Problem>& list) {
  std::vector<int> axes = {0, 1, 2, 3};
  do {
    list.emplace_back(transpose({2, 3, 5, 4}, axes));
  } while (std::next_permutation(axes.begin(), axes.end()));
  for (const int64_t tile : {31, 32, 33, 64, 65}) {
    list.emplace_back(transpose({tile, tile}, {1, 0}));
    list.emplace_back(transpose({tile, 7}, {1, 0}));
    list.emplace_back(transpose({3, tile, 129}, {0, 2, 1}));
  }
  // Whole tiles and vectors, their edges, and matrices of few rows or columns, at every size.
  for (const DType dtype : kStorages) {
    for (const auto& [rows, columns] : {std::pair{128, 128}, {144, 208}, {48, 272}, {130, 144}}) {
      for (const int64_t batch : {1, 3}) {
        TransposeProblem p = transpose({batch, rows, columns}, {0, 2, 1});
        p.dtype = dtype;
        list.emplace_back(p);
      }
    }
    for (const int64_t narrow : {2, 3, 8, 16}) {
      for (const int64_t length : {400, 2053, 4112}) {
        TransposeProblem p = transpose({2, narrow, length}, {0, 2, 1});
        p.dtype = dtype;
        list.emplace_back(p);
        p.extent = {2, length, narrow};
        list.emplace_back(p);
      }
    }
    TransposeProblem rows_stay = transpose({5, 7, 16}, {1, 0, 2});
    rows_stay.dtype = dtype;
    list.emplace_back(rows_stay);
  }
  list.emplace_back(transpose({}, {}));
  list.emplace_back(transpose({17}, {0}));
  list.emplace_back(transpose({0, 3}, {1, 0}));
  list.emplace_back(transpose({1, 1000}, {1, 0}));
  list.emplace_back(transpose({1, 28, 28, 3}, {0, 3, 1, 2}));
  list.emplace_back(transpose({2, 1, 3, 2, 1, 2, 3, 2}, {7, 0, 5, 2, 6, 1, 4, 3}));
  for (const DType dtype : kStorages) {
    TransposeProblem p = transpose({5, 33, 7}, {2, 0, 1});
    p.dtype = dtype;
    list.emplace_back(p);
  }
}

void add_concat(std::vector<Problem>& list) {
  for (const DType dtype : kStorages) {
    list.emplace_back(ConcatProblem{dtype, 3, 5, {2, 7, 1}});
    list.emplace_back(ConcatProblem{dtype, 3, 16, {2, 7, 1}});
  }
  list.emplace_back(ConcatProblem{DType::kF32, 1, 1, {1}});
  list.emplace_back(ConcatProblem{DType::kF32, 1, 1, {100, 1, 33}});
  list.emplace_back(ConcatProblem{DType::kF32, 129, 1, {1, 1}});
  list.emplace_back(ConcatProblem{DType::kF32, 2, 49, {16, 32, 3, 8, 5, 1, 2, 4, 9, 7}});
  list.emplace_back(ConcatProblem{DType::kF32, 2, 3, {4, 0, 5}});  // an empty operand
  list.emplace_back(ConcatProblem{DType::kF32, 0, 3, {4, 5}});
  list.emplace_back(ConcatProblem{DType::kF32, 2, 0, {4, 5}});
}

void add_gather(std::vector<Problem>& list) {
  for (const DType index : {DType::kI32, DType::kI64}) {
    for (const DType dtype : kStorages) {
      list.emplace_back(GatherProblem{dtype, index, 2, 7, 5, 11});
      list.emplace_back(GatherProblem{dtype, index, 2, 7, 48, 11});
    }
    list.emplace_back(GatherProblem{DType::kF32, index, 1, 1, 1, 1});
    list.emplace_back(GatherProblem{DType::kF32, index, 1, 1000, 33, 129});
    list.emplace_back(GatherProblem{DType::kF32, index, 65, 4, 1, 3});
    list.emplace_back(GatherProblem{DType::kF32, index, 3, 4, 5, 0});
    list.emplace_back(GatherProblem{DType::kF32, index, 0, 4, 5, 2});
  }
}

void add_reorder(std::vector<Problem>& list) {
  for (const Layout from : kAllLayouts) {
    for (const Layout to : kAllLayouts) {
      for (const int64_t channels : {1, 3, 8, 16, 20}) {
        list.emplace_back(ReorderProblem{DType::kF32, 2, channels, 5, 7, from, to});
      }
      list.emplace_back(ReorderProblem{DType::kF32, 1, 33, 28, 28, from, to});
      list.emplace_back(ReorderProblem{DType::kF32, 0, 3, 4, 4, from, to});
      list.emplace_back(ReorderProblem{DType::kU8, 1, 3, 6, 5, from, to});
      list.emplace_back(ReorderProblem{DType::kF16, 3, 48, 8, 12, from, to});
    }
  }
}

void add_image(std::vector<Problem>& list) {
  ImageProblem p;
  p.scale = 1.0f / 255.0f;
  p.mean = {0.485f, 0.456f, 0.406f, 0.5f};
  p.std = {0.229f, 0.224f, 0.225f, 0.25f};
  for (const int64_t channels : {1, 3, 4}) {
    for (const Layout layout : kAllLayouts) {
      p.C = channels;
      p.dst_layout = layout;
      p.N = 2, p.H = 28, p.W = 28;
      list.emplace_back(p);
      p.N = 1, p.H = 7, p.W = 33;
      list.emplace_back(p);
    }
    p.dst_layout = Layout::kRowMajor;
    p.N = 0;
    list.emplace_back(p);
  }
  ImageProblem plain;  // the default: bytes to floats
  plain.N = 3, plain.H = 5, plain.W = 11, plain.C = 3;
  list.emplace_back(plain);
}

}  // namespace

std::vector<Problem> data_movement_problems() {
  std::vector<Problem> list;
  add_transpose(list);
  add_concat(list);
  add_gather(list);
  add_reorder(list);
  std::vector<Problem> images;
  add_image(images);
  append_precisions(images);
  list.insert(list.end(), images.begin(), images.end());
  return list;
}

}  // namespace tessera::testing
