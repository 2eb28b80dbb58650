// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/shared_library.h"

#include <cstdlib>
#include <vector>

namespace tessera::cuda {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> result = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') result.push_back(std::string(root) + "/lib64/");
  }
  result.emplace_back("/usr/local/cuda/lib64/");
  return result;
}

}  // namespace

Result<void*> open_library(std::string_view product, std::span<const char* const> names) {
  std::string tried;
  for (const std::string& folder : folders()) {
    for (const char* name : names) {
      const std::string path = folder + name;
      void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) return library;
      tried += (tried.empty() ? "" : ", ") + path;
    }
  }
  return unavailable(std::string(product) + " was not found (tried " + tried +
                     "); install it or add its folder to LD_LIBRARY_PATH");
}

}  // namespace tessera::cuda
