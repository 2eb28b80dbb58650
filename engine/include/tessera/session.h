// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/status.h"
#include "core/tensor.h"
#include "tessera/model.h"

namespace tessera {

struct CompileOptions;
struct OpenDevice;

struct SessionOptions {
  // "auto" (the first of cuda, cpu, reference that is present), "cuda", "cuda:1", "cpu" or
  // "reference". A device that is asked for by name and is not there is an error.
  std::string device = "auto";
  // A kernel ("gemm_naive") or what kernels' names begin with ("cudnn", "onednn") for every layer
  // of a family that has such a kernel; the others are chosen automatically. A forced kernel that
  // cannot run its layer is an error.
  std::string backend = {};
  // The same by layer: (pattern, backend), the pattern for a node name or operator with the
  // wildcards `*` and `?`; the first that matches counts ("conv1" -> "conv_direct"), "auto" leaves
  // the layer free.
  std::vector<std::pair<std::string, std::string>> layer_backends = {};
  // Replay the network as one CUDA graph.
  bool use_graph = true;
  // Fuse bias, activation and residual into the kernel before them, fold batch norms.
  bool optimize = true;
};

// A model bound to a device. Runs inputs of any shape that the model accepts; the first run of each
// set of input shapes plans and prepares it, later runs reuse that plan. Not thread-safe: use one
// session per thread (they may share a Model).
class Session {
 public:
  // kUnavailable when the device, driver or a library is missing; kUnsupported when a layer has no
  // kernel there.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Model> model,
                                                 SessionOptions options = {});
  // On a device that is open already, with all options of the engine; their types are internal to
  // it.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Model> model,
                                                 const OpenDevice& device,
                                                 const CompileOptions& options);
  ~Session();

  [[nodiscard]] const DeviceInfo& device() const;

  // Runs the network once. `inputs` are host tensors in the order of Model::inputs(); the results
  // are host tensors in the order of Model::outputs(). kInvalidArgument names an input whose dtype
  // or shape the model cannot take.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);

  // The names of the kernels that the last run launched, in order: what really ran.
  [[nodiscard]] const std::vector<std::string>& kernels() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
