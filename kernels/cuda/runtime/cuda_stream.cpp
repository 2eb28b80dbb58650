// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/cuda_stream.h"

#include <utility>

#include "kernels/cuda/runtime/cuda_status.h"

namespace tessera::cuda {
namespace {

// Handles are released in destructors, where an error has nowhere to go: cudaFree and its like
// repeat the errors of earlier work there, which synchronize() has reported already.

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(cudaEvent_t event) : event_(event) {}
  ~CudaEvent() override { static_cast<void>(cudaEventDestroy(event_)); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  Status synchronize() override {
    TESSERA_CUDA_RETURN_IF_ERROR(cudaEventSynchronize(event_));
    return {};
  }
  [[nodiscard]] Result<float> milliseconds_since(const Event& start) const override {
    float milliseconds = 0.0f;
    TESSERA_CUDA_RETURN_IF_ERROR(
        cudaEventElapsedTime(&milliseconds, static_cast<const CudaEvent&>(start).event_, event_));
    return milliseconds;
  }
  [[nodiscard]] cudaEvent_t handle() const { return event_; }

 private:
  cudaEvent_t event_;
};

class CudaGraph final : public ExecutableGraph {
 public:
  explicit CudaGraph(cudaGraphExec_t graph) : graph_(graph) {}
  ~CudaGraph() override { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  Status launch(Stream& stream) override {
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t handle, activate(stream));
    TESSERA_CUDA_RETURN_IF_ERROR(cudaGraphLaunch(graph_, handle));
    return {};
  }

 private:
  cudaGraphExec_t graph_;
};

class CudaStream final : public Stream {
 public:
  CudaStream(int ordinal, cudaStream_t stream) : ordinal_(ordinal), stream_(stream) {}
  ~CudaStream() override { static_cast<void>(cudaStreamDestroy(stream_)); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  Status copy_to_device(void* dst, const void* src, size_t bytes) override {
    return copy(dst, src, bytes, cudaMemcpyHostToDevice);
  }
  Status copy_to_host(void* dst, const void* src, size_t bytes) override {
    return copy(dst, src, bytes, cudaMemcpyDeviceToHost);
  }
  Status copy_on_device(void* dst, const void* src, size_t bytes) override {
    return copy(dst, src, bytes, cudaMemcpyDeviceToDevice);
  }
  Status record(Event& event) override {
    TESSERA_RETURN_IF_ERROR(use_device(ordinal_));
    TESSERA_CUDA_RETURN_IF_ERROR(
        cudaEventRecord(static_cast<const CudaEvent&>(event).handle(), stream_));
    return {};
  }
  Status wait(Event& event) override {
    TESSERA_RETURN_IF_ERROR(use_device(ordinal_));
    TESSERA_CUDA_RETURN_IF_ERROR(
        cudaStreamWaitEvent(stream_, static_cast<const CudaEvent&>(event).handle(), 0));
    return {};
  }
  Status synchronize() override {
    TESSERA_RETURN_IF_ERROR(use_device(ordinal_));
    TESSERA_CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(stream_));
    return {};
  }
  // Thread-local: other threads may go on allocating memory while this one records.
  Status begin_capture() override {
    TESSERA_RETURN_IF_ERROR(use_device(ordinal_));
    TESSERA_CUDA_RETURN_IF_ERROR(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    return {};
  }
  Result<std::unique_ptr<ExecutableGraph>> end_capture() override;

  [[nodiscard]] void* native_handle() const override { return stream_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  Status copy(void* dst, const void* src, size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return {};
    TESSERA_RETURN_IF_ERROR(use_device(ordinal_));
    TESSERA_CUDA_RETURN_IF_ERROR(cudaMemcpyAsync(dst, src, bytes, kind, stream_));
    return {};
  }

  int ordinal_;
  cudaStream_t stream_;
};

Result<std::unique_ptr<ExecutableGraph>> CudaStream::end_capture() {
  TESSERA_RETURN_IF_ERROR(use_device(ordinal_));
  cudaGraph_t recorded = nullptr;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaStreamEndCapture(stream_, &recorded));
  cudaGraphExec_t graph = nullptr;
  const Status status =
      to_status(cudaGraphInstantiateWithFlags(&graph, recorded, 0), "cudaGraphInstantiate");
  const Status destroyed = to_status(cudaGraphDestroy(recorded), "cudaGraphDestroy");
  TESSERA_RETURN_IF_ERROR(status);
  std::unique_ptr<ExecutableGraph> executable = std::make_unique<CudaGraph>(graph);
  TESSERA_RETURN_IF_ERROR(destroyed);
  return executable;
}

}  // namespace

Status use_device(int ordinal) {
  TESSERA_CUDA_RETURN_IF_ERROR(cudaSetDevice(ordinal));
  return {};
}

Result<std::unique_ptr<Stream>> make_stream(int ordinal) {
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  cudaStream_t stream = nullptr;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return std::unique_ptr<Stream>(std::make_unique<CudaStream>(ordinal, stream));
}

Result<std::unique_ptr<Event>> make_event(int ordinal) {
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  cudaEvent_t event = nullptr;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaEventCreate(&event));
  return std::unique_ptr<Event>(std::make_unique<CudaEvent>(event));
}

Result<cudaStream_t> activate(Stream& stream) {
  TESSERA_RETURN_IF_ERROR(use_device(stream_ordinal(stream)));
  return static_cast<cudaStream_t>(stream.native_handle());
}

int stream_ordinal(const Stream& stream) {
  return static_cast<const CudaStream&>(stream).ordinal();
}

}  // namespace tessera::cuda
