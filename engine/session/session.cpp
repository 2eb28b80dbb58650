// SPDX-License-Identifier: Apache-2.0
#include "tessera/session.h"

#include <map>

#include "engine/executor/compiled_model.h"

namespace tessera {
namespace {

// A model compiled for one set of input shapes, with the one context that the session runs it in.
struct Prepared {
  std::shared_ptr<const CompiledModel> compiled;
  std::unique_ptr<ExecutionContext> context;
};

std::vector<std::vector<int64_t>> shape_key(std::span<const Shape> shapes) {
  std::vector<std::vector<int64_t>> key;
  for (const Shape& shape : shapes) key.push_back(shape.extents());
  return key;
}

Status check_inputs(const Model& model, std::span<const Tensor> inputs) {
  const std::vector<ValueInfo>& declared = model.inputs();
  if (inputs.size() != declared.size()) {
    return invalid_argument("the model has " + std::to_string(declared.size()) + " inputs, but " +
                            std::to_string(inputs.size()) + " were given");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != declared[i].dtype) {
      return invalid_argument("input '" + declared[i].name + "' is " +
                              dtype_name(inputs[i].dtype()) + ", but the model takes " +
                              dtype_name(declared[i].dtype));
    }
    if (inputs[i].desc().layout != Layout::kRowMajor) {
      return invalid_argument("input '" + declared[i].name + "' is not row-major");
    }
  }
  return {};
}

}  // namespace

struct Session::Impl {
  std::shared_ptr<const Model> model;
  CompileOptions options;
  OpenDevice device;
  std::unique_ptr<Stream> stream;
  std::map<std::vector<std::vector<int64_t>>, Prepared> prepared;
  std::vector<std::string> kernels;  // of the last run

  Result<Prepared*> prepare(std::span<const Tensor> inputs) {
    std::vector<Shape> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.shape());
    const auto key = shape_key(shapes);
    if (const auto known = prepared.find(key); known != prepared.end()) return &known->second;
    Prepared fresh;
    TESSERA_ASSIGN_OR_RETURN(fresh.compiled,
                             CompiledModel::compile(model, device, shapes, options));
    TESSERA_ASSIGN_OR_RETURN(fresh.context, fresh.compiled->create_context());
    return &prepared.emplace(key, std::move(fresh)).first->second;
  }
};

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Model> model,
                                                 SessionOptions options) {
  CompileOptions compile;
  compile.choice.backend = std::move(options.backend);
  compile.choice.layer_backends = std::move(options.layer_backends);
  compile.use_graph = options.use_graph;
  compile.optimize = options.optimize;
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.device));
  return create(std::move(model), device, compile);
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Model> model,
                                                 const OpenDevice& device,
                                                 const CompileOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->model = std::move(model);
  impl->options = options;
  impl->device = device;
  TESSERA_ASSIGN_OR_RETURN(impl->stream, impl->device.device->create_stream());
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

const DeviceInfo& Session::device() const { return impl_->device.device->info(); }

const std::vector<std::string>& Session::kernels() const { return impl_->kernels; }

Result<std::vector<Tensor>> Session::run(std::span<const Tensor> inputs) {
  TESSERA_RETURN_IF_ERROR(check_inputs(*impl_->model, inputs));
  TESSERA_ASSIGN_OR_RETURN(Prepared* const prepared, impl_->prepare(inputs));
  Stream& stream = *impl_->stream;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(stream.copy_to_device(prepared->context->input(i), inputs[i].data(),
                                                  inputs[i].size_bytes()));
  }
  TESSERA_RETURN_IF_ERROR(prepared->context->enqueue(stream));
  impl_->kernels = prepared->context->trace();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < prepared->compiled->outputs().size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Tensor output, Tensor::allocate(prepared->compiled->outputs()[i]));
    TESSERA_RETURN_IF_ERROR(stream.copy_to_host(output.mutable_data(), prepared->context->output(i),
                                                output.size_bytes()));
    outputs.push_back(std::move(output));
  }
  TESSERA_RETURN_IF_ERROR(stream.synchronize());
  return outputs;
}

}  // namespace tessera
