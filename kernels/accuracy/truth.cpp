// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/truth.h"

#include <algorithm>
#include <cmath>

#include "kernels/accuracy/problem_operands.h"
#include "kernels/accuracy/winograd.h"
#include "kernels/reference/kernels.h"
#include "kernels/select.h"

namespace tessera {
namespace {

// Half the distance from 1 to the next number: the largest relative error of one rounding.
double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return std::ldexp(1.0, -53);
    case DType::kF16:
      return std::ldexp(1.0, -11);
    case DType::kBF16:
      return std::ldexp(1.0, -8);
    default:
      return std::ldexp(1.0, -24);
  }
}

// How many roundings a sum of `terms` products can be off, in units of u * sum |a * b|.
// In any order of summation the error is at most terms * u * sum |a * b| (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.1). Rounding errors of random data are as good as
// independent, so that for long sums 8 * sqrt(terms) is exceeded with a probability below
// 2 * terms * exp(-8 * 8 / 2), about terms * 2.5e-14 (Higham and Mary, A New Approach to
// Probabilistic Rounding Error Analysis, 2019).
double sum_roundings(int64_t terms) {
  const auto count = static_cast<double>(terms);
  return std::min(count, 8 * std::sqrt(count));
}

// Half the distance between subnormal numbers: the largest error of rounding one to storage.
double subnormal_roundoff(DType dtype) {
  if (dtype == DType::kF16) return std::ldexp(1.0, -25);
  return dtype == DType::kBF16 ? std::ldexp(1.0, -134) : 0.0;
}

struct Roundings {
  double arithmetic;  // unit roundoff of the arithmetic: float32, or float64 for float64 problems
  double storage;     // unit roundoff of the stored result
  double subnormal;   // absolute, for results below the smallest normal number of their dtype

  explicit Roundings(DType dtype)
      : arithmetic(unit_roundoff(dtype == DType::kF64 ? DType::kF64 : DType::kF32)),
        storage(unit_roundoff(dtype)),
        subnormal(subnormal_roundoff(dtype)) {}

  // Of storing a result y.
  [[nodiscard]] double stored(double y) const { return storage * std::fabs(y) + subnormal; }
};

// Relative error of a product of two factors that were cut off after 10 bits; rounding is half as
// far off.
double product_rounding(bool allow_tf32) { return allow_tf32 ? std::ldexp(1.0, -9) : 0.0; }

// Below the smallest normal number rounding is absolute, and a processor may flush to zero.
const double kSmallestNormal = std::ldexp(1.0, -126);

double lipschitz_constant(const Activation& activation) {
  if (activation.kind == ActivationKind::kLeakyRelu) {
    return std::max(1.0, std::fabs(static_cast<double>(activation.alpha)));
  }
  return activation.kind == ActivationKind::kSigmoid ? 0.25 : 1.0;
}

// Error of evaluating the activation itself, for a result y.
double activation_error(const Activation& activation, double y, double u) {
  switch (activation.kind) {
    case ActivationKind::kLeakyRelu:
      return u * std::fabs(y);
    // An exponential, a sum and a quotient of numbers of at most 1, each good to a few roundings.
    case ActivationKind::kSigmoid:
    case ActivationKind::kTanh:
      return 8 * u;
    default:
      return 0.0;
  }
}

// The problem without what is not a sum, and with every sign made positive.
struct MagnitudeProblem {
  Problem operator()(GemmProblem p) const {
    p.alpha = std::fabs(p.alpha);
    p.beta = std::fabs(p.beta);
    p.epilogue.activation = {};
    return p;
  }
  Problem operator()(ConvProblem p) const {
    p.epilogue.activation = {};
    return p;
  }
  Problem operator()(const auto& p) const { return p; }
};

