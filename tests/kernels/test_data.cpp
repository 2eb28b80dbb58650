// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/test_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/accuracy/channel_padding.h"
#include "kernels/accuracy/encoding.h"

namespace tessera::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Random = std::mt19937_64;

// FNV-1a: the same on every platform, unlike std::hash.
uint64_t hash_text(const std::string& text) {
  uint64_t hash = 14695981039346656037u;
  for (const char character : text) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211u;
  }
  return hash;
}

// [-1, 1) in steps of 2^-23: exact in float32. (The standard's distributions differ by platform.)
double uniform(Random& random) { return std::ldexp(static_cast<double>(random() >> 40), -23) - 1; }

double regular_value(DataSet data_set, size_t index, Random& random) {
  const double value = uniform(random);
  if (data_set == DataSet::kPeaky) return random() % 64 == 0 ? 1000 * value : value / 1024;
  if (data_set == DataSet::kCancelling) return (index % 2 == 0 ? 100.0 : -100.0) + value;
  return value;
}

// Sums: single special values among ordinary ones, so that most results stay finite.
std::vector<double> sparse_specials(std::vector<double> values) {
  const size_t count = values.size();
  if (count > 0) values[count / 2] = kNan;
  if (count > 3) {
    values[count / 3] = kInfinity;
    values[count / 4] = -kInfinity;
  }
  return values;
}

// An infinite weight makes one column or channel infinite.
std::vector<double> one_infinity(std::vector<double> values) {
  if (!values.empty()) values[values.size() / 2] = kInfinity;
  return values;
}

// Where a window reaches over the edge, what an infinite weight gives is left open.
bool windows_are_inside(const ConvProblem& p) {
  return p.pad_top == 0 && p.pad_left == 0 &&
         (p.P - 1) * p.stride_h + (p.R - 1) * p.dilation_h < p.H &&
         (p.Q - 1) * p.stride_w + (p.S - 1) * p.dilation_w < p.W;
}

bool takes_infinite_weights(const Problem& problem, int operand) {
  if (std::holds_alternative<GemmProblem>(problem)) return operand == GemmProblem::kB;
  const auto* conv = std::get_if<ConvProblem>(&problem);
  return conv != nullptr && operand == ConvProblem::kWeights && windows_are_inside(*conv);
}

// Element-wise: every special value, again and again. NaN with both signs: x86 makes negative ones.
std::vector<double> dense_specials(std::vector<double> values) {
  constexpr double kSpecials[] = {
      kNan,  -kNan,   kInfinity, -kInfinity, 0.0,  -0.0,  1e30,   -1e30,    1e-30, 127.5,
      128.0, -128.75, 255.9,     256.0,      -1.0, 65504, 65520,  -32768.5, 65536, 1e10,
      -1e10, 1e19,    -1e19,     2e19,       0.5,  -0.5,  6.1e-5, 2.9e-8,   3e38};
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % 4 != 3) values[i] = kSpecials[(i - i / 4) % std::size(kSpecials)];
  }
  return values;
}

// Windows and rows: half of the tensor is -infinity, with one NaN in the other half.
std::vector<double> half_infinite(std::vector<double> values) {
  std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
            -kInfinity);
  if (values.size() > 4) values[values.size() * 3 / 4] = kNan;
  return values;
}

std::vector<double> special_values(const Problem& problem, int operand,
                                   std::vector<double> values) {
  const std::string_view family = problem_family(problem);
  if (family == UnaryProblem::kFamily || family == BinaryProblem::kFamily ||
      family == CastProblem::kFamily) {
    return dense_specials(std::move(values));
  }
  if (family == PoolProblem::kFamily || family == SoftmaxProblem::kFamily) {
    return half_infinite(std::move(values));
  }
  if (takes_infinite_weights(problem, operand)) return one_infinity(std::move(values));
  return operand == 0 ? sparse_specials(std::move(values)) : values;
}

