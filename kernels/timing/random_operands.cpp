// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing/random_operands.h"

#include <cmath>
#include <cstring>

#include "core/half.h"
#include "kernels/accuracy/channel_padding.h"
#include "kernels/accuracy/problem_operands.h"

namespace tessera {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014, the public-domain code of Vigna): a few operations a number,
// since gigabytes of operands are filled.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // [-1, 1) in steps of 2^-23: exact in float32.
  float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-23f - 1.0f; }

 private:
  uint64_t state_;
};

template <typename Generate>
Bytes fill(int64_t count, Generate&& generate) {
  using T = decltype(generate());
  Bytes bytes(static_cast<size_t>(count) * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const T value = generate();
    std::memcpy(&bytes[static_cast<size_t>(i) * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

// uniform(random) gives a float.
template <typename Uniform>
Bytes fill_floats(DType dtype, int64_t count, Random& random, Uniform&& uniform) {
  switch (dtype) {
    case DType::kF64:
      return fill(count, [&] { return static_cast<double>(uniform(random)); });
    case DType::kF16:
      return fill(count, [&] { return float_to_half_bits(uniform(random)); });
    case DType::kBF16:
      return fill(count, [&] { return float_to_bfloat16_bits(uniform(random)); });
    default:
      return fill(count, [&] { return uniform(random); });
  }
}

Bytes fill_indices(const GatherProblem& problem, Random& random) {
  const auto index = [&] {
    return static_cast<int64_t>(random.bits() % static_cast<uint64_t>(problem.axis));
  };
  if (problem.index_dtype == DType::kI64) return fill(problem.index_count, index);
  return fill(problem.index_count, [&] { return static_cast<int32_t>(index()); });
}

Bytes fill_operand(const Problem& problem, int operand, const OperandSpec& spec, Random& random) {
  const auto* gather = std::get_if<GatherProblem>(&problem);
  if (gather != nullptr && operand == GatherProblem::kIndices) {
    return fill_indices(*gather, random);
  }
  if (dtype_is_float(spec.dtype)) {
    const bool positive =
        std::holds_alternative<BatchNormProblem>(problem) && operand == BatchNormProblem::kVariance;
    if (!positive) {
      return fill_floats(spec.dtype, spec.elements, random, [](Random& r) { return r.uniform(); });
    }
    return fill_floats(spec.dtype, spec.elements, random,
                       [](Random& r) { return std::fabs(r.uniform()) + 0.5f; });
  }
  if (spec.dtype == DType::kBool) {
    return fill(spec.elements, [&] { return static_cast<uint8_t>(random.bits() >> 63); });
  }
  // Bits are bits: bytes of every integer dtype.
  return fill(static_cast<int64_t>(spec.size_bytes()),
              [&] { return static_cast<uint8_t>(random.bits() >> 56); });
}

}  // namespace

std::vector<Bytes> random_operands(const Problem& problem, uint64_t seed) {
  const ProblemOperands operands = describe_operands(problem);
  std::vector<Bytes> inputs(operands.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OperandSpec& spec = operands.inputs[i];
    if (!spec.present) continue;
    Random random(seed + i);
    const auto operand = static_cast<int>(i);
    inputs[i] = fill_operand(problem, operand, spec, random);
    clear_channel_padding(problem, operand, spec.dtype, inputs[i]);
  }
  return inputs;
}

}  // namespace tessera
