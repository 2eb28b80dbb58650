# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# The Debian and Ubuntu packages that the project needs, and how to get them. Sourced by demo.sh,
# test.sh and scripts/lint.sh; defines functions and lists only.

# To build the program infer.
build_packages=(
  g++ cmake ninja-build ccache pkg-config
  libprotobuf-dev protobuf-compiler libonnx-dev libdnnl-dev
  libspng-dev libturbojpeg0-dev libexif-dev libstb-dev zlib1g-dev
  libfmt-dev nlohmann-json3-dev libcli11-dev
)
# To build and run the tests, and to check the format of the sources.
test_packages=(libgtest-dev libgmock-dev clang-format-14)
# Left out where the distribution does not have them; tests that need them are skipped by name.
optional_packages=(dataset-fashion-mnist)

package_is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Prints those of its arguments that are not installed, one a line.
missing_packages() {
  local package
  for package in "$@"; do
    package_is_installed "$package" || printf '%s\n' "$package"
  done
}

# run_as_root COMMAND...: directly as root, through sudo where it asks no password; 1 otherwise.
run_as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 1
  fi
}

can_be_root() { [[ $EUID -eq 0 ]] || sudo -n true 2>/dev/null; }

apt_install() {
  run_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" \
    </dev/null
}

# ensure_packages PACKAGE...: installs what is missing, or says how to and stops the script.
ensure_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -eq 0 ]] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "These packages (their Debian names) are needed: ${missing[*]}" >&2
    exit 1
  fi
  if ! can_be_root; then
    echo "Some packages are missing. Install them and start again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 1
  fi
  echo "== installing ${missing[*]}"
  run_as_root apt-get update -q </dev/null
  apt_install "${missing[@]}"
}

# Installs what the distribution offers of its arguments; never fails.
try_packages() {
  local package
  for package in $(missing_packages "$@"); do
    can_be_root && apt-cache show "$package" >/dev/null 2>&1 && apt_install "$package" && continue
    echo "== without $package: not installed"
  done
}
