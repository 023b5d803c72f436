#!/bin/bash
# Rule: on a Debian 12 with nothing else installed ./quickstart and ./check pass, and a second run of both installs and
# compiles nothing.
#
# The machine is a debootstrap chroot with the kernel's file systems and this machine's way to its package servers. Its
# mounts live in a mount namespace of their own, so none outlives this script. FRESH_BASE names a tarball to start
# from in place of running debootstrap.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

readonly limit_s=900
passed=0 failed=0

finish() {
  echo "$passed passed, $failed failed, 0 skipped"
  ((failed == 0))
  exit
}

expect() {
  local title=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "$title: ok"
  else
    failed=$((failed + 1))
    echo "$title: FAILED"
  fi
}

((EUID == 0)) || { echo "fresh machine: skipped: not root"; exit 77; }
type -P debootstrap >/dev/null || PATH=$PATH:/usr/sbin
scripts/install_packages full || exit 1

root=$(mktemp -d "${TMPDIR:-/tmp}/perfgap-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 130' INT TERM

make_root() {
  if [[ -n ${FRESH_BASE-} ]]; then
    tar -C "$root" -xf "$FRESH_BASE"
  else
    debootstrap --variant=minbase bookworm "$root" || return
  fi
}

# Names, certificates, package servers and npm's settings, as this machine has them.
copy_network_settings() {
  local file
  for file in /etc/resolv.conf /etc/hosts ~/.npmrc; do
    [[ ! -e $file ]] || cp -L "$file" "$root$file" || return
  done
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
  rm -f "$root"/etc/apt/sources.list
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    if grep -qs bookworm "$file"; then cp "$file" "$root$file" || return; fi
  done
}

# The committed state of this checkout, as a clone would have it.
copy_checkout() {
  mkdir -p "$root/src"
  git archive HEAD | tar -C "$root/src" -x
}

# The shell's mounts end with it.
inside() {
  # shellcheck disable=SC2016  # expands in the inner shell
  unshare --mount --propagation private bash -c '
    set -e
    root=$1
    shift
    mount --bind "$root" "$root"  # a mount point, as the root of a machine is
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount --bind /dev "$root/dev"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true chroot "$root" sh -c "cd /src && exec \"\$@\"" sh "$@"
  ' bash "$root" "$@"
}

# What a run may not change: the packages, and everything that was compiled.
state() {
  cat "$root/var/log/dpkg.log"
  find "$root/src/build" "$root/src/demo" \( -name '*.o' -o -name '*.a' -o -perm -100 \) \
    -type f -not -path '*/installed/*' -printf '%p %s %T@\n' | sort
  # Every build notes there that it looked for new sources; whatever else it ran is a change.
  grep -v cmake.verify_globs "$root"/src/build/*/.ninja_log
}

timed_check() {
  local begin=$SECONDS
  inside ./check || return
  echo "./check took $((SECONDS - begin)) s, of $limit_s"
  ((SECONDS - begin <= limit_s))
}

unchanged() { diff <(echo "$1") <(state); }

nothing_left_running() { ! find /proc/[0-9]*/root -maxdepth 0 -lname "$root*" 2>/dev/null | grep .; }

expect "chroot" make_root
expect "network settings" copy_network_settings
expect "checkout" copy_checkout
((failed == 0)) || finish
expect "first ./quickstart" inside ./quickstart
expect "nothing left running" nothing_left_running
expect "first ./check, within $limit_s s" timed_check
before=$(state)
expect "second ./quickstart" inside ./quickstart
expect "second ./check" inside ./check
expect "second runs install and compile nothing" unchanged "$before"
expect "nothing left running" nothing_left_running
finish
