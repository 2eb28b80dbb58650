#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, checks the format, builds everything and runs every test; where there
# is a CUDA toolkit, a second build without it is tested the same way.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/packages.sh

# build_and_test FOLDER CMAKE_OPTION...: ctest's output goes to FOLDER/ctest.log too.
build_and_test() {
  local build="$1"
  shift
  echo "== building in $build ($*)"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"
  cmake --build "$build"
  echo "== testing $build"
  ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc)" 2>&1 |
    tee "$build/ctest.log"
}

# What was left out, by name and with its reason, so that a green run hides nothing.
list_skipped() {
  local build="$1"
  echo "== skipped in $build"
  scripts/list_skipped.sh "$build" | sort | uniq
}

ensure_packages "${build_packages[@]}" "${test_packages[@]}"
try_packages "${optional_packages[@]}"
scripts/lint.sh

builds=(build)
if nvcc="$(scripts/find_nvcc.sh)"; then
  build_and_test build -DTESSERA_CUDA=AUTO -DCMAKE_CUDA_COMPILER="$nvcc"
  build_and_test build-cpu-only -DTESSERA_CUDA=OFF
  builds+=(build-cpu-only)
else
  build_and_test build -DTESSERA_CUDA=AUTO
fi
for build in "${builds[@]}"; do list_skipped "$build"; done
for build in "${builds[@]}"; do
  echo "== $build"
  grep -E "tests passed|Total Test time" "$build/ctest.log"
done
