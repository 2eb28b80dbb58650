// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/excerpt.h"

#include <algorithm>
#include <cstring>

#include "kernels/accuracy/problem_operands.h"

namespace tessera {
namespace {

using Range = Excerpt::Range;

void append(Bytes& to, const Bytes& from, int64_t begin, int64_t count, DType dtype) {
  const auto size = static_cast<int64_t>(dtype_size_bytes(dtype));
  const auto first = from.begin() + begin * size;
  to.insert(to.end(), first, first + count * size);
}

// The first half of `count` places of [0, extent) at its begin, the other at its end.
std::vector<Range> both_ends(int64_t extent, int64_t count) {
  if (count >= extent) return {{0, extent}};
  const int64_t front = (count + 1) / 2;
  std::vector<Range> ends = {{0, front}};
  if (count > front) ends.push_back({extent - (count - front), count - front});
  return ends;
}

// `count` places spread over [0, extent), the first and the last among them.
std::vector<int64_t> spread(int64_t extent, int64_t count) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < std::min(extent, count); ++i) {
    places.push_back(count >= extent || count == 1 ? i : i * (extent - 1) / (count - 1));
  }
  return places;
}

Excerpt whole(const Problem& problem, const std::vector<Bytes>& inputs) {
  return {problem, inputs, {{0, describe_operands(problem).output.elements}}};
}

// Rows of op(A) and columns of op(B), stored densely and not transposed.
struct GemmCut {
  const GemmProblem& p;
  const std::vector<Bytes>& inputs;
  std::vector<int64_t> rows;
  std::vector<Range> columns;

  // Elements of `matrix` at the places of op(matrix)'s row, one by one where they are not adjacent.
  void append_row(Bytes& to, const Bytes& matrix, int64_t row, const Range& part, bool transposed,
                  int64_t stride) const {
    if (!transposed) return append(to, matrix, row * stride + part.begin, part.count, p.dtype);
    for (int64_t i = part.begin; i < part.begin + part.count; ++i) {
      append(to, matrix, i * stride + row, 1, p.dtype);
    }
  }
  Bytes a() const {
    Bytes bytes;
    for (const int64_t row : rows) {
      append_row(bytes, inputs[GemmProblem::kA], row, {0, p.K}, p.transpose_a, p.lda);
    }
    return bytes;
  }
  Bytes b() const {
    Bytes bytes;
    for (int64_t k = 0; k < p.K; ++k) {
      for (const Range& part : columns) {
        append_row(bytes, inputs[GemmProblem::kB], k, part, p.transpose_b, p.ldb);
      }
    }
    return bytes;
  }
  // Of an operand addressed by (m, n), as bias and residual are.
  Bytes at_results(const Bytes& operand, int64_t stride_m, int64_t stride_n) const {
    Bytes bytes;
    for (const int64_t row : rows) {
      for (const Range& part : columns) {
        for (int64_t n = part.begin; n < part.begin + part.count; ++n) {
          append(bytes, operand, row * stride_m + n * stride_n, 1, p.dtype);
        }
      }
    }
    return bytes;
  }
};

Excerpt cut_gemm(const GemmProblem& p, const std::vector<Bytes>& inputs, double most_flops) {
  constexpr int64_t kRows = 16;
  const auto rows = std::min(kRows, p.M);
  const double column_flops = 2.0 * static_cast<double>(rows) * static_cast<double>(p.K);
  const auto most_columns = static_cast<int64_t>(most_flops / std::max(column_flops, 1.0));
  const GemmCut cut{p, inputs, spread(p.M, rows),
                    both_ends(p.N, std::clamp<int64_t>(most_columns, 1, p.N))};
  GemmProblem part = p;
  part.M = rows;
  part.N = 0;
  for (const Range& range : cut.columns) part.N += range.count;
  part.transpose_a = part.transpose_b = false;
  part.lda = p.K;
  part.ldb = part.ldd = part.bias_stride_m = part.N;
  part.bias_stride_n = 1;
  Excerpt excerpt{part, {cut.a(), cut.b(), {}, {}}, {}};
  if (p.epilogue.has_bias) {
    excerpt.inputs[GemmProblem::kBias] =
        cut.at_results(inputs[GemmProblem::kBias], p.bias_stride_m, p.bias_stride_n);
  }
  if (p.epilogue.has_residual) {
    excerpt.inputs[GemmProblem::kResidual] =
        cut.at_results(inputs[GemmProblem::kResidual], p.ldd, 1);
  }
  for (const int64_t row : cut.rows) {
    for (const Range& range : cut.columns) {
      excerpt.output.push_back({row * p.ldd + range.begin, range.count});
    }
  }
  return excerpt;
}

