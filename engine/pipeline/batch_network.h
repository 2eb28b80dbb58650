// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/status.h"
#include "engine/executor/compiled_model.h"
#include "engine/image/image.h"
#include "engine/image/input_source.h"
#include "kernels/kernel.h"

namespace tessera {

// A model compiled for one number of rows, with the kernel that turns pictures into its input.
class BatchNetwork {
 public:
  // `rows` is followed by a model whose batch is open; another keeps its own (see rows()). Other
  // open extents are taken from `symbols`, then from the pictures of `preprocess`. kInvalidArgument
  // or kUnsupported when one stays open, the model has several inputs, its input or first output is
  // not float32, or the first extent of the first output is not the batch.
  static Result<std::unique_ptr<BatchNetwork>> create(const std::shared_ptr<const Model>& model,
                                                      const OpenDevice& device, int64_t rows,
                                                      const Preprocess& preprocess,
                                                      const std::map<std::string, int64_t>& symbols,
                                                      const CompileOptions& options);

  [[nodiscard]] int64_t rows() const { return input().shape[0]; }
  [[nodiscard]] bool batch_is_fixed() const { return batch_is_fixed_; }
  [[nodiscard]] const TensorDesc& input() const { return compiled_->inputs().front(); }
  [[nodiscard]] const PlanReport& report() const { return compiled_->report(); }
  // Elements of the first output for one sample.
  [[nodiscard]] size_t scores_per_row() const;

  // `preprocess` with the height and width that the network takes. kInvalidArgument when its
  // pictures are not what the network takes.
  [[nodiscard]] Result<Preprocess> fit_preprocess(const Preprocess& preprocess) const;
  // kInvalidArgument when tensors of shape `sample` (no batch) are not what the network takes; an
  // extent of 1 more or less does not matter.
  [[nodiscard]] Status check_sample_shape(const Shape& sample) const;

  [[nodiscard]] Result<std::unique_ptr<ExecutionContext>> create_context() const {
    return compiled_->create_context();
  }

  // Prepares convert() for pictures of fit_preprocess(...).
  Status prepare_conversion(const Preprocess& preprocess);
  // Enqueues the conversion of `pixels`, rows() pictures in device memory, into input 0 of
  // `context`. Contexts share one workspace, so all calls must be for the same stream.
  Status convert(const void* pixels, ExecutionContext& context, Stream& stream);

 private:
  BatchNetwork(std::shared_ptr<const CompiledModel> compiled, OpenDevice device)
      : compiled_(std::move(compiled)), device_(std::move(device)) {}
  Status check_model() const;

  std::shared_ptr<const CompiledModel> compiled_;
  OpenDevice device_;
  bool batch_is_fixed_ = false;
  std::unique_ptr<Kernel> conversion_;
  Buffer workspace_;
};

}  // namespace tessera
