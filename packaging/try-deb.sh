#!/bin/sh
# Installs, uses, upgrades, removes and purges the Debian package in a bare Debian root, without a compiler, Node or network. Needs root and
# debootstrap. Usage: packaging/try-deb.sh DEB [ROOT]; ROOT is kept for the next run where it is named.
set -eu
deb=$(realpath "$1")
root=${2:-$(mktemp -d)}
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "try-deb: debootstrap and chroot need root." >&2; exit 77; }
command -v debootstrap > /dev/null || { echo "try-deb: apt-get install debootstrap" >&2; exit 69; }

count=0
ok() { count=$((count + 1)); echo "ok $count - $1"; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
cleanup() {
  umount "$root/proc" 2> /dev/null || true
  [ -n "${2:-}" ] || rm -rf "$root"
}
trap 'cleanup "" "${2:-}"' EXIT

[ -x "$root/usr/bin/dpkg" ] || debootstrap --variant=minbase --include=adduser,libstdc++6 bookworm "$root" > "$root.log" 2>&1 || { tail -5 "$root.log"; exit 1; }
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
inside sh -c '! command -v node && ! command -v g++ && ! command -v cmake' > /dev/null
ok "a bare root without Node and without a compiler"

cp "$deb" "$root/lectern.deb"
inside dpkg -i /lectern.deb > /dev/null
inside lectern --version > /dev/null
ok "the package installs, and the program starts"
[ "$(stat -c %a "$root/var/lib/lectern/models")" = 755 ] && [ "$(inside stat -c %U:%G /etc/lectern/access)" = root:lectern ]
ok "directories and settings have their owners"

printf '# A title\n\nA paragraph.\n' > "$root/tmp/page.md"
cp test/fixtures/pdf/invoice.pdf "$root/tmp/"
inside lectern convert -o /tmp/out /tmp/page.md /tmp/invoice.pdf
grep -q 'Invoice 2025-0417' "$root/tmp/out/invoice.md"
ok "documents are converted"

cp models/lectern-demo.gguf "$root/tmp/own.gguf"
inside lectern models add --name own /tmp/own.gguf > /dev/null
[ -f "$root/var/lib/lectern/models/own.gguf" ]
inside lectern models check own | grep -q '^ok '
ok "lectern models add puts a model where the service reads it, and it runs"
printf '10.0.0.0/8 researcher\n' >> "$root/etc/lectern/access"
inside lectern keys add anna researcher --list /etc/lectern/access > /dev/null 2>&1
inside lectern access test 10.1.2.3 --list /etc/lectern/access > /dev/null
ok "keys and access of the installed list"

inside dpkg -i /lectern.deb > /dev/null
inside lectern models check own | grep -q '^ok '
grep -q '^key anna researcher ' "$root/etc/lectern/access"
ok "an upgrade keeps settings, keys and models"
inside dpkg -r lectern > /dev/null
[ ! -e "$root/usr/bin/lectern" ] && [ -f "$root/etc/lectern/access" ] && [ -f "$root/var/lib/lectern/models/own.gguf" ]
ok "removed, its settings and models stay"
inside dpkg -i /lectern.deb > /dev/null
inside dpkg -P lectern > /dev/null
[ ! -e "$root/etc/lectern" ] && [ ! -e "$root/var/lib/lectern" ] && [ ! -e "$root/usr/bin/lectern" ]
ok "purged, nothing stays"
echo "1..$count"
