// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <memory>

#include "core/device.h"
#include "core/status.h"

namespace tessera::cuda {

// Makes `ordinal` the device of the calling thread. The CUDA runtime keeps a current device per
// thread, and every thread of the program may call into any device.
Status use_device(int ordinal);

// A non-blocking stream: it never waits for the default stream, which this program does not use.
Result<std::unique_ptr<Stream>> make_stream(int ordinal);
Result<std::unique_ptr<Event>> make_event(int ordinal);

// The handle of a stream of this backend, with its device made current so that work can be
// enqueued. Requires: `stream` was made by this backend.
Result<cudaStream_t> activate(Stream& stream);

// The device of a stream. Requires: `stream` was made by this backend.
int stream_ordinal(const Stream& stream);

}  // namespace tessera::cuda
