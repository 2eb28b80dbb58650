// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

int64_t output_extent(int64_t extent, int64_t pads, int64_t kernel, int64_t dilation,
                      int64_t stride) {
  return (extent + pads - ((kernel - 1) * dilation + 1)) / stride + 1;
}

// P and Q from the rest.
ConvProblem finish(ConvProblem p) {
  p.P = output_extent(p.H, p.pad_top + p.pad_bottom, p.R, p.dilation_h, p.stride_h);
  p.Q = output_extent(p.W, p.pad_left + p.pad_right, p.S, p.dilation_w, p.stride_w);
  return p;
}

struct Image {
  int64_t N, C, H, W;
};

// K filters of R x S.
struct Filters {
  int64_t K, R, S;
  int64_t pad = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t groups = 1;
};

ConvProblem conv(const Image& image, const Filters& filters) {
  ConvProblem p;
  p.N = image.N, p.C = image.C, p.H = image.H, p.W = image.W;
  p.K = filters.K, p.R = filters.R, p.S = filters.S;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = filters.pad;
  p.stride_h = p.stride_w = filters.stride;
  p.dilation_h = p.dilation_w = filters.dilation;
  p.groups = filters.groups;
  return finish(p);
}

void add_sizes(std::vector<Problem>& list) {
  list.emplace_back(conv({1, 1, 1, 1}, {1, 1, 1}));
  list.emplace_back(conv({0, 3, 8, 8}, {4, 3, 3, 1}));     // an empty batch
  list.emplace_back(conv({1, 1, 28, 28}, {16, 3, 3, 1}));  // one channel
  list.emplace_back(conv({3, 1, 28, 28}, {6, 5, 5, 2}));
  list.emplace_back(conv({2, 3, 32, 32}, {16, 3, 3, 1, 2}));
  list.emplace_back(conv({1, 3, 37, 41}, {8, 7, 7, 3, 2}));
  list.emplace_back(conv({2, 16, 14, 14}, {32, 3, 3, 1}));
  list.emplace_back(conv({2, 19, 13, 11}, {23, 3, 3, 1}));  // primes
  list.emplace_back(conv({1, 33, 9, 7}, {65, 3, 3}));
  list.emplace_back(conv({5, 7, 6, 17}, {9, 2, 4, 1}));
  list.emplace_back(conv({1, 4, 4, 4}, {5, 4, 4}));     // one output pixel
  list.emplace_back(conv({1, 2, 2, 3}, {3, 5, 5, 2}));  // filter larger than the image
  list.emplace_back(conv({2, 3, 1, 1}, {4, 3, 3, 1}));
  list.emplace_back(conv({2, 5, 1, 50}, {7, 1, 9, 0}));  // one-dimensional
  list.emplace_back(conv({1, 6, 50, 1}, {4, 7, 1, 0, 3}));
}

void add_pointwise(std::vector<Problem>& list) {
  for (const auto& [c, k] : {std::pair{1, 8}, {16, 16}, {31, 33}, {64, 10}, {128, 127}}) {
    list.emplace_back(conv({2, c, 7, 9}, {k, 1, 1}));
    list.emplace_back(conv({1, c, 8, 8}, {k, 1, 1, 0, 2}));
  }
  list.emplace_back(conv({1, 3, 5, 5}, {4, 1, 1, 1}));  // padding around a 1x1 filter
}

void add_geometry(std::vector<Problem>& list) {
  ConvProblem p = conv({2, 5, 11, 14}, {6, 3, 3});
  p.pad_top = 0, p.pad_left = 2, p.pad_bottom = 1, p.pad_right = 0;
  list.emplace_back(finish(p));
  p.stride_h = 2, p.stride_w = 3;
  list.emplace_back(finish(p));
  p.pad_top = 2, p.pad_left = 0, p.pad_bottom = 0, p.pad_right = 1;
  p.dilation_h = 1, p.dilation_w = 2;
  list.emplace_back(finish(p));
  list.emplace_back(conv({1, 4, 20, 20}, {8, 3, 3, 2, 1, 2}));
  list.emplace_back(conv({1, 4, 21, 19}, {8, 3, 3, 0, 2, 3}));
  list.emplace_back(conv({2, 8, 12, 12}, {16, 2, 2, 0, 2}));  // windows side by side
  list.emplace_back(conv({2, 8, 13, 13}, {16, 1, 1, 0, 3}));
  p = conv({1, 3, 10, 10}, {4, 3, 3, 1, 4});  // the last rows are not read
  list.emplace_back(p);
  p = conv({1, 2, 6, 6}, {3, 3, 3});
  p.pad_bottom = 4;  // windows in the padding alone
  list.emplace_back(finish(p));
}

