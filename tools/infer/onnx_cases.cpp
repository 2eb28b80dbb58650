// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/onnx_cases.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "engine/graph/printable.h"
#include "engine/onnx/load.h"
#include "tessera/session.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> sets;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with("test_data_set_")) sets.push_back(it->path());
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

bool is_case(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "model.onnx", error) && !data_sets(folder).empty();
}

// `<prefix>_0.pb`, `<prefix>_1.pb`, ... as long as they are there.
Result<std::vector<Tensor>> load_tensors(const fs::path& set, const std::string& prefix) {
  std::vector<Tensor> tensors;
  while (true) {
    const fs::path file = set / fmt::format("{}_{}.pb", prefix, tensors.size());
    std::error_code error;
    if (!fs::exists(file, error)) return tensors;
    TESSERA_ASSIGN_OR_RETURN(Tensor tensor, load_tensor_proto(file.string()));
    tensors.push_back(std::move(tensor));
  }
}

// Before onnx 1.13, test data held the bits of bfloat16 numbers as uint16.
Tensor as_declared(Tensor tensor, DType declared) {
  if (declared != DType::kBF16 || tensor.dtype() != DType::kU16) return tensor;
  const auto owner = std::make_shared<const Tensor>(std::move(tensor));
  return Tensor::wrap({declared, owner->shape()}, owner->data(), owner);
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::string element_name(const Shape& shape, int64_t index) {
  std::vector<int64_t> position(shape.rank());
  for (size_t axis = shape.rank(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return Shape(position).to_string();
}

// An error of the model or a result that differs. Unsupported is told apart.
Status run_data_sets(const OnnxCase& onnx_case, const CaseSettings& settings,
                     std::vector<std::string>& kernels) {
  const fs::path folder = onnx_case.folder;
  TESSERA_ASSIGN_OR_RETURN(auto model, Model::load((folder / "model.onnx").string()));
  const std::vector<ValueInfo> declared = model->inputs();
  TESSERA_ASSIGN_OR_RETURN(const auto session,
                           Session::create(std::move(model), settings.device, settings.compile));
  for (const fs::path& set : data_sets(folder)) {
    const std::string set_name = set.filename().string();
    TESSERA_ASSIGN_OR_RETURN(auto inputs, load_tensors(set, "input"));
    TESSERA_ASSIGN_OR_RETURN(auto expected, load_tensors(set, "output"));
    for (size_t i = 0; i < std::min(inputs.size(), declared.size()); ++i) {
      inputs[i] = as_declared(std::move(inputs[i]), declared[i].dtype);
    }
    TESSERA_ASSIGN_OR_RETURN(const auto got, session->run(inputs));
    kernels = session->kernels();
    if (expected.empty() || got.size() != expected.size()) {
      return invalid_model(fmt::format("{}: {} expected outputs, but the model gives {}", set_name,
                                       expected.size(), got.size()));
    }
    for (size_t i = 0; i < got.size(); ++i) {
      expected[i] = as_declared(std::move(expected[i]), got[i].dtype());
      const std::string difference = compare_tensors(got[i], expected[i], settings);
      if (!difference.empty()) {
        return invalid_model(fmt::format("{}, output {}: {}", set_name, i, difference));
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<OnnxCase>> find_onnx_cases(const std::string& folder) {
  std::vector<OnnxCase> cases;
  const fs::path root(folder);
  if (is_case(root)) {
    const fs::path named = root.has_filename() ? root : root.parent_path();
    cases.push_back({escape_name(named.filename().string()), folder});
  }
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator it(root, skip, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && is_case(it->path())) {
      cases.push_back(
          {escape_name(fs::relative(it->path(), root, ignored).string()), it->path().string()});
    }
  }
  if (error) return not_found(fmt::format("{}: {}", folder, error.message()));
  if (cases.empty()) {
    return not_found(fmt::format(
        "{}: no ONNX test in it or below: a folder with model.onnx and test_data_set_*", folder));
  }
  std::sort(cases.begin(), cases.end(),
            [](const OnnxCase& a, const OnnxCase& b) { return a.name < b.name; });
  return cases;
}

CaseOutcome run_onnx_case(const OnnxCase& onnx_case, const CaseSettings& settings) {
  CaseOutcome outcome;
  outcome.name = onnx_case.name;
  const Status status = run_data_sets(onnx_case, settings, outcome.kernels);
  if (!status.ok()) {
    outcome.result =
        status.code() == StatusCode::kUnsupported ? CaseResult::kUnsupported : CaseResult::kFailed;
  }
  outcome.reason = status.message();
  return outcome;
}

std::string compare_tensors(const Tensor& got, const Tensor& expected,
                            const CaseSettings& settings) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape()) {
    return fmt::format("got {}, expected {}", got.desc().to_string(), expected.desc().to_string());
  }
  if (!dtype_is_float(got.dtype())) {
    const auto bytes = [](const Tensor& tensor) {
      return std::string_view(static_cast<const char*>(tensor.data()), tensor.size_bytes());
    };
    if (got.size_bytes() == 0 || bytes(got) == bytes(expected)) return {};
    return "integers differ";
  }
  double worst_ratio = 0.0;
  int64_t worst = -1;
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    const double g = element_as_double(got, i);
    const double e = element_as_double(expected, i);
    if (same_number(g, e)) continue;
    const double tolerance = settings.atol + settings.rtol * std::abs(e);
    const double difference = std::abs(g - e);
    const double ratio = std::isfinite(difference) ? difference / tolerance
                                                   : std::numeric_limits<double>::infinity();
    if (!(ratio <= 1.0) && !(ratio <= worst_ratio)) {
      worst_ratio = ratio;
      worst = i;
    }
  }
  if (worst < 0) return {};
  return fmt::format("worst element {}: got {:.9g}, expected {:.9g}",
                     element_name(got.shape(), worst), element_as_double(got, worst),
                     element_as_double(expected, worst));
}

}  // namespace tessera::cli
