// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "kernels/problem/epilogue.h"

namespace tessera::cpu {

// Calls loop(f) with f the activation as a function of a float, so that the loop is compiled for
// each kind and vectorised. The comparisons are written so that NaN stays NaN.
template <typename Loop>
void with_activation(const Activation& activation, Loop&& loop) {
  const float alpha = activation.alpha;
  const float beta = activation.beta;
  switch (activation.kind) {
    case ActivationKind::kNone:
      return loop([](float x) { return x; });
    case ActivationKind::kRelu:
      return loop([](float x) { return x < 0.0f ? 0.0f : x; });
    case ActivationKind::kLeakyRelu:
      return loop([alpha](float x) { return x >= 0.0f ? x : alpha * x; });
    case ActivationKind::kClip:
      return loop([alpha, beta](float x) {
        const float raised = x < alpha ? alpha : x;
        return raised > beta ? beta : raised;
      });
    case ActivationKind::kSigmoid:
      return loop([](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case ActivationKind::kTanh:
      return loop([](float x) { return std::tanh(x); });
  }
}

// Whether oneDNN keeps NaN in the activation as a post-op, as the contract demands. Its ReLU (which
// is its leaky ReLU with alpha = 0) and clip turn NaN into 0 or a bound; its sigmoid turns it into
// 0 after a convolution on AVX-512.
inline bool onednn_keeps_nan(const Activation& activation) {
  switch (activation.kind) {
    case ActivationKind::kRelu:
    case ActivationKind::kClip:
    case ActivationKind::kSigmoid:
      return false;
    case ActivationKind::kLeakyRelu:
      return activation.alpha != 0.0f;
    case ActivationKind::kNone:
    case ActivationKind::kTanh:
      break;
  }
  return true;
}

}  // namespace tessera::cpu
