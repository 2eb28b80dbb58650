// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/status.h"
#include "core/tensor.h"
#include "engine/program/kernel_choice.h"
#include "engine/program/precision.h"
#include "kernels/backend.h"
#include "tessera/model.h"

namespace tessera {

class ConstantStore;

// An opened device together with the backend that drives it and the weights that lie on it.
struct OpenDevice {
  const Backend* backend = nullptr;
  std::shared_ptr<Device> device;
  std::shared_ptr<ConstantStore> constants;  // shared by all models compiled for this device
};

// Opens "auto", "cpu", "reference", "cuda" or "cuda:N". kUnavailable says why there is none;
// kInvalidArgument for another name. "auto" tries the compiled-in backends in their order.
Result<OpenDevice> open_device(const std::string& name);

// See SessionOptions for the meaning of the fields.
struct CompileOptions {
  ChoiceOptions choice = {};
  PrecisionOptions precision = {};
  bool use_graph = true;
  bool optimize = true;
  // Is told in one sentence each what the user should know: parts of a plan that are ignored.
  // May be called by the thread that compiles. Empty: nobody is told.
  std::function<void(const std::string&)> tell = {};
};

// One line of a plan, for `infer explain` and for proofs in tests.
struct StepReport {
  std::string name;     // ONNX node names joined with '+': "conv1+bn1+relu1"
  std::string problem;  // to_string(problem)
  std::string family;   // "conv"
  std::string kernel;   // the kernel that runs it
  std::string reason;   // why: "forced by --backend onednn"
  std::string origin;   // KernelChoice::origin
  ChoiceEvidence evidence;
  std::string choice_key;                                    // choice_key(problem)
  std::vector<std::pair<std::string, std::string>> refused;  // kernel, reason
  std::vector<std::string> alternatives;                     // kernels that could run it too
  double flops = 0;
  double bytes = 0;                // that it must move at least (problem_bytes)
  std::optional<double> roof_us;   // below which no kernel comes; nothing where it is not known
  size_t output_offset_bytes = 0;  // in the arena
  size_t output_bytes = 0;
  size_t workspace_bytes = 0;
};

// What the passes did to the model and how its memory is laid out.
struct PlanReport {
  std::vector<std::string> passes;  // one line per pass that changed something
  std::vector<StepReport> steps;
  size_t arena_bytes = 0;      // activations and workspaces of one context
  size_t unplanned_bytes = 0;  // what they would take without reuse
  size_t constant_bytes = 0;   // weights, as the model states them
  bool uses_graph = false;
  int64_t batch = 1;  // the first extent of the first input
  std::string precision = "float32";
};

// The kernels of a compiled model as a plan for the device it was compiled for.
Plan make_plan(const PlanReport& report, const OpenDevice& device);

class ExecutionContext;

// A model compiled for one device and one set of input shapes: shapes inferred, constants folded,
// layers fused, kernels chosen and prepared, weights uploaded, memory planned. Immutable after
// compile; make one ExecutionContext for each run that shall be in flight at the same time.
// Contexts of one compiled model must enqueue from one thread at a time.
class CompiledModel : public std::enable_shared_from_this<CompiledModel> {
 public:
  // `input_shapes` are in the order of model->inputs(). kInvalidArgument when the model cannot take
  // them, kUnsupported when a layer has no kernel (all such layers are listed).
  static Result<std::shared_ptr<const CompiledModel>> compile(std::shared_ptr<const Model> model,
                                                              const OpenDevice& device,
                                                              std::span<const Shape> input_shapes,
                                                              const CompileOptions& options = {});
  ~CompiledModel();

  [[nodiscard]] const std::vector<TensorDesc>& inputs() const;
  [[nodiscard]] const std::vector<TensorDesc>& outputs() const;
  [[nodiscard]] const PlanReport& report() const;

  // Allocates the memory of one run in flight.
  [[nodiscard]] Result<std::unique_ptr<ExecutionContext>> create_context() const;

  struct Impl;

 private:
  explicit CompiledModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The memory of one run in flight, and its CUDA graph. Keeps its compiled model alive.
class ExecutionContext {
 public:
  ~ExecutionContext();

  // Device memory that holds input i (row-major) before enqueue, and output i after it. Valid as
  // long as the context. An input's memory keeps its content over a run.
  [[nodiscard]] void* input(size_t index) const;
  [[nodiscard]] const void* output(size_t index) const;

  // Enqueues the whole network on `stream` and returns without waiting. On a device with graphs the
  // first call launches kernel by kernel, the second captures a graph, later ones replay it.
  Status enqueue(Stream& stream);

  // Enqueues one step of the program alone, for measuring. Requires: the steps before it have run.
  // Repeating it gives the same: a step never writes to what it reads.
  Status enqueue_step(size_t step, Stream& stream);

  // The kernel names that the last enqueue launched, in order: what really ran.
  [[nodiscard]] const std::vector<std::string>& trace() const;

  struct Impl;

 private:
  friend class CompiledModel;
  explicit ExecutionContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
