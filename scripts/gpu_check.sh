#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with CUDA and runs on a GPU what only a GPU can show. Needs no network.
#   scripts/gpu_check.sh [OUT_FOLDER [PHASE...]]
# OUT_FOLDER is "out" by default, the phases are all of: build measure test sanitize.
# Writes OUT_FOLDER/report.json (machine, commit, date; for each part its command, exit code, seconds
# and output if that is JSON), the JSON of each measurement as OUT_FOLDER/NAME.json, and
# OUT_FOLDER/log.txt. Prints a short table last. Exits with 1 if any part failed.
#
# Environment:
#   TESSERA_COMMIT          the commit, where the sources are a copy without its history
#   TESSERA_FASHION_MNIST   folder with the t10k and train files, for the accuracy and streaming parts
#   TESSERA_SANITIZERS      compute-sanitizer tools, "memcheck" by default; such as
#                           "memcheck racecheck initcheck synccheck"
#   TESSERA_PROBLEM_STRIDE  under the sanitizers every N-th problem of the kernel tests, 16 by default
#   TESSERA_SANITIZER_FILTER  GoogleTest filter of the tests run under them, "*cuda*" by default
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

out="${1:-out}"
phases=("${@:2}")
[[ ${#phases[@]} -gt 0 ]] || phases=(build measure test sanitize)
build="build-gpu"
infer="$build/tools/infer"
# The folder of the Debian package is the default.
data="${TESSERA_FASHION_MNIST:-/usr/share/datasets/fashion-mnist}"
mkdir -p "$out/parts"
# What `infer kernels` writes down as the commit.
export TESSERA_COMMIT="${TESSERA_COMMIT:-$(git rev-parse HEAD 2>/dev/null)}"
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

# measurement NAME COMMAND...: a part whose JSON is kept in a file of its own too.
measurement() {
  part "$@"
  cp "$out/parts/$1.stdout" "$out/$1.json"
}

sanitizer() {
  local tool="$1"
  TESSERA_PROBLEM_STRIDE="${TESSERA_PROBLEM_STRIDE:-16}" compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/tests/kernels/kernels_test" \
    --gtest_filter="${TESSERA_SANITIZER_FILTER:-*cuda*}"
}

write_report() {
  python3 - "$out" "$@" <<'PYTHON'
import datetime, json, os, platform, subprocess, sys
sys.path.insert(0, "scripts")
from results_table import part_note

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

print(f"{'part':<28} {'result':<8} {'seconds':>9}  note")
for part in report["parts"]:
    outcome = "ok" if part["exit_code"] == 0 else "FAILED"
    print(f"{part['name']:<28} {outcome:<8} {part['seconds']:>9.1f}  {part_note(part)}")
sys.exit(any(part["exit_code"] for part in report["parts"]))
PYTHON
}

# The file of Fashion-MNIST, which may lie there unpacked.
fashion() { if [[ -e "$data/$1" ]]; then echo "$data/$1"; else echo "$data/$1.gz"; fi; }

phase_build() {
  part build configure_and_build
  part doctor "$infer" doctor --json
  part device "$infer" device --json
}

phase_measure() {
  local sizes="512,1024,2048,4096,8192" dtype family model
  measurement kernels_gemm "$infer" kernels gemm --sizes "$sizes" --device cuda --json
  for dtype in tf32 f16 bf16; do
    measurement "kernels_gemm_$dtype" "$infer" kernels gemm --dtype "$dtype" --sizes "$sizes" \
      --device cuda --json
  done
  for family in conv pool softmax reduce unary binary cast batch_norm transpose reorder image; do
    measurement "kernels_$family" "$infer" kernels "$family" --device cuda --json
  done
  for model in fashion_mlp fashion_cnn fashion_resnet; do
    measurement "bench_$model" "$infer" bench "models/$model.onnx" --device cuda \
      --batch 1,8,64,512 --duration 1 --dump-profile --json
  done
  measurement accuracy "$infer" accuracy --device cuda --json
}

phase_test() {
  local model device run
  part tests env -u TESSERA_PROBLEM_STRIDE ctest --test-dir "$build" --output-on-failure -j 4
  part nothing_skipped no_test_skipped_for_lack_of_a_gpu
  for model in fashion_mlp fashion_cnn fashion_resnet; do
    part "explain_$model" "$infer" explain "models/$model.onnx" --device cuda --json
    part "check_$model" "$infer" check "models/$model.onnx" --device cuda --json
    for device in cuda reference; do
      part "eval_${model}_$device" "$infer" eval "models/$model.onnx" \
        "$(fashion t10k-images-idx3-ubyte)" "$(fashion t10k-labels-idx1-ubyte)" \
        --device "$device" --json
    done
  done
  for run in 1 2; do  # twice, to show the spread
    part "stream_$run" "$infer" models/fashion_cnn.onnx "$(fashion train-images-idx3-ubyte)" \
      --device cuda --batch 512 --stats --output "$out/parts/predictions.npy"
  done
}

phase_sanitize() {
  local tool
  for tool in ${TESSERA_SANITIZERS:-memcheck}; do part "$tool" sanitizer "$tool"; done
}

for phase in "${phases[@]}"; do "phase_$phase"; done

write_report "${names[@]}"
status=$?
rm -rf "$out/parts"
exit "$status"
