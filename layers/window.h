// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/shape.h"
#include "core/status.h"
#include "layers/attributes.h"

namespace tessera {

enum class AutoPad : uint8_t { kNotSet, kValid, kSameUpper, kSameLower };

// What Conv, MaxPool and AveragePool say about their window. An empty list stands for the default:
// strides and dilations of 1, pads of 0.
struct WindowAttrs {
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;  // begin of each axis, then end of each axis
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
};

// Which attributes an operator has at its opset.
struct WindowRules {
  bool has_dilations = true;
  bool has_ceil_mode = false;
};

// Reads the attributes kernel_shape, strides, dilations, pads, auto_pad and ceil_mode.
Result<WindowAttrs> parse_window(AttributeReader& reader, WindowRules rules);

// The window along one spatial axis: output i reads the input at
// i * stride - pad_begin + k * dilation for k in [0, kernel).
struct WindowAxis {
  int64_t in = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t out = 1;

  [[nodiscard]] int64_t reach() const { return dilation * (kernel - 1) + 1; }
};

// Height and width. One-dimensional data is a single row: its axis is `w`.
struct Window {
  WindowAxis h;
  WindowAxis w;
};

// The window over data of shape (N, C, spatial...); `kernel` are its extents. kInvalidModel for
// lists of a wrong length, values out of range, a window that does not fit; kUnsupported for a
// number of spatial axes other than 1 and 2. `data` describes the tensor in messages.
Result<Window> resolve_window(const WindowAttrs& attrs, const std::vector<int64_t>& kernel,
                              const Shape& shape, const std::string& data);

// (N, channels, spatial extents of the output) with the rank of `input`.
Shape window_output_shape(const Window& window, const Shape& input, int64_t channels);

// Copies the window into a ConvProblem or PoolProblem.
template <typename ProblemT>
void set_window(const Window& window, ProblemT& problem) {
  problem.H = window.h.in;
  problem.W = window.w.in;
  problem.R = window.h.kernel;
  problem.S = window.w.kernel;
  problem.P = window.h.out;
  problem.Q = window.w.out;
  problem.stride_h = window.h.stride;
  problem.stride_w = window.w.stride;
  problem.pad_top = window.h.pad_begin;
  problem.pad_left = window.w.pad_begin;
  problem.pad_bottom = window.h.pad_end;
  problem.pad_right = window.w.pad_end;
  problem.dilation_h = window.h.dilation;
  problem.dilation_w = window.w.dilation;
}

}  // namespace tessera
