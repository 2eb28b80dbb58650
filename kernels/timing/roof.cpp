// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing/roof.h"

#include <algorithm>

#include "kernels/accuracy/problem_operands.h"

namespace tessera {
namespace {

double product(auto... extents) { return (static_cast<double>(extents) * ...); }

// The part of an axis that windows of `window` cells at `count` places touch at most.
double touched(int64_t extent, int64_t count, int64_t window) {
  return extent == 0 ? 0.0 : std::min(1.0, product(count, window) / static_cast<double>(extent));
}

// Upper bounds on the elements of input `operand` that take part; describe_operands gives those of
// its memory.
struct UsedElements {
  int operand;
  double in_memory;

  double operator()(const GemmProblem& p) const {
    if (operand == GemmProblem::kA) return product(p.batch(), p.M, p.K);
    if (operand == GemmProblem::kB) return product(p.batch(), p.K, p.N);
    return product(p.batch(), p.M, p.N);
  }
  double operator()(const ConvProblem& p) const { return window(p, ConvProblem::kSrc); }
  double operator()(const PoolProblem& p) const { return window(p, PoolProblem::kSrc); }
  double operator()(const GatherProblem& p) const {
    return operand == GatherProblem::kSrc ? product(p.outer, p.index_count, p.inner) : in_memory;
  }
  double operator()(const auto&) const { return in_memory; }

  [[nodiscard]] double window(const auto& p, int src) const {
    if (operand != src) return in_memory;
    return in_memory * touched(p.H, p.P, p.R) * touched(p.W, p.Q, p.S);
  }
};

// Fused multiply-adds per clock and multiprocessor, 0 where unknown.
struct MultiplyAdds {
  int compute;  // 10 * major + minor
  double float32;
  double float64;
  double tensor_16;  // float16 and bfloat16 with float32 sums
  double tensor_tf32;
};
// The data sheets' tensor rates of 8.6, 8.9 and 12.x differ by product, hence not here.
constexpr MultiplyAdds kMultiplyAdds[] = {
    {70, 64, 32, 512, 0},       // V100: 125 TFLOP/s = 80 * 1.53 GHz * 1024
    {75, 64, 2, 512, 0},        // T4: 65 TFLOP/s = 40 * 1.59 GHz * 1024
    {80, 64, 32, 1024, 512},    // A100: 312 TFLOP/s = 108 * 1.41 GHz * 2048
    {86, 128, 2, 0, 0},         //
    {89, 128, 2, 0, 0},         //
    {90, 128, 64, 2048, 1024},  // H100: 989 TFLOP/s = 132 * 1.83 GHz * 4096
    {100, 128, 64, 0, 0},       //
    {120, 128, 2, 0, 0},        //
};

double multiply_adds_per_clock(const Problem& problem, const MultiplyAdds& rates) {
  const DType dtype = compute_dtype(problem);
  if (dtype == DType::kF64) return rates.float64;
  const auto of_product = [&](const auto& p) {
    if (dtype == DType::kF16 || dtype == DType::kBF16) return rates.tensor_16;
    return p.allow_tf32 ? rates.tensor_tf32 : rates.float32;
  };
  if (const auto* gemm = std::get_if<GemmProblem>(&problem)) return of_product(*gemm);
  if (const auto* conv = std::get_if<ConvProblem>(&problem)) return of_product(*conv);
  return rates.float32;
}

}  // namespace

double problem_bytes(const Problem& problem) {
  const ProblemOperands operands = describe_operands(problem);
  const auto size = [](const OperandSpec& spec) {
    return static_cast<double>(dtype_size_bytes(spec.dtype));
  };
  double bytes = 0;
  for (size_t i = 0; i < operands.inputs.size(); ++i) {
    const OperandSpec& spec = operands.inputs[i];
    if (!spec.present) continue;
    const auto in_memory = static_cast<double>(spec.elements);
    const double used = std::visit(UsedElements{static_cast<int>(i), in_memory}, problem);
    bytes += std::min(used, in_memory) * size(spec);
  }
  auto written = static_cast<double>(operands.output.elements);
  if (const auto* gemm = std::get_if<GemmProblem>(&problem)) {
    written = product(gemm->batch(), gemm->M, gemm->N);
  }
  return bytes + written * size(operands.output);
}

std::optional<double> peak_bytes_per_second(const DeviceInfo& device) {
  if (device.memory_clock_khz <= 0 || device.memory_bus_bits <= 0) return std::nullopt;
  constexpr double kEdges = 2;
  constexpr double kBitsPerByte = 8;
  return 1e3 * device.memory_clock_khz * kEdges * device.memory_bus_bits / kBitsPerByte;
}

std::optional<double> peak_flops_per_second(const Problem& problem, const DeviceInfo& device) {
  const int compute = 10 * device.compute_major + device.compute_minor;
  for (const MultiplyAdds& rates : kMultiplyAdds) {
    if (rates.compute != compute) continue;
    const double per_clock = multiply_adds_per_clock(problem, rates);
    if (per_clock == 0 || device.clock_khz <= 0) return std::nullopt;
    return 2 * per_clock * device.multiprocessors * 1e3 * device.clock_khz;
  }
  return std::nullopt;
}

std::optional<Roof> problem_roof(const Problem& problem, const DeviceInfo& device) {
  const auto bandwidth = peak_bytes_per_second(device);
  const auto peak = peak_flops_per_second(problem, device);
  if (!bandwidth || !peak) return std::nullopt;
  constexpr double kMicro = 1e6;
  const double memory = problem_bytes(problem) / *bandwidth * kMicro;
  const double arithmetic = problem_flops(problem) / *peak * kMicro;
  return Roof{std::max(memory, arithmetic), memory >= arithmetic};
}

}  // namespace tessera
