#!/usr/bin/env bash
# Tests the packages of ./bootstrap.sh packages in a bare Debian 12, which mmdebstrap makes. Needs root and the network:
#   ./bootstrap.sh packages && tests/packages/run.sh build/portable portable && tests/packages/bare_root.sh build/portable/packages
set -euo pipefail
packages=$(readlink -f "$1")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT

say() { printf '==> %s\n' "$*" >&2; }
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"; }
# try MEMLANE: the runs that a newcomer begins with.
try() {
  inside "$1" demo banks >/dev/null
  inside "$1" verify sum
  inside "$1" run transpose -m hmm-teaching -D n=64 --explain >/dev/null
  inside "$1" sweep transpose-layouts.json >/dev/null
}

say "a bare Debian 12"
mmdebstrap --variant=essential bookworm "$root" 2>/dev/null
mount -t proc proc "$root/proc" # by which memlane finds where it is
cp "$packages"/memlane* "$root"
say "the archive, in a folder of its own"
inside sh -c 'mkdir /anywhere && tar --extract --file /memlane-*.tar.gz --directory /anywhere'
try "$(inside sh -c 'echo /anywhere/memlane-*/bin/memlane')"
say "the package"
inside sh -c 'dpkg --install /memlane_*.deb'
try memlane
say "all of it works"
