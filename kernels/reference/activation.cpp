// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/activation.h"

#include <algorithm>
#include <cmath>

namespace tessera::reference {

double apply_activation(const Activation& activation, double x) {
  if (std::isnan(x)) return x;
  const double alpha = activation.alpha;
  const double beta = activation.beta;
  switch (activation.kind) {
    case ActivationKind::kNone:
      return x;
    case ActivationKind::kRelu:
      return std::max(x, 0.0);
    case ActivationKind::kLeakyRelu:
      return x >= 0.0 ? x : alpha * x;
    case ActivationKind::kClip:
      return std::min(std::max(x, alpha), beta);
    case ActivationKind::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case ActivationKind::kTanh:
      return std::tanh(x);
  }
  return x;
}

}  // namespace tessera::reference