// Sum over |a * b| + |bias| + |residual| for each result: what the error bounds are relative to.
// For a batch norm (|src| + |mean|) / deviation * |scale| + |bias|.
Result<std::vector<double>> magnitudes(const Problem& problem,
                                       std::vector<std::vector<double>> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const bool negative = std::holds_alternative<BatchNormProblem>(problem) &&
                          i == static_cast<size_t>(BatchNormProblem::kMean);
    for (double& value : values[i]) value = negative ? -std::fabs(value) : std::fabs(value);
  }
  std::vector<Bytes> inputs;
  for (const auto& operand : values) inputs.push_back(encode(operand, DType::kF64));
  TESSERA_ASSIGN_OR_RETURN(const Bytes result,
                           run_reference(std::visit(MagnitudeProblem{}, problem), inputs));
  return decode(result, DType::kF64);
}

// Tolerance of families that are a sum followed by an activation. `roundings` counts the sum's and
// those of scaling, bias and residual.
struct SumTolerance {
  double roundings = 0.0;
  Activation activation;
  double product = 0.0;  // relative error of each product before it is added

  double operator()(double y, double magnitude, const Roundings& u) const {
    // An infinite magnitude means that the argument of the activation is infinite or NaN: exact.
    const double before =
        std::isfinite(magnitude) ? (roundings * u.arithmetic + product) * magnitude : 0.0;
    return lipschitz_constant(activation) * before + activation_error(activation, y, u.arithmetic) +
           u.stored(y) + (before > 0 ? kSmallestNormal : 0.0);
  }
};

struct MakeSumTolerance {
  SumTolerance operator()(const GemmProblem& p) const {
    return {sum_roundings(p.K) + 4, p.epilogue.activation, product_rounding(p.allow_tf32)};
  }
  SumTolerance operator()(const ConvProblem& p) const {
    return {sum_roundings(p.C / p.groups * p.R * p.S) + 4, p.epilogue.activation,
            product_rounding(p.allow_tf32)};
  }
  SumTolerance operator()(const PoolProblem& p) const {
    if (p.kind == PoolKind::kMax) return {};
    return {sum_roundings(p.R * p.S) + 2, {}};
  }
  // Sum of variance and epsilon, root, quotient, difference, product, sum; twice for a kernel that
  // folds the parameters first.
  SumTolerance operator()(const BatchNormProblem&) const { return {12, {}}; }
  // Maximum and minimum are exact. A product has a rounding per factor, a sum of squares one more
  // per square, the others one at the end.
  SumTolerance operator()(const ReduceProblem& p) const {
    if (p.kind == ReduceKind::kMax || p.kind == ReduceKind::kMin) return {};
    const bool mixed_signs = p.kind == ReduceKind::kSum || p.kind == ReduceKind::kMean;
    return {(mixed_signs ? sum_roundings(p.axis) : static_cast<double>(p.axis)) + 2, {}};
  }
  SumTolerance operator()(const UnaryProblem& p) const { return {0, p.activation}; }
  SumTolerance operator()(const auto&) const { return {}; }
};

// With d = x - maximum <= 0 and s the sum of the exponentials, 1 <= s <= axis:
//   d is off by u * |d|, which exp turns into a relative error; exp itself adds a few u;
//   s has the relative error of a sum of positive terms, plus the mean of u * |d| weighted by
//   exp(d), which is at most 1 + log(axis).
// |d| <= |log y| for both kinds, since log y = d - log s.
double softmax_tolerance(const SoftmaxProblem& p, double y, const Roundings& u) {
  const double log_y = p.log ? std::fabs(y) : (y > 0 ? std::fabs(std::log(y)) : 0.0);
  const double log_axis = std::log(static_cast<double>(std::max<int64_t>(p.axis, 1)));
  const double roundings = 2 * log_y + 2 * log_axis + sum_roundings(p.axis) + 8;
  if (!std::isfinite(y)) return 0.0;
  const double error = p.log ? roundings * u.arithmetic : roundings * u.arithmetic * y;
  return error + u.stored(y) + kSmallestNormal;
}

// y = m + log s: a sum as in a softmax, and log turns its relative error into an absolute one. The
// maximum m is at most |y| + log(axis) from 0.
double log_sum_exp_tolerance(const ReduceProblem& p, double y, const Roundings& u) {
  if (!std::isfinite(y)) return 0.0;
  const double log_axis = std::log(static_cast<double>(std::max<int64_t>(p.axis, 1)));
  const double roundings = 2 * std::fabs(y) + 4 * log_axis + static_cast<double>(p.axis) + 8;
  return roundings * u.arithmetic + u.stored(y) + kSmallestNormal;
}

