// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/problem.h"

#include <sstream>

namespace tessera {

bool BinaryProblem::is_dense() const {
  int64_t expected = 1;
  for (int axis = rank; axis-- > 0;) {
    const bool matters = extent[axis] != 1;
    if (matters && (stride_a[axis] != expected || stride_b[axis] != expected)) return false;
    expected *= extent[axis];
  }
  return true;
}

const char* activation_name(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::kNone:
      return "none";
    case ActivationKind::kRelu:
      return "relu";
    case ActivationKind::kLeakyRelu:
      return "leaky_relu";
    case ActivationKind::kClip:
      return "clip";
    case ActivationKind::kSigmoid:
      return "sigmoid";
    case ActivationKind::kTanh:
      return "tanh";
  }
  return "unknown";
}

const char* reduce_name(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum:
      return "sum";
    case ReduceKind::kMean:
      return "mean";
    case ReduceKind::kMax:
      return "max";
    case ReduceKind::kMin:
      return "min";
    case ReduceKind::kProd:
      return "prod";
    case ReduceKind::kL1:
      return "l1";
    case ReduceKind::kL2:
      return "l2";
    case ReduceKind::kSumSquare:
      return "sum_square";
    case ReduceKind::kLogSumExp:
      return "log_sum_exp";
  }
  return "unknown";
}

