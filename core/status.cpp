// SPDX-License-Identifier: Apache-2.0
#include "core/status.h"

#include "core/one_line.h"

namespace tessera {

const char* status_code_name(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
    case StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case StatusCode::kNotFound:
      return "NOT_FOUND";
    case StatusCode::kInvalidModel:
      return "INVALID_MODEL";
    case StatusCode::kUnsupported:
      return "UNSUPPORTED";
    case StatusCode::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case StatusCode::kIo:
      return "IO";
    case StatusCode::kInternal:
      return "INTERNAL";
  }
  return "UNKNOWN";
}

Status Status::with_context(const std::string& context) const {
  return ok() ? *this : Status(code_, in_one_line(context) + ": " + message_);
}

Status invalid_argument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
Status not_found(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }
Status invalid_model(std::string message) {
  return {StatusCode::kInvalidModel, std::move(message)};
}
Status unsupported(std::string message) { return {StatusCode::kUnsupported, std::move(message)}; }
Status out_of_memory(std::string message) { return {StatusCode::kOutOfMemory, std::move(message)}; }
Status unavailable(std::string message) { return {StatusCode::kUnavailable, std::move(message)}; }
Status io_error(std::string message) { return {StatusCode::kIo, std::move(message)}; }
Status internal_error(std::string message) { return {StatusCode::kInternal, std::move(message)}; }

}  // namespace tessera
