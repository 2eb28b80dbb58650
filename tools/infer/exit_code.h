// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/status.h"

namespace tessera::cli {

// What the process returns; docs/cli.md explains each to the user.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,     // a mismatch, an input that could not be read, an output not written
  kExitUsage = 2,      // a flag, a path, a permission, an input file that is broken as a whole
  kExitModel = 3,      // the model cannot run as asked
  kExitDevice = 4,     // a device or library is missing
  kExitInternal = 70,  // a defect of this program
  kExitInterrupted = 130,
};

// The one place where a kind of error becomes an exit code. Requires: not kOk.
ExitCode exit_code(StatusCode code);

// The error of reading an input or label file, as what it is to the user: kInvalidArgument also
// where the reader found something broken or unsupported, since those codes speak of the model
// here.
Status as_input_error(const Status& status);

// Prints "infer: <message>" on stderr, further lines of the message indented, and returns the exit
// code for it. Requires: an error.
ExitCode report_error(const Status& status);

}  // namespace tessera::cli
