#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the sources are formatted as .clang-format says. Version 14 is meant: others differ.
#   scripts/lint.sh          check
#   scripts/lint.sh --fix    format
#   scripts/lint.sh --tidy BUILD_FOLDER   clang-tidy too (minutes), with that folder's commands
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t sources < <(find core kernels layers engine tools tests examples \
  -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | sort)

case "${1:-}" in
  "")
    clang-format-14 --dry-run -Werror "${sources[@]}"
    echo "== format: ${#sources[@]} files are as .clang-format says"
    ;;
  --fix)
    clang-format-14 -i "${sources[@]}"
    ;;
  --tidy)
    build="${2:?usage: scripts/lint.sh --tidy BUILD_FOLDER}"
    printf '%s\n' "${sources[@]}" | grep '\.cpp$' |
      xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build"
    ;;
  *)
    echo "usage: scripts/lint.sh [--fix | --tidy BUILD_FOLDER]" >&2
    exit 2
    ;;
esac
