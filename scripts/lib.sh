# Sourced by quickstart and check: steps that are quiet unless they fail, and packages from npm.
# shellcheck shell=bash

readonly name=${0##*/} log_dir=build/log

say() { printf '%s: %s\n' "$name" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# step TITLE COMMAND...: runs COMMAND with its output in a log, and prints one line with its seconds.
# A failure shows the end of the log and returns COMMAND's status; 77 is that of a skipped test. `log` is left naming
# the file.
step() {
  local title=$1 begin=$SECONDS status=0
  shift
  log=$log_dir/$name-${title//[^A-Za-z0-9]/-}.log
  mkdir -p "$log_dir"
  printf '%s: %-46s' "$name" "$title" >&2
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    printf '%4d s\n' $((SECONDS - begin)) >&2
  elif ((status == 77)); then
    printf '%4d s  skipped\n' $((SECONDS - begin)) >&2
  else
    printf '%4d s  FAILED (%d); the end of %s:\n' $((SECONDS - begin)) "$status" "$log" >&2
    tail -n 40 "$log" | sed 's/^/    /' >&2
  fi
  return "$status"
}

# configure_and_build PRESET TARGET...: configures once; ninja configures again by itself when CMake files change.
configure_and_build() {
  local preset=$1
  shift
  [[ -e build/$preset/build.ninja ]] || cmake --preset "$preset" || return
  cmake --build --preset "$preset" --target "$@"
}

# npm_packages FOLDER: installs what FOLDER/package-lock.json pins, unless it is there already.
npm_packages() {
  local stamp=$1/node_modules/.installed-lock
  cmp -s "$1/package-lock.json" "$stamp" && return
  npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error || return
  cp "$1/package-lock.json" "$stamp"
}

# Sets `as_root` to this machine's way to root: nothing, sudo, or an error.
# shellcheck disable=SC2034  # the scripts that source this file use it
find_root() {
  as_root=()
  ((EUID == 0)) && return
  type -P sudo >/dev/null || die "needs root to load BPF programs and there is no sudo: run it as root"
  as_root=(sudo)
}
