// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera {

// Prints the failed condition and aborts: the program has a defect and must not go on.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace tessera

// For conditions that only a defect of this program can break; in release builds too. What a file,
// a user or a device can cause is a Status instead.
#define TESSERA_CHECK(condition)                                               \
  do {                                                                         \
    if (!(condition)) ::tessera::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
