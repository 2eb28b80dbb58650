// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/exit_code.h"

#include "tools/infer/console.h"

namespace tessera::cli {

ExitCode exit_code(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return kExitOk;
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
      return kExitUsage;
    case StatusCode::kInvalidModel:
    case StatusCode::kUnsupported:
    case StatusCode::kOutOfMemory:
      return kExitModel;
    case StatusCode::kUnavailable:
      return kExitDevice;
    case StatusCode::kIo:
      return kExitFailed;
    case StatusCode::kInternal:
      return kExitInternal;
  }
  return kExitInternal;
}

Status as_input_error(const Status& status) {
  const bool about_content =
      status.code() == StatusCode::kInvalidModel || status.code() == StatusCode::kUnsupported;
  return about_content ? invalid_argument(status.message()) : status;
}

ExitCode report_error(const Status& status) {
  print_problem(status.message());
  return exit_code(status.code());
}

}  // namespace tessera::cli
