#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds infer and classifies the sample pictures with a small network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/packages.sh

build="build-demo"

# CUDA is compiled only where it can run: a driver is there and so is the compiler.
cuda_setting() {
  if [[ -e /proc/driver/nvidia/version ]] && scripts/find_nvcc.sh >/dev/null; then
    echo ON
  else
    echo OFF
  fi
}

ensure_packages "${build_packages[@]}"
cuda="$(cuda_setting)"
nvcc="$(scripts/find_nvcc.sh || true)"
echo "== building infer (CUDA $cuda) in $build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSERA_BUILD_TESTS=OFF \
  -DTESSERA_CUDA="$cuda" ${nvcc:+-DCMAKE_CUDA_COMPILER="$nvcc"} >"$build.log" 2>&1 ||
  { cat "$build.log" >&2; exit 1; }
rm -f "$build.log"
cmake --build "$build" --target infer

infer="$build/tools/infer"
echo
echo "== $infer models/fashion_cnn.onnx models/samples/"
"$infer" models/fashion_cnn.onnx models/samples/
echo
echo "Try next, to see which kernel runs each layer and why:"
echo "  $infer explain models/fashion_cnn.onnx"
