#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of nvcc: on PATH, or where NVIDIA's packages put it. Fails when there is none.
set -euo pipefail
for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" \
    /usr/local/cuda/bin/nvcc; do
  if [[ -x "$candidate" ]]; then
    echo "$candidate"
    exit 0
  fi
done
exit 1
