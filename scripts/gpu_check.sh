#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with CUDA and runs on a GPU what only a GPU can show. Needs no network.
#   scripts/gpu_check.sh [OUT_FOLDER]          default: out
# Writes OUT_FOLDER/report.json (machine, commit, date; for each part its command, exit code, seconds
# and output if that is JSON) and OUT_FOLDER/log.txt. Exits with 1 if any part failed.
#
# Environment:
#   TESSERA_COMMIT          the commit, where the sources are a copy without its history
#   TESSERA_FASHION_MNIST   folder with the t10k and train files, for the accuracy and streaming parts
#   TESSERA_SANITIZERS      compute-sanitizer tools, "memcheck" by default; such as
#                           "memcheck racecheck initcheck synccheck"
#   TESSERA_SANITIZER_FILTER  GoogleTest filter of the tests run under them, "*cuda*" by default
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

out="${1:-out}"
build="build-gpu"
infer="$build/tools/infer"
# The folder of the Debian package is the default.
data="${TESSERA_FASHION_MNIST:-/usr/share/datasets/fashion-mnist}"
mkdir -p "$out/parts"
log="$out/log.txt"
: >"$log"
names=()

# part NAME COMMAND...: runs one part; what it prints on stdout and its outcome are kept.
part() {
  local name="$1" start code
  shift
  start="$(date +%s.%N)"
  { echo; echo "=== $name: $*"; } >>"$log"
  "$@" >"$out/parts/$name.stdout" 2> >(tee "$out/parts/$name.stderr" >>"$log")
  code=$?
  cat "$out/parts/$name.stdout" >>"$log"
  printf '%s\n%s\n%s\n' "$*" "$code" \
    "$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.3f", b - a }')" \
    >"$out/parts/$name.outcome"
  names+=("$name")
}

configure_and_build() {
  local nvcc
  nvcc="$(scripts/find_nvcc.sh)" || { echo "no nvcc" >&2; return 1; }
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSERA_CUDA=ON \
    -DCMAKE_CUDA_COMPILER="$nvcc" && cmake --build "$build" -- -k 0
}

# Tests that skip on a machine without a GPU must not skip here.
no_test_skipped_for_lack_of_a_gpu() {
  if scripts/list_skipped.sh "$build" | grep -i 'no cuda device'; then return 1; fi
}

sanitizer() {
  local tool="$1"
  compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/tests/kernels/kernels_test" \
    --gtest_filter="${TESSERA_SANITIZER_FILTER:-*cuda*}"
}

write_report() {
  python3 - "$out" "$@" <<'PYTHON'
import datetime, json, os, platform, subprocess, sys

def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""

folder, names = sys.argv[1], sys.argv[2:]
report = {
    "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    "commit": os.environ.get("TESSERA_COMMIT") or output_of("git", "rev-parse", "HEAD"),
    "gpu": output_of("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"),
    "host": platform.platform(),
    "nvcc": output_of("scripts/find_nvcc.sh"),
    "parts": [],
}
for name in names:
    with open(f"{folder}/parts/{name}.outcome") as file:
        command, code, seconds = file.read().splitlines()
    part = {"name": name, "command": command, "exit_code": int(code), "seconds": float(seconds)}
    with open(f"{folder}/parts/{name}.stdout", errors="replace") as file:
        text = file.read()
    try:
        part["output"] = json.loads(text)
    except ValueError:
        part["last_lines"] = text.splitlines()[-5:]
    with open(f"{folder}/parts/{name}.stderr", errors="replace") as file:
        part["last_messages"] = file.read().splitlines()[-15:]
    report["parts"].append(part)
with open(f"{folder}/report.json", "w") as file:
    json.dump(report, file, indent=1)
    file.write("\n")

print(f"{'part':<28} {'result':<8} {'seconds':>9}  accuracy")
for part in report["parts"]:
    output = part.get("output")
    note = ""
    if isinstance(output, dict) and "accuracy" in output:
        note = f"{output['correct']} of {output['images']}, {output['images'] / output['seconds']:.0f} images/s"
    print(f"{part['name']:<28} {'ok' if part['exit_code'] == 0 else 'FAILED':<8} {part['seconds']:>9.1f}  {note}")
sys.exit(any(part["exit_code"] for part in report["parts"]))
PYTHON
}

part build configure_and_build
part doctor "$infer" doctor --json
part device "$infer" device --json
part tests ctest --test-dir "$build" --output-on-failure -j 4
part nothing_skipped no_test_skipped_for_lack_of_a_gpu
for model in fashion_mlp fashion_cnn fashion_resnet; do
  part "explain_$model" "$infer" explain "models/$model.onnx" --device cuda --json
  part "check_$model" "$infer" check "models/$model.onnx" --device cuda --json
  for device in cuda reference; do
    part "eval_${model}_$device" "$infer" eval "models/$model.onnx" \
      "$data/t10k-images-idx3-ubyte.gz" "$data/t10k-labels-idx1-ubyte.gz" --device "$device" --json
  done
done
for run in 1 2; do  # twice, to show the spread
  part "stream_$run" "$infer" models/fashion_cnn.onnx "$data/train-images-idx3-ubyte.gz" \
    --device cuda --batch 512 --stats --output "$out/parts/predictions.npy"
done
# Last, since they take longest.
for tool in ${TESSERA_SANITIZERS:-memcheck}; do part "$tool" sanitizer "$tool"; done

write_report "${names[@]}"
status=$?
rm -rf "$out/parts"
exit "$status"
