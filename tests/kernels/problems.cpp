// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/problems.h"

namespace tessera::testing {

std::vector<Activation> all_activations() {
  return {{ActivationKind::kNone, 0, 0},         {ActivationKind::kRelu, 0, 0},
          {ActivationKind::kLeakyRelu, 0.1f, 0}, {ActivationKind::kLeakyRelu, -2.5f, 0},
          {ActivationKind::kClip, 0, 6},         {ActivationKind::kClip, -0.25f, 0.5f},
          {ActivationKind::kSigmoid, 0, 0},      {ActivationKind::kTanh, 0, 0}};
}

const std::vector<Problem>& all_problems() {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> problems;
    for (const auto& family :
         {gemm_problems(), conv_problems(), pool_problems(), softmax_problems(),
          elementwise_problems(), data_movement_problems()}) {
      problems.insert(problems.end(), family.begin(), family.end());
    }
    return problems;
  }();
  return all;
}

}  // namespace tessera::testing
