// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tessera {

// The size of the largest data cache of this machine's first core, as Linux tells it; 0 where it
// does not.
size_t host_last_level_cache_bytes();

}  // namespace tessera