std::vector<double> float_values(const Problem& problem, int operand, size_t count,
                                 DataSet data_set, Random& random) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = regular_value(data_set, i, random);
  if (data_set == DataSet::kSpecial) values = special_values(problem, operand, std::move(values));
  if (const auto* softmax = std::get_if<SoftmaxProblem>(&problem); softmax != nullptr) {
    // Logits: from a spread of 10 to the 10000 at which exp overflows without the maximum.
    for (double& value : values) value *= 10;
  }
  if (std::holds_alternative<BatchNormProblem>(problem) && operand == BatchNormProblem::kVariance) {
    for (double& value : values) value = std::fabs(value);
  }
  for (double& value : values) value = static_cast<float>(value);
  return values;
}

// Bits at random, with the values at which integer arithmetic has its corners mixed in.
template <typename T>
Bytes integer_values(size_t count, Random& random) {
  constexpr T kCorners[] = {T{0}, T{1}, static_cast<T>(-1), std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::max()};
  Bytes bytes(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    const bool corner = random() % 3 == 0;
    const T value =
        corner ? kCorners[random() % std::size(kCorners)] : static_cast<T>(random() >> 8);
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

template <typename T>
Bytes gather_indices(const GatherProblem& problem, DataSet data_set, Random& random) {
  std::vector<T> indices(static_cast<size_t>(problem.index_count));
  for (T& index : indices) {
    index = static_cast<T>(random() % static_cast<uint64_t>(2 * problem.axis)) -
            static_cast<T>(problem.axis);
  }
  if (data_set == DataSet::kSpecial && !indices.empty()) {
    indices.front() = static_cast<T>(problem.axis);
    indices.back() = static_cast<T>(-problem.axis - 1);
  }
  Bytes bytes(indices.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), indices.data(), bytes.size());
  return bytes;
}

Bytes make_operand(const Problem& problem, int operand, const OperandSpec& spec, DataSet data_set,
                   Random& random) {
  const auto count = static_cast<size_t>(spec.elements);
  if (const auto* gather = std::get_if<GatherProblem>(&problem);
      gather != nullptr && operand == GatherProblem::kIndices) {
    return spec.dtype == DType::kI32 ? gather_indices<int32_t>(*gather, data_set, random)
                                     : gather_indices<int64_t>(*gather, data_set, random);
  }
  if (dtype_is_float(spec.dtype)) {
    return encode(float_values(problem, operand, count, data_set, random), spec.dtype);
  }
  switch (spec.dtype) {
    case DType::kI8:
      return integer_values<int8_t>(count, random);
    case DType::kU8:
      return integer_values<uint8_t>(count, random);
    case DType::kI16:
      return integer_values<int16_t>(count, random);
    case DType::kU16:
      return integer_values<uint16_t>(count, random);
    case DType::kI32:
      return integer_values<int32_t>(count, random);
    case DType::kU32:
      return integer_values<uint32_t>(count, random);
    case DType::kI64:
      return integer_values<int64_t>(count, random);
    case DType::kU64:
      return integer_values<uint64_t>(count, random);
    default:
      break;
  }
  Bytes bools = integer_values<uint8_t>(count, random);
  for (std::byte& value : bools) value &= std::byte{1};
  return bools;
}

}  // namespace

const char* data_set_name(DataSet data_set) {
  switch (data_set) {
    case DataSet::kUniform:
      return "uniform";
    case DataSet::kPeaky:
      return "peaky";
    case DataSet::kCancelling:
      return "cancelling";
    case DataSet::kSpecial:
      return "special";
  }
  return "unknown";
}

std::vector<Bytes> make_inputs(const Problem& problem, DataSet data_set) {
  const ProblemOperands operands = describe_operands(problem);
  std::vector<Bytes> inputs;
  for (size_t i = 0; i < operands.inputs.size(); ++i) {
    const OperandSpec& spec = operands.inputs[i];
    Random random(hash_text(to_string(problem) + data_set_name(data_set) + std::to_string(i)));
    inputs.emplace_back();
    if (!spec.present) continue;
    const auto operand = static_cast<int>(i);
    inputs.back() = make_operand(problem, operand, spec, data_set, random);
    clear_channel_padding(problem, operand, spec.dtype, inputs.back());
  }
  return inputs;
}

}  // namespace tessera::testing
