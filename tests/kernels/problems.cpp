// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/problems.h"

#include <cstdlib>

#include "core/check.h"

namespace tessera::testing {
namespace {

template <typename P>
constexpr bool kHasDType = requires(P p) {
  p.dtype = DType::kF16;
};
template <typename P>
constexpr bool kHasTf32 = requires(P p) {
  p.allow_tf32 = true;
};

size_t problem_stride() {
  const char* text = std::getenv("TESSERA_PROBLEM_STRIDE");
  if (text == nullptr) return 1;
  const auto stride = static_cast<size_t>(std::strtoul(text, nullptr, 10));
  TESSERA_CHECK(stride > 0 && "TESSERA_PROBLEM_STRIDE is a positive number");
  return stride;
}

std::vector<Problem> thinned(const std::vector<Problem>& all) {
  const size_t stride = problem_stride();
  std::vector<Problem> some;
  for (size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

}  // namespace

void append_precisions(std::vector<Problem>& list) {
  const size_t end = list.size();
  for (size_t i = 0; i < end; ++i) {
    const Problem original = list[i];
    std::visit(
        [&]<typename P>(P copy) {
          if constexpr (kHasDType<P>) {
            if (copy.dtype != DType::kF32) return;
            if constexpr (kHasTf32<P>) {
              copy.allow_tf32 = true;
              if (i % 3 == 0) list.emplace_back(copy);
              copy.allow_tf32 = false;
            }
            copy.dtype = i % 2 == 0 ? DType::kF16 : DType::kBF16;
            list.emplace_back(copy);
          }
        },
        original);
  }
}

std::vector<Activation> all_activations() {
  return {{ActivationKind::kNone, 0, 0},         {ActivationKind::kRelu, 0, 0},
          {ActivationKind::kLeakyRelu, 0.1f, 0}, {ActivationKind::kLeakyRelu, -2.5f, 0},
          {ActivationKind::kClip, 0, 6},         {ActivationKind::kClip, -0.25f, 0.5f},
          {ActivationKind::kSigmoid, 0, 0},      {ActivationKind::kTanh, 0, 0}};
}

bool is_excerpt() { return problem_stride() > 1; }

const std::vector<Problem>& all_problems() {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> problems;
    for (const auto& family :
         {gemm_problems(), conv_problems(), pool_problems(), softmax_problems(), reduce_problems(),
          elementwise_problems(), data_movement_problems()}) {
      problems.insert(problems.end(), family.begin(), family.end());
    }
    return thinned(problems);
  }();
  return all;
}

}  // namespace tessera::testing