void add_groups(std::vector<Problem>& list) {
  list.emplace_back(conv({2, 4, 9, 9}, {6, 3, 3, 1, 1, 1, 2}));
  list.emplace_back(conv({1, 12, 8, 8}, {9, 3, 3, 1, 1, 1, 3}));
  list.emplace_back(conv({2, 32, 7, 7}, {32, 3, 3, 1, 1, 1, 4}));
  list.emplace_back(conv({1, 32, 7, 7}, {64, 1, 1, 0, 1, 1, 2}));
  for (const int64_t channels : {1, 7, 8, 16, 33}) {
    list.emplace_back(conv({2, channels, 10, 9}, {channels, 3, 3, 1, 1, 1, channels}));
    list.emplace_back(conv({1, channels, 9, 10}, {channels, 3, 3, 1, 2, 1, channels}));
    list.emplace_back(conv({1, channels, 6, 6}, {3 * channels, 3, 3, 1, 1, 1, channels}));
  }
  list.emplace_back(conv({1, 16, 12, 12}, {16, 5, 5, 4, 1, 2, 16}));
}

void add_epilogues(std::vector<Problem>& list) {
  for (const Activation& activation : all_activations()) {
    for (int flags = 0; flags < 4; ++flags) {
      const Epilogue epilogue{(flags & 1) != 0, (flags & 2) != 0, activation};
      ConvProblem p = conv({2, 5, 7, 9}, {19, 3, 3, 1});
      p.epilogue = epilogue;
      list.emplace_back(p);
      p = conv({1, 9, 6, 6}, {9, 3, 3, 1, 1, 1, 9});
      p.epilogue = epilogue;
      list.emplace_back(p);
      p = conv({1, 16, 5, 5}, {16, 1, 1});
      p.epilogue = epilogue;
      list.emplace_back(p);
    }
  }
}

void add_layouts(std::vector<Problem>& list) {
  for (const Layout src : kAllLayouts) {
    for (const Layout dst : kAllLayouts) {
      if (src == Layout::kRowMajor && dst == Layout::kRowMajor) continue;
      for (ConvProblem p :
           {conv({2, 3, 10, 12}, {20, 3, 3, 1}), conv({1, 16, 8, 8}, {32, 3, 3}),
            conv({2, 19, 7, 5}, {8, 1, 1}), conv({1, 16, 9, 9}, {16, 3, 3, 1, 1, 1, 16}),
            conv({1, 12, 6, 7}, {20, 3, 3, 1, 2, 1, 4})}) {
        p.src_layout = src;
        p.dst_layout = dst;
        list.emplace_back(p);
        p.epilogue = {true, true, {ActivationKind::kRelu, 0, 0}};
        list.emplace_back(p);
      }
    }
  }
  // The padding channels stay zero although sigmoid(0) is not.
  ConvProblem p = conv({1, 3, 4, 4}, {5, 3, 3, 1});
  p.src_layout = p.dst_layout = Layout::kNChw8c;
  p.epilogue = {true, false, {ActivationKind::kSigmoid, 0, 0}};
  list.emplace_back(p);
}

// Sums long enough to be split among blocks, channels and positions just below, at and just above
// the tiles of the CUDA kernels, many tiles, and a channel block filled up with zeros.
void add_tiles(std::vector<Problem>& list) {
  list.emplace_back(conv({1, 264, 3, 4}, {33, 3, 3, 1}));
  list.emplace_back(conv({1, 512, 2, 2}, {33, 1, 1}));
  list.emplace_back(conv({1, 250, 4, 4}, {8, 3, 3, 1, 2, 1, 2}));
  list.emplace_back(conv({1, 8, 8, 16}, {64, 3, 3, 1}));
  list.emplace_back(conv({1, 8, 127, 1}, {63, 1, 1}));
  list.emplace_back(conv({1, 16, 129, 1}, {65, 1, 1}));
  list.emplace_back(conv({2, 15, 17, 15}, {129, 1, 1}));
  list.emplace_back(conv({1, 16, 30, 31}, {64, 3, 3, 1, 2}));
}

// Tiles of Winograd's algorithm that reach over the last row and column by every number of them,
// whole ones, windows in the padding alone, and enough channels that it is worth while.
void add_winograd(std::vector<Problem>& list) {
  for (const int64_t extent : {4, 5, 6, 7}) {
    list.emplace_back(conv({2, 32, extent, 11 - extent}, {33, 3, 3, 1}));
  }
  list.emplace_back(conv({1, 35, 3, 19}, {32, 3, 3, 0}));
  list.emplace_back(conv({1, 32, 1, 2}, {65, 3, 3, 4}));
  list.emplace_back(conv({5, 40, 9, 10}, {32, 3, 3, 1}));
  for (const Activation& activation : all_activations()) {
    ConvProblem p = conv({1, 33, 6, 5}, {34, 3, 3, 1});
    p.pad_top = 0, p.pad_left = 2;
    p = finish(p);
    p.epilogue = {true, true, activation};
    list.emplace_back(p);
  }
}

}  // namespace

std::vector<Problem> conv_problems() {
  std::vector<Problem> list;
  add_sizes(list);
  add_pointwise(list);
  add_geometry(list);
  add_groups(list);
  add_epilogues(list);
  add_layouts(list);
  add_tiles(list);
  add_winograd(list);
  append_precisions(list);
  ConvProblem wide = conv({1, 3, 6, 6}, {4, 3, 3, 1});
  wide.dtype = DType::kF64;
  list.emplace_back(wide);
  return list;
}

}  // namespace tessera::testing