const char* binary_name(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd:
      return "add";
    case BinaryKind::kSub:
      return "sub";
    case BinaryKind::kMul:
      return "mul";
    case BinaryKind::kDiv:
      return "div";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, const Activation& activation) {
  out << activation_name(activation.kind);
  if (activation.kind == ActivationKind::kLeakyRelu) out << "(" << activation.alpha << ")";
  if (activation.kind == ActivationKind::kClip) {
    out << "(" << activation.alpha << ", " << activation.beta << ")";
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const Epilogue& epilogue) {
  if (epilogue.has_bias) out << " +bias";
  if (epilogue.has_residual) out << " +residual";
  if (epilogue.activation.kind != ActivationKind::kNone) out << " +" << epilogue.activation;
  return out;
}

std::ostream& operator<<(std::ostream& out, const GemmProblem& p) {
  out << "gemm " << p.dtype << (p.allow_tf32 ? " tf32" : "") << " M=" << p.M << " N=" << p.N
      << " K=" << p.K;
  if (p.batch() != 1) out << " batch=" << p.batch();
  out << (p.transpose_a ? " A^T" : "") << (p.transpose_b ? " B^T" : "");
  out << " lda=" << p.lda << " ldb=" << p.ldb << " ldd=" << p.ldd;
  if (p.alpha != 1.0f) out << " alpha=" << p.alpha;
  if (p.epilogue.has_bias) {
    if (p.beta != 1.0f) out << " beta=" << p.beta;
    out << " bias_strides=(" << p.bias_stride_m << "," << p.bias_stride_n << ")";
  }
  return out << p.epilogue;
}

std::ostream& operator<<(std::ostream& out, const ConvProblem& p) {
  out << "conv " << p.dtype << (p.allow_tf32 ? " tf32" : "") << " N=" << p.N << " C=" << p.C
      << " HW=" << p.H << "x" << p.W << " K=" << p.K << " RS=" << p.R << "x" << p.S << " PQ=" << p.P
      << "x" << p.Q << " stride=" << p.stride_h << "x" << p.stride_w << " pad=" << p.pad_top << ","
      << p.pad_left << "," << p.pad_bottom << "," << p.pad_right;
  if (p.dilation_h != 1 || p.dilation_w != 1) {
    out << " dilation=" << p.dilation_h << "x" << p.dilation_w;
  }
  if (p.groups != 1) out << " groups=" << p.groups;
  if (p.src_layout != Layout::kRowMajor || p.dst_layout != Layout::kRowMajor) {
    out << " " << p.src_layout << "->" << p.dst_layout;
  }
  return out << p.epilogue;
}

std::ostream& operator<<(std::ostream& out, const PoolProblem& p) {
  out << (p.kind == PoolKind::kMax ? "max_pool " : "average_pool ") << p.dtype << " N=" << p.N
      << " C=" << p.C << " HW=" << p.H << "x" << p.W << " RS=" << p.R << "x" << p.S << " PQ=" << p.P
      << "x" << p.Q << " stride=" << p.stride_h << "x" << p.stride_w << " pad=" << p.pad_top << ","
      << p.pad_left << "," << p.pad_bottom << "," << p.pad_right;
  if (p.dilation_h != 1 || p.dilation_w != 1) {
    out << " dilation=" << p.dilation_h << "x" << p.dilation_w;
  }
  if (p.count_include_pad) out << " count_include_pad";
  if (p.layout != Layout::kRowMajor) out << " " << p.layout;
  return out;
}

std::ostream& operator<<(std::ostream& out, const SoftmaxProblem& p) {
  return out << (p.log ? "log_softmax " : "softmax ") << p.dtype << " outer=" << p.outer
             << " axis=" << p.axis << " inner=" << p.inner;
}

std::ostream& operator<<(std::ostream& out, const ReduceProblem& p) {
  return out << "reduce_" << reduce_name(p.kind) << " " << p.dtype << " outer=" << p.outer
             << " axis=" << p.axis << " inner=" << p.inner;
}

std::ostream& operator<<(std::ostream& out, const UnaryProblem& p) {
  return out << "unary " << p.dtype << " count=" << p.count << " " << p.activation;
}

namespace {

template <typename Values>
void print_list(std::ostream& out, const char* name, const Values& values, int count) {
  out << " " << name << "=(";
  for (int i = 0; i < count; ++i) out << (i > 0 ? "," : "") << values[i];
  out << ")";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const BinaryProblem& p) {
  out << binary_name(p.kind) << " " << p.dtype;
  print_list(out, "extent", p.extent, p.rank);
  if (!p.is_dense()) {
    print_list(out, "stride_a", p.stride_a, p.rank);
    print_list(out, "stride_b", p.stride_b, p.rank);
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const CastProblem& p) {
  return out << "cast " << p.from << "->" << p.to << " count=" << p.count;
}

std::ostream& operator<<(std::ostream& out, const BatchNormProblem& p) {
  return out << "batch_norm " << p.dtype << " N=" << p.N << " C=" << p.C << " inner=" << p.inner
             << " epsilon=" << p.epsilon;
}

std::ostream& operator<<(std::ostream& out, const TransposeProblem& p) {
  out << "transpose " << p.dtype;
  print_list(out, "extent", p.extent, p.rank);
  print_list(out, "permutation", p.permutation, p.rank);
  return out;
}

std::ostream& operator<<(std::ostream& out, const ConcatProblem& p) {
  out << "concat " << p.dtype << " outer=" << p.outer << " inner=" << p.inner;
  print_list(out, "axis", p.axis_extents, static_cast<int>(p.axis_extents.size()));
  return out;
}

std::ostream& operator<<(std::ostream& out, const GatherProblem& p) {
  return out << "gather " << p.dtype << " outer=" << p.outer << " axis=" << p.axis
             << " inner=" << p.inner << " indices=" << p.index_count << " " << p.index_dtype;
}

std::ostream& operator<<(std::ostream& out, const ReorderProblem& p) {
  return out << "reorder " << p.dtype << " N=" << p.N << " C=" << p.C << " HW=" << p.H << "x" << p.W
             << " " << p.from << "->" << p.to;
}

std::ostream& operator<<(std::ostream& out, const ImageProblem& p) {
  return out << "image uint8->" << p.dtype << " N=" << p.N << " HW=" << p.H << "x" << p.W
             << " C=" << p.C << " scale=" << p.scale << " ->" << p.dst_layout;
}

std::string_view problem_family(const Problem& problem) {
  return std::visit([]<typename P>(const P&) { return P::kFamily; }, problem);
}

std::string to_string(const Problem& problem) {
  std::ostringstream out;
  std::visit([&](const auto& typed) { out << typed; }, problem);
  return out.str();
}

namespace {

double product(auto... extents) { return (static_cast<double>(extents) * ...); }

double epilogue_flops(const Epilogue& epilogue) {
  return (epilogue.has_bias ? 1 : 0) + (epilogue.has_residual ? 1 : 0) +
         (epilogue.activation.kind != ActivationKind::kNone ? 1 : 0);
}

struct Flops {
  double operator()(const GemmProblem& p) const {
    return product(p.batch(), p.M, p.N) * (2.0 * product(p.K) + epilogue_flops(p.epilogue));
  }
  double operator()(const ConvProblem& p) const {
    const double reduction = product(p.C / p.groups, p.R, p.S);
    return product(p.N, p.K, p.P, p.Q) * (2.0 * reduction + epilogue_flops(p.epilogue));
  }
  double operator()(const PoolProblem& p) const { return product(p.N, p.C, p.P, p.Q, p.R, p.S); }
  // Maximum, subtraction, exponential, sum, division.
  double operator()(const SoftmaxProblem& p) const {
    return 5.0 * product(p.outer, p.axis, p.inner);
  }
  double operator()(const ReduceProblem& p) const { return product(p.outer, p.axis, p.inner); }
  double operator()(const UnaryProblem& p) const { return product(p.count); }
  double operator()(const BinaryProblem& p) const { return product(p.count()); }
  double operator()(const BatchNormProblem& p) const { return 4.0 * product(p.N, p.C, p.inner); }
  double operator()(const ImageProblem& p) const { return 3.0 * product(p.N, p.H, p.W, p.C); }
  double operator()(const CastProblem&) const { return 0; }
  double operator()(const TransposeProblem&) const { return 0; }
  double operator()(const ConcatProblem&) const { return 0; }
  double operator()(const GatherProblem&) const { return 0; }
  double operator()(const ReorderProblem&) const { return 0; }
};

}  // namespace

double problem_flops(const Problem& problem) { return std::visit(Flops{}, problem); }

}  // namespace tessera
