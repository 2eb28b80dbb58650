// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"
#include "engine/executor/compiled_model.h"

namespace tessera::cli {

// One ONNX test: a folder with model.onnx and test_data_set_*/{input,output}_*.pb, as in
// onnx/backend/test/data.
struct OnnxCase {
  std::string name;  // the folder, relative to where the search began
  std::string folder;
};

// The cases in `folder` and below it, sorted by name; `folder` itself may be one. kNotFound when
// there is none.
Result<std::vector<OnnxCase>> find_onnx_cases(const std::string& folder);

enum class CaseResult { kPassed, kFailed, kUnsupported };

struct CaseOutcome {
  std::string name;
  CaseResult result = CaseResult::kPassed;
  std::string reason;                // empty when passed
  std::vector<std::string> kernels;  // that the last run launched, in order
};

struct CaseSettings {
  OpenDevice device;
  CompileOptions compile;
  double rtol = 1e-3;  // |got - expected| <= atol + rtol * |expected|, as numpy.testing
  double atol = 1e-5;
};

CaseOutcome run_onnx_case(const OnnxCase& onnx_case, const CaseSettings& settings);

// Empty when the tensors agree; otherwise the first difference in kind, or the worst element.
// Floats within the tolerance (NaN equals NaN, an infinity itself), other types exactly.
std::string compare_tensors(const Tensor& got, const Tensor& expected,
                            const CaseSettings& settings);

}  // namespace tessera::cli
