// SPDX-License-Identifier: Apache-2.0
#include "engine/program/fuse_epilogues.h"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

Epilogue* epilogue_of(Problem& problem) {
  if (auto* gemm = std::get_if<GemmProblem>(&problem)) return &gemm->epilogue;
  if (auto* conv = std::get_if<ConvProblem>(&problem)) return &conv->epilogue;
  return nullptr;
}

constexpr size_t kBiasOperand = GemmProblem::kBias;
constexpr size_t kResidualOperand = GemmProblem::kResidual;
static_assert(ConvProblem::kBias == kBiasOperand && ConvProblem::kResidual == kResidualOperand);

// True when an operand with these strides has one value for each index of `axis` and is broadcast
// along the others, so that it is a vector of extent[axis] values.
bool varies_only_along(const BinaryProblem& add, const std::array<int64_t, 8>& strides, int axis) {
  for (int i = 0; i < add.rank; ++i) {
    const int64_t wanted = i == axis ? 1 : 0;
    if (add.extent[i] != 1 && strides[i] != wanted) return false;
  }
  return true;
}

// The axis of a producer's result along which its bias runs, and how many values it has.
struct BiasAxis {
  int axis = 0;
  int64_t extent = 0;
};

std::optional<BiasAxis> bias_axis(const Problem& producer, const BinaryProblem& add) {
  if (const auto* gemm = std::get_if<GemmProblem>(&producer)) {
    return BiasAxis{add.rank - 1, gemm->N};
  }
  const auto& conv = std::get<ConvProblem>(producer);
  // A 1-D convolution's result has rank 3, a 2-D one's rank 4; channels are axis 1 of both.
  if (add.rank < 3) return std::nullopt;
  return BiasAxis{1, conv.K};
}

// `producer` with `add` as its bias or residual, or nothing when that cannot be.
std::optional<Step> fuse_addition(const Program& program, const Step& producer, const Step& add,
                                  size_t producer_operand) {
  const auto& problem = std::get<BinaryProblem>(add.problem);
  if (problem.kind != BinaryKind::kAdd || problem.dtype != DType::kF32) return std::nullopt;
  if (program.values[add.output].desc.shape != program.values[producer.output].desc.shape) {
    return std::nullopt;
  }
  const ValueId other = add.inputs[1 - producer_operand];
  Step fused = producer;
  Epilogue& epilogue = *epilogue_of(fused.problem);
  fused.inputs.resize(kResidualOperand + 1, kNoValue);
  if (problem.is_dense()) {
    if (epilogue.has_residual || program.root(other) == program.root(producer.output)) {
      return std::nullopt;
    }
    epilogue.has_residual = true;
    fused.inputs[kResidualOperand] = other;
    return fused;
  }
  const auto& strides = producer_operand == 0 ? problem.stride_b : problem.stride_a;
  const std::optional<BiasAxis> bias = bias_axis(producer.problem, problem);
  if (!bias || epilogue.has_bias || epilogue.has_residual || !program.values[other].constant ||
      program.values[other].desc.num_elements() != bias->extent ||
      !varies_only_along(problem, strides, bias->axis)) {
    return std::nullopt;
  }
  epilogue.has_bias = true;
  fused.inputs[kBiasOperand] = other;
  if (auto* gemm = std::get_if<GemmProblem>(&fused.problem)) {
    gemm->beta = 1.0f;
    gemm->bias_stride_m = 0;
    gemm->bias_stride_n = 1;
  }
  return fused;
}

std::optional<Step> fuse_activation(const Step& producer, const Step& unary) {
  Step fused = producer;
  epilogue_of(fused.problem)->activation = std::get<UnaryProblem>(unary.problem).activation;
  return fused;
}

// The step that computes both `producer` and its only reader, or nothing.
std::optional<Step> fuse(const Program& program, const Step& producer, const Step& reader) {
  Step probe = producer;
  const Epilogue* epilogue = epilogue_of(probe.problem);
  if (epilogue == nullptr || epilogue->activation.kind != ActivationKind::kNone) {
    return std::nullopt;
  }
  std::optional<Step> fused;
  if (std::holds_alternative<UnaryProblem>(reader.problem)) {
    fused = fuse_activation(producer, reader);
  } else if (std::holds_alternative<BinaryProblem>(reader.problem)) {
    const size_t operand = reader.inputs[0] == producer.output ? 0 : 1;
    fused = fuse_addition(program, producer, reader, operand);
  }
  if (!fused) return std::nullopt;
  fused->output = reader.output;
  fused->node_names.insert(fused->node_names.end(), reader.node_names.begin(),
                           reader.node_names.end());
  fused->op_types.insert(fused->op_types.end(), reader.op_types.begin(), reader.op_types.end());
  return fused;
}

// The step that writes `value`, among steps [0, end); -1 when none does.
int producer_before(const Program& program, ValueId value, size_t end) {
  for (size_t i = end; i-- > 0;) {
    if (program.steps[i].output == value) return static_cast<int>(i);
  }
  return -1;
}

// Tries to merge the producer of one of `reader`'s inputs into it. The fused step takes the
// reader's place, where all its operands have been computed. The later producer is tried first: its
// result is the one that is still warm, the earlier one becomes the residual.
bool fuse_into(Program& program, size_t reader, const std::vector<int>& reads,
               const std::function<bool(const Step&)>& can_run, PassLog& log) {
  std::vector<int> producers;
  for (const ValueId input : program.steps[reader].inputs) {
    if (input == kNoValue || reads[input] != 1) continue;
    const int producer = producer_before(program, input, reader);
    if (producer >= 0) producers.push_back(producer);
  }
  std::sort(producers.rbegin(), producers.rend());
  for (const int producer : producers) {
    const auto fused = fuse(program, program.steps[producer], program.steps[reader]);
    if (!fused || !can_run(*fused)) continue;
    log.push_back("fused " + fused->name());
    program.steps[reader] = *fused;
    program.steps.erase(program.steps.begin() + producer);
    return true;
  }
  return false;
}

}  // namespace

PassLog fuse_epilogues(Program& program, const std::function<bool(const Step& fused)>& can_run) {
  PassLog log;
  std::vector<int> reads = count_reads(program);
  size_t i = 0;
  while (i < program.steps.size()) {
    if (fuse_into(program, i, reads, can_run, log)) {
      reads = count_reads(program);
      // The fused step now stands one place earlier, and may absorb nothing more as a reader.
      continue;
    }
    ++i;
  }
  return log;
}

}  // namespace tessera
