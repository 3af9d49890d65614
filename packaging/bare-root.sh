# Bare Debian roots for try-npm.sh and try-container.sh; read with `.`, not started. They need root and debootstrap.

# require_root NAME: ends with a reason where they cannot be made.
require_root() {
  [ "$(id -u)" = 0 ] || { echo "$1: debootstrap and chroot need root." >&2; exit 77; }
  command -v debootstrap > /dev/null || { echo "$1: apt-get install debootstrap" >&2; exit 69; }
}

# bare_root ROOT [PACKAGE ...]: Debian 12 with the base system, what Node links, and the packages; kept where it is there already.
bare_root() {
  [ ! -x "$1/usr/bin/dpkg" ] || return 0
  directory=$1
  shift
  debootstrap --variant=minbase --include="libstdc++6,ca-certificates$(printf ',%s' "$@" | sed 's/^,$//')" bookworm "$directory" > "$directory.log" 2>&1 || { tail -5 "$directory.log"; exit 1; }
}

# enter_root ROOT: what programs inside expect; the names and certificates by which this machine reaches the network.
enter_root() {
  mountpoint -q "$1/proc" || mount -t proc proc "$1/proc"
  # As container engines have it: any user may write there.
  mkdir -p "$1/dev/shm"
  mountpoint -q "$1/dev/shm" || mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$1/dev/shm"
  [ ! -f /etc/resolv.conf ] || cp /etc/resolv.conf "$1/etc/resolv.conf"
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$1/etc/ssl/extra-ca-certificates.crt"
}

# lend_cuda ROOT: this machine's CUDA toolkit where NVIDIA's images have it, to be read only.
lend_cuda() {
  toolkit=$(realpath "${CUDA_HOME:-/usr/local/cuda}")
  [ -x "$toolkit/bin/nvcc" ] || { echo "There is no CUDA toolkit on this machine to stand in for NVIDIA's image." >&2; exit 69; }
  mkdir -p "$1/usr/local/cuda"
  mount --bind "$toolkit" "$1/usr/local/cuda"
  mount -o remount,bind,ro "$1/usr/local/cuda"
  ln -sf /usr/local/cuda/bin/nvcc "$1/usr/local/bin/nvcc"
}

# leave_root ROOT: fails where something stays mounted, so that it is not deleted through the mount.
leave_root() {
  for mounted in dev/shm proc usr/local/cuda; do
    ! mountpoint -q "$1/$mounted" || umount "$1/$mounted"
  done
}

in_root() {
  (exec_in_root "$@")
}

# exec_in_root ROOT COMMAND ...: instead of this shell, so that `exec_in_root ... &` leaves the command's own process in $!.
exec_in_root() {
  inner=$1
  shift
  exec chroot "$inner" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/etc/ssl/extra-ca-certificates.crt} "$@"
}

# copy_node ROOT: this machine's Node and npm, as the image node:20-bookworm-slim has them.
copy_node() {
  [ -x "$1/usr/local/bin/node" ] && [ "$("$1/usr/local/bin/node" --version)" = "$(node --version)" ] && return 0
  install -m 755 "$(node -p process.execPath)" "$1/usr/local/bin/node"
  modules=$(dirname "$(dirname "$(dirname "$(realpath "$(command -v npm)")")")")
  mkdir -p "$1/usr/local/lib/node_modules"
  cp -a "$modules/npm" "$1/usr/local/lib/node_modules/"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
  ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/local/bin/npx"
}
