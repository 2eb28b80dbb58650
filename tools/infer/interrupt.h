// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace tessera::cli {

// Makes Ctrl-C and SIGTERM end the process at once with exit code 130, and writing to a closed pipe
// an error instead of a signal.
void install_signal_handlers();

// For work that looks at interrupted(): from now on the first Ctrl-C (or SIGTERM) only sets that
// flag, so that what is in flight is finished and written; a second one ends the process at once.
void defer_interrupts();

// Set once the user has asked to stop.
const std::atomic<bool>& interrupted();

}  // namespace tessera::cli
