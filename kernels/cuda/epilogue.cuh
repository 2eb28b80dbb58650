// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "core/status.h"
#include "kernels/problem/epilogue.h"

namespace tessera::cuda {

// In place of a kind: the kind is known at run time only. For kernels with so many results per
// thread or so many other parameters that an epilogue for each kind would be most of their code.
constexpr auto kActivationAtRunTime = static_cast<ActivationKind>(0xff);

[[maybe_unused]] static __noinline__ __device__ float activate_at_run_time(
    float x, const Activation& activation);

// f(x) of kernels/problem/epilogue.h. The comparisons are written so that a NaN stays a NaN, which
// fmaxf and fminf would drop.
template <ActivationKind kKind>
__device__ __forceinline__ float activate(float x, const Activation& activation) {
  if constexpr (kKind == ActivationKind::kRelu) return x < 0.0f ? 0.0f : x;
  if constexpr (kKind == ActivationKind::kLeakyRelu) {
    return x >= 0.0f ? x : activation.alpha * x;
  }
  if constexpr (kKind == ActivationKind::kClip) {
    const float raised = x < activation.alpha ? activation.alpha : x;
    return raised > activation.beta ? activation.beta : raised;
  }
  if constexpr (kKind == ActivationKind::kSigmoid) return 1.0f / (1.0f + expf(-x));
  if constexpr (kKind == ActivationKind::kTanh) return tanhf(x);
  if constexpr (kKind == kActivationAtRunTime) {
    if (activation.kind == ActivationKind::kNone) return x;
    if (activation.kind == ActivationKind::kRelu) return x < 0.0f ? 0.0f : x;
    return activate_at_run_time(x, activation);
  }
  return x;
}

// Not inlined: a call costs less than a copy of every function for each result of a thread.
[[maybe_unused]] static __noinline__ __device__ float activate_at_run_time(
    float x, const Activation& activation) {
  switch (activation.kind) {
    case ActivationKind::kNone:
      break;
    case ActivationKind::kRelu:
      return activate<ActivationKind::kRelu>(x, activation);
    case ActivationKind::kLeakyRelu:
      return activate<ActivationKind::kLeakyRelu>(x, activation);
    case ActivationKind::kClip:
      return activate<ActivationKind::kClip>(x, activation);
    case ActivationKind::kSigmoid:
      return activate<ActivationKind::kSigmoid>(x, activation);
    case ActivationKind::kTanh:
      return activate<ActivationKind::kTanh>(x, activation);
  }
  return x;
}

// Calls function.operator()<kind>(), a template for the kind known at compile time, so that the
// choice is made once on the host and not per element.
template <typename Function>
Status dispatch_activation(ActivationKind kind, Function&& function) {
  switch (kind) {
    case ActivationKind::kNone:
      return function.template operator()<ActivationKind::kNone>();
    case ActivationKind::kRelu:
      return function.template operator()<ActivationKind::kRelu>();
    case ActivationKind::kLeakyRelu:
      return function.template operator()<ActivationKind::kLeakyRelu>();
    case ActivationKind::kClip:
      return function.template operator()<ActivationKind::kClip>();
    case ActivationKind::kSigmoid:
      return function.template operator()<ActivationKind::kSigmoid>();
    case ActivationKind::kTanh:
      return function.template operator()<ActivationKind::kTanh>();
  }
  return internal_error("unknown activation");
}

}  // namespace tessera::cuda
