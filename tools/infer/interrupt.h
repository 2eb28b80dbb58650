// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace tessera::cli {

// Makes the first Ctrl-C (or SIGTERM) set a flag, so that what is in flight is finished and
// written; a second one ends the process at once. Also makes writing to a closed pipe an error
// instead of a signal.
void install_signal_handlers();

// Set once the user has asked to stop.
const std::atomic<bool>& interrupted();

}  // namespace tessera::cli
