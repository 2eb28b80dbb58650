// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/kernel_errors.h"

#include <algorithm>

#include "kernels/accuracy/problem_operands.h"
#include "kernels/accuracy/run_kernel.h"
#include "kernels/accuracy/truth.h"
#include "kernels/timing/random_operands.h"

namespace tessera {

bool is_library_kernel(std::string_view kernel) {
  constexpr std::string_view kLibraries[] = {"cublas", "cublaslt", "cudnn", "onednn"};
  return std::find(std::begin(kLibraries), std::end(kLibraries),
                   kernel.substr(0, kernel.find('_'))) != std::end(kLibraries);
}

Result<ProblemErrors> measure_errors(const Problem& problem, const Backend& backend,
                                     Device& device) {
  constexpr uint64_t kSeed = 1;
  ProblemErrors errors;
  const std::vector<Bytes> inputs = random_operands(problem, kSeed);
  TESSERA_ASSIGN_OR_RETURN(const Truth truth, compute_truth(problem, inputs));
  const DType dtype = describe_operands(problem).output.dtype;
  for (const Candidate& candidate : candidates(problem, backend, device.info())) {
    if (!candidate.support.ok()) {
      errors.refused.push_back(candidate);
      continue;
    }
    const Result<Bytes> result = run_kernel(*candidate.entry, problem, inputs, device);
    if (!result.ok()) {
      errors.failures.push_back(std::string(candidate.entry->name) + " on " + to_string(problem) +
                                ": " + result.status().message());
      continue;
    }
    errors.measured.push_back({candidate.entry, relative_error(*result, dtype, truth.value)});
  }
  return errors;
}

}  // namespace tessera
