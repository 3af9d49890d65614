#!/bin/sh
# Installs the npm packages in a bare Debian root that has Node but no compiler, and uses them: a document, the models, the service. Needs root, debootstrap and
# npm's registry. Usage: packaging/try-npm.sh [PACKAGES [ROOT]]; PACKAGES is the directory that `npm run pack` filled (dist/npm); ROOT is kept for the next run
# where it is named. Node and npm are copied from this machine, because Debian 12 has an older Node.
set -eu
packages=$(realpath "${1:-dist/npm}")
named=${2:-}
root=${named:-$(mktemp -d)}
cd "$(dirname "$0")/.."
. packaging/bare-root.sh
require_root try-npm

count=0
ok() { count=$((count + 1)); echo "ok $count - $1"; }
inside() { in_root "$root" "$@"; }
service=
cleanup() {
  if [ -n "$service" ]; then
    kill "$service" 2> /dev/null || true
    wait "$service" || true
  fi
  leave_root "$root"
  [ -n "$named" ] || rm -rf "$root"
}
trap cleanup EXIT

bare_root "$root"
enter_root "$root"
copy_node "$root"
inside sh -c '! command -v g++ && ! command -v c++ && ! command -v cc && ! command -v cmake && ! command -v make' > /dev/null
ok "a bare root with Node $(inside node --version) and npm, without compiler and CMake"

# In the user's order: the program first. npm installs the addon's package because it is named, as a registry would by the program's manifest.
rm -rf "$root/srv/project" && mkdir -p "$root/srv/project"
cp "$packages"/lectern-*.tgz "$root/srv/project/"
rm -rf "$root/tmp/state"
project() { inside sh -c 'cd /srv/project && "$@"' sh "$@"; }
project sh -c 'npm init -y > /dev/null && npm install --no-audit --no-fund --foreground-scripts ./lectern-[0-9]*.tgz ./lectern-linux-*.tgz' > "$root/tmp/install.log" 2>&1 || { tail -20 "$root/tmp/install.log"; exit 1; }
grep -q 'Lectern native: @lectern/linux-.* is used' "$root/tmp/install.log"
[ ! -e "$root/srv/project/node_modules/lectern/build" ]
ok "npm install takes the addon of the package and compiles nothing"

[ "$(project npx --no-install lectern --version)" = "$(node -p 'require("./package.json").version')" ]
cp test/fixtures/pdf/invoice.pdf "$root/srv/project/"
project npx --no-install lectern convert invoice.pdf > "$root/tmp/invoice.md"
grep -q 'Invoice 2025-0417' "$root/tmp/invoice.md"
ok "npx lectern convert reads a PDF"
project npx --no-install lectern models list --json | grep -q '"lectern-demo'
ok "npx lectern models lists the model that ships"

# Without the package of the platform it says what is needed.
mv "$root/srv/project/node_modules/@lectern" "$root/srv/project/kept"
if inside sh -c 'cd /srv/project/node_modules/lectern && node native/install.mjs' > "$root/tmp/without.log" 2>&1; then exit 1; fi
grep -q 'apt-get install cmake g++' "$root/tmp/without.log"
mv "$root/srv/project/kept" "$root/srv/project/node_modules/@lectern"
ok "without the package and a compiler the installation names what to install"

exec_in_root "$root" sh -c 'cd /srv/project && exec node_modules/.bin/lectern serve --listen 127.0.0.1:0 --state /tmp/state' 2> "$root/tmp/serve.log" &
service=$!
address=
for _ in $(seq 60); do
  address=$(sed -n 's/.*"addresses":\["\([^"]*\)".*/\1/p' "$root/tmp/serve.log" | head -1)
  [ -z "$address" ] || break
  sleep 0.5
done
fetch() { node -e 'fetch(process.argv[1]).then((r) => r.text()).then((t) => console.log(t))' "$1"; }
fetch "$address/health" | grep -q '"ok"' || { cat "$root/tmp/serve.log"; exit 1; }
send_document='const body = new FormData(); body.append("files", new Blob([require("fs").readFileSync("test/fixtures/pdf/invoice.pdf")]), "invoice.pdf");
  fetch(`${process.argv[1]}/v1/convert/file`, { method: "POST", body }).then((r) => r.text()).then((t) => console.log(t))'
node -e "$send_document" "$address" | grep -q 'Invoice 2025-0417'
echo "# $(grep -o 'Workers are confined: [^"]*' "$root/tmp/serve.log")"
ok "lectern serve responds on /health and converts a document"
echo "1..$count"
