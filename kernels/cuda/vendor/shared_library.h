// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/status.h"

namespace tessera::cuda {

// Opens the first of `names` that is found: where the loader looks by itself, then in the folders
// in which CUDA toolkits are installed. kUnavailable names `product` and what was tried. The
// library stays open until the process ends, since handles and graphs may outlive any owner here.
Result<void*> open_library(std::string_view product, std::span<const char* const> names);

// Looks one function up; false when the library does not have it.
template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// One object of a library per device, shared by all who hold it and destroyed with the last one.
// Thread-safe.
template <typename T>
class SharedPerDevice {
 public:
  // `make(ordinal)` gives a Result<std::shared_ptr<T>>.
  template <typename Make>
  Result<std::shared_ptr<T>> get(int ordinal, Make&& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::shared_ptr<T> existing = objects_[ordinal].lock()) return existing;
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<T> made, make(ordinal));
    objects_[ordinal] = made;
    return made;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::weak_ptr<T>> objects_;
};

}  // namespace tessera::cuda
