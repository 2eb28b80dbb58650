// SPDX-License-Identifier: Apache-2.0
#include "kernels/backend.h"

#include <array>

namespace tessera {

// The generated list has one TESSERA_BACKEND(name) line per compiled-in backend, best first.
#define TESSERA_BACKEND(name) \
  namespace name {            \
  const Backend& backend();   \
  }
#include "kernels/backends.inc"
#undef TESSERA_BACKEND

std::span<const Backend* const> backends() {
  static const std::array list = {
#define TESSERA_BACKEND(name) &name::backend(),
#include "kernels/backends.inc"
#undef TESSERA_BACKEND
  };
  return list;
}

const Backend* find_backend(std::string_view name) {
  for (const Backend* backend : backends()) {
    if (backend->name == name) return backend;
  }
  return nullptr;
}

}  // namespace tessera
