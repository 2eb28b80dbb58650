// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>

namespace tessera {

// Functions of one element. The comment gives f(x); alpha and beta are Activation's fields.
enum class ActivationKind : uint8_t {
  kNone,       // x
  kRelu,       // max(x, 0); NaN stays NaN
  kLeakyRelu,  // x >= 0 ? x : alpha * x
  kClip,       // min(max(x, alpha), beta); NaN stays NaN
  kSigmoid,    // 1 / (1 + exp(-x))
  kTanh,       // tanh(x)
};

struct Activation {
  ActivationKind kind = ActivationKind::kNone;
  float alpha = 0.0f;
  float beta = 0.0f;

  bool operator==(const Activation&) const = default;
};

// What happens to a result before it is stored: y = activation(x + bias + residual).
// Where the bias comes from is a matter of the problem (per column of a GEMM, per channel of a
// convolution); the residual has the shape, layout and dtype of the destination.
struct Epilogue {
  bool has_bias = false;
  bool has_residual = false;
  Activation activation;

  bool operator==(const Epilogue&) const = default;
};

const char* activation_name(ActivationKind kind);
std::ostream& operator<<(std::ostream& out, const Activation& activation);
std::ostream& operator<<(std::ostream& out, const Epilogue& epilogue);

}  // namespace tessera
