#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints "test: reason" for every test that the last ctest run in a build folder skipped.
# Usage: scripts/list_skipped.sh BUILD_FOLDER
set -euo pipefail
log="$1/Testing/Temporary/LastTest.log"
[[ -f "$log" ]] || { echo "no $log: run ctest first" >&2; exit 2; }

# GoogleTest prints the reason on the line after "file:line: Skipped", up to "[  SKIPPED ]".
awk '
  /^[0-9]+\/[0-9]+ Testing: / { sub(/^[0-9]+\/[0-9]+ Testing: /, ""); name = $0; reason = "" }
  /: Skipped$/                { take = 1; next }
  /^\[  SKIPPED \]/           { if (take) print name ": " reason; take = 0; next }
  take && NF                  { reason = reason (reason == "" ? "" : " ") $0 }
' "$log"
