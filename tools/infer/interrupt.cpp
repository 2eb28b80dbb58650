// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/interrupt.h"

#include <csignal>
#include <unistd.h>

#include "tools/infer/exit_code.h"

namespace tessera::cli {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<bool> g_is_deferred{false};
static_assert(std::atomic<bool>::is_always_lock_free, "needed in a signal handler");

void on_signal(int) {
  if (!g_is_deferred.load()) ::_exit(kExitInterrupted);
  g_interrupted.store(true);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // SA_RESETHAND: the second signal finds the default action.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

void defer_interrupts() { g_is_deferred.store(true); }

const std::atomic<bool>& interrupted() { return g_interrupted; }

}  // namespace tessera::cli
