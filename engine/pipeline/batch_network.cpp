// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/batch_network.h"

#include <array>
#include <map>

#include "core/check.h"
#include "engine/graph/printable.h"
#include "engine/model/input_shapes.h"
#include "kernels/problem/image.h"
#include "kernels/select.h"

namespace tessera {
namespace {

// The shape of `rows` pictures under the rank that the input has.
Shape picture_shape(const Preprocess& preprocess, size_t rank, int64_t rows) {
  const int64_t channels = preprocess.channels();
  const int64_t height = preprocess.height;
  const int64_t width = preprocess.width;
  if (rank == 2) return {rows, channels * height * width};
  if (rank == 3 && channels == 1) return {rows, height, width};
  return preprocess.nhwc ? Shape{rows, height, width, channels}
                         : Shape{rows, channels, height, width};
}

// What the pictures decide of the open extents of the input: they are keys of
// resolve_input_shapes.
std::map<std::string, int64_t> extents_from_pictures(const ValueInfo& input,
                                                     const Preprocess& preprocess,
                                                     std::map<std::string, int64_t> extents) {
  const Shape pictures = picture_shape(preprocess, input.extents.size(), 1);
  if (pictures.rank() != input.extents.size()) return extents;
  for (size_t axis = 1; axis < pictures.rank(); ++axis) {
    if (input.extents[axis] >= 0 || pictures[axis] <= 0) continue;
    const std::string& symbol = input.symbols[axis];
    extents.emplace(symbol.empty() ? input.name + ":" + std::to_string(axis) : symbol,
                    pictures[axis]);
  }
  return extents;
}

// An extent of 1 that nobody asked for would turn every picture into a dot: an open extent has to
// be given.
Status refuse_guesses(const InputShapes& shapes, const Model& model) {
  if (shapes.guessed.empty()) return {};
  std::string message = model.path() + ": the model leaves open";
  for (const std::string& key : shapes.guessed) message += " " + quote_name(key);
  return invalid_argument(message + ": say how large with --shapes " + shapes.guessed.front() +
                          "=VALUE");
}

// Extents without the batch and without ones.
std::vector<int64_t> squeezed(const Shape& shape, size_t first_axis) {
  std::vector<int64_t> extents;
  for (size_t axis = first_axis; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1) extents.push_back(shape[axis]);
  }
  return extents;
}

}  // namespace

Result<std::unique_ptr<BatchNetwork>> BatchNetwork::create(
    const std::shared_ptr<const Model>& model, const OpenDevice& device, int64_t rows,
    const Preprocess& preprocess, const std::map<std::string, int64_t>& symbols,
    const CompileOptions& options) {
  if (model->inputs().size() != 1) {
    return invalid_argument(model->path() +
                            ": samples can be streamed through a model with one "
                            "input; this one has " +
                            std::to_string(model->inputs().size()));
  }
  const ValueInfo& input = model->inputs().front();
  TESSERA_ASSIGN_OR_RETURN(
      InputShapes shapes,
      resolve_input_shapes(*model, rows, extents_from_pictures(input, preprocess, symbols)));
  TESSERA_RETURN_IF_ERROR(refuse_guesses(shapes, *model));
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const CompiledModel> compiled,
                           CompiledModel::compile(model, device, shapes.shapes, options));
  std::unique_ptr<BatchNetwork> network(new BatchNetwork(std::move(compiled), device));
  network->batch_is_fixed_ = shapes.batch_is_fixed;
  if (Status status = network->check_model(); !status.ok()) {
    return status.with_context(model->path());
  }
  return network;
}

Status BatchNetwork::check_model() const {
  if (input().dtype != DType::kF32 || input().shape.rank() == 0 || rows() < 1) {
    return unsupported("samples are streamed into a float32 input with a batch; this model's is " +
                       input().to_string());
  }
  if (compiled_->outputs().empty()) return unsupported("the model has no output");
  const TensorDesc& output = compiled_->outputs().front();
  if (output.dtype != DType::kF32) {
    return unsupported("the first output is " + output.to_string() + "; float32 is needed");
  }
  if (output.shape.rank() == 0 || output.shape[0] != rows()) {
    return unsupported("the first output " + output.shape.to_string() +
                       " does not begin with the batch of " + std::to_string(rows()) +
                       ", so its rows cannot be told apart" +
                       (batch_is_fixed_ || rows() == 1 ? "" : "; a batch of 1 may work"));
  }
  return {};
}

size_t BatchNetwork::scores_per_row() const {
  const Shape& shape = compiled_->outputs().front().shape;
  return static_cast<size_t>(shape.num_elements(1, shape.rank()));
}

Result<Preprocess> BatchNetwork::fit_preprocess(const Preprocess& preprocess) const {
  Preprocess fitted = preprocess;
  const Shape& shape = input().shape;
  if (shape.rank() == 4) {
    const size_t height_axis = preprocess.nhwc ? 1 : 2;
    if (fitted.height == 0) fitted.height = shape[height_axis];
    if (fitted.width == 0) fitted.width = shape[height_axis + 1];
  }
  const Shape pictures = picture_shape(fitted, shape.rank(), rows());
  if (pictures == shape && pictures.num_elements() > 0) return fitted;
  return invalid_argument("the network takes " + shape.to_string() + ", the pictures (" +
                          fitted.to_string() + ") make " + pictures.to_string());
}

Status BatchNetwork::check_sample_shape(const Shape& sample) const {
  if (squeezed(sample, 0) == squeezed(input().shape, 1)) return {};
  return invalid_argument("the network takes batches of shape " + input().shape.to_string() +
                          ", the samples have the shape " + sample.to_string());
}

Status BatchNetwork::prepare_conversion(const Preprocess& preprocess) {
  const ImageProblem problem = {.N = rows(),
                                .H = preprocess.height,
                                .W = preprocess.width,
                                .C = preprocess.channels(),
                                .scale = preprocess.scale,
                                .mean = preprocess.mean,
                                .std = preprocess.std,
                                .dst_layout = preprocess.nhwc ? Layout::kNHWC : Layout::kRowMajor};
  TESSERA_ASSIGN_OR_RETURN(const KernelEntry* entry,
                           select(problem, *device_.backend, device_.device->info()));
  TESSERA_ASSIGN_OR_RETURN(conversion_, entry->create(problem, *device_.device));
  const size_t workspace_bytes = conversion_->workspace_bytes();
  if (workspace_bytes == 0) return {};
  TESSERA_ASSIGN_OR_RETURN(workspace_, device_.device->allocate(workspace_bytes));
  return {};
}

Status BatchNetwork::convert(const void* pixels, ExecutionContext& context, Stream& stream) {
  TESSERA_CHECK(conversion_ != nullptr);
  const std::array<const void*, 1> inputs = {pixels};
  return conversion_->launch({inputs, context.input(0), workspace_.data()}, stream);
}

}  // namespace tessera