// The outermost axis of a problem, over which its operands, parameters apart, are independent.
struct OutermostAxis {
  int64_t* operator()(ConvProblem& p) const { return &p.N; }
  int64_t* operator()(PoolProblem& p) const { return &p.N; }
  int64_t* operator()(ImageProblem& p) const { return &p.N; }
  int64_t* operator()(ReorderProblem& p) const { return &p.N; }
  int64_t* operator()(BatchNormProblem& p) const { return &p.N; }
  int64_t* operator()(SoftmaxProblem& p) const { return &p.outer; }
  int64_t* operator()(ReduceProblem& p) const { return &p.outer; }
  int64_t* operator()(UnaryProblem& p) const { return &p.count; }
  int64_t* operator()(CastProblem& p) const { return &p.count; }
  int64_t* operator()(auto&) const { return nullptr; }
};

Excerpt cut_outermost(const Problem& problem, const std::vector<Bytes>& inputs, int64_t most) {
  Problem part = problem;
  int64_t* axis = std::visit(OutermostAxis{}, part);
  const int64_t extent = *axis;
  const std::vector<Range> ends = both_ends(extent, most);
  *axis = 0;
  for (const Range& end : ends) *axis += end.count;
  const ProblemOperands specs = describe_operands(problem);
  Excerpt excerpt{part, {}, {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OperandSpec& spec = specs.inputs[i];
    if (spec.is_parameter || !spec.present) {
      excerpt.inputs.push_back(inputs[i]);
      continue;
    }
    const int64_t each = spec.elements / extent;
    excerpt.inputs.emplace_back();
    for (const Range& end : ends) {
      append(excerpt.inputs.back(), inputs[i], end.begin * each, end.count * each, spec.dtype);
    }
  }
  const int64_t each = specs.output.elements / extent;
  for (const Range& end : ends) excerpt.output.push_back({end.begin * each, end.count * each});
  return excerpt;
}

}  // namespace

Bytes Excerpt::cut(const Bytes& whole_output) const {
  const DType dtype = describe_operands(problem).output.dtype;
  Bytes bytes;
  for (const Range& range : output) append(bytes, whole_output, range.begin, range.count, dtype);
  return bytes;
}

Excerpt make_excerpt(const Problem& problem, const std::vector<Bytes>& inputs, double most_flops) {
  // Each element takes memory several times over, as a float64 and otherwise.
  constexpr double kFlopsPerElement = 32;
  const ProblemOperands operands = describe_operands(problem);
  int64_t elements = operands.output.elements;
  for (const OperandSpec& input : operands.inputs) elements = std::max(elements, input.elements);
  const double flops =
      std::max(problem_flops(problem), kFlopsPerElement * static_cast<double>(elements));
  if (flops <= most_flops) return whole(problem, inputs);
  const auto* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm != nullptr && gemm->batch() == 1) return cut_gemm(*gemm, inputs, most_flops);
  Problem copy = problem;
  const int64_t* axis = std::visit(OutermostAxis{}, copy);
  if (axis == nullptr) return whole(problem, inputs);
  const double each = flops / static_cast<double>(*axis);
  return cut_outermost(problem, inputs,
                       std::max<int64_t>(1, static_cast<int64_t>(most_flops / each)));
}

}  // namespace tessera