// Tolerances of Winograd's algorithm: relative to what its transforms make of the operands.
void add_winograd_tolerances(const ConvProblem& problem, int outputs,
                             const std::vector<std::vector<double>>& operands, Truth& truth) {
  const Roundings u(problem.dtype);
  const SumTolerance sum{sum_roundings(problem.C) + winograd_roundings(outputs) + 4,
                         problem.epilogue.activation};
  const std::vector<double> magnitude = winograd_magnitudes(problem, outputs, operands);
  for (size_t i = 0; i < magnitude.size(); ++i) {
    truth.tolerance.push_back(sum(truth.value[i], magnitude[i], u));
    if (!std::isfinite(magnitude[i])) truth.unspecified.push_back(i);
  }
}

// A row is a function of all its elements; its tolerance of the result alone.
std::vector<double> tolerances(const Problem& problem, const std::vector<double>& value,
                               const std::vector<double>& magnitude) {
  const Roundings u(compute_dtype(problem));
  const SumTolerance sum = std::visit(MakeSumTolerance{}, problem);
  const auto* softmax = std::get_if<SoftmaxProblem>(&problem);
  const auto* reduce = std::get_if<ReduceProblem>(&problem);
  const bool log_sum_exp = reduce != nullptr && reduce->kind == ReduceKind::kLogSumExp;
  std::vector<double> result(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    if (softmax != nullptr) {
      result[i] = softmax_tolerance(*softmax, value[i], u);
    } else if (log_sum_exp) {
      result[i] = log_sum_exp_tolerance(*reduce, value[i], u);
    } else {
      result[i] = sum(value[i], magnitude[i], u);
    }
  }
  return result;
}

}  // namespace

std::vector<double> Truth::value_for(std::span<const std::byte> result, DType dtype) const {
  std::vector<double> expected = value;
  for (const size_t i : unspecified) {
    expected[i] = read_element(result, dtype, static_cast<int64_t>(i));
  }
  return expected;
}

Result<Bytes> run_reference(const Problem& problem, const std::vector<Bytes>& inputs) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, reference::backend().open(0));
  TESSERA_ASSIGN_OR_RETURN(const KernelEntry* entry,
                           select(problem, reference::backend(), device->info()));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, entry->create(problem, *device));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device->create_stream());
  const ProblemOperands specs = describe_operands(problem);
  Bytes output(specs.output.size_bytes());
  std::vector<const void*> pointers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    pointers.push_back(specs.inputs[i].present ? inputs[i].data() : nullptr);
  }
  TESSERA_RETURN_IF_ERROR(kernel->launch({pointers, output.data(), nullptr}, *stream));
  return output;
}

Result<Truth> compute_truth(const Problem& problem, const std::vector<Bytes>& inputs,
                            int winograd_outputs) {
  Truth truth;
  if (compute_dtype(problem) == DType::kBool) {
    TESSERA_ASSIGN_OR_RETURN(truth.exact, run_reference(problem, inputs));
    return truth;
  }
  const Problem wide = as_float64(problem);
  std::vector<std::vector<double>> values;
  std::vector<Bytes> wide_inputs;
  for (const Bytes& input : inputs) {
    values.push_back(decode(input, compute_dtype(problem)));
    wide_inputs.push_back(encode(values.back(), DType::kF64));
  }
  TESSERA_ASSIGN_OR_RETURN(const Bytes result, run_reference(wide, wide_inputs));
  truth.value = decode(result, DType::kF64);
  if (winograd_outputs != 0) {
    add_winograd_tolerances(std::get<ConvProblem>(problem), winograd_outputs, values, truth);
    return truth;
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<double> magnitude,
                           magnitudes(wide, std::move(values)));
  truth.tolerance = tolerances(problem, truth.value, magnitude);
  return truth;
}

}  // namespace tessera
