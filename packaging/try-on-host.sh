#!/bin/sh
# Tries the single executable on a host as it stands and leaves nothing behind: starts it with its own model on the given device, chats, converts, checks what it reports of the device's memory and
# which of CUDA's libraries it has opened (the driver's alone may be), and ends it. Prints a line for each and ends with something else than 0 where one fails. Takes some seconds; needs curl.
# Usage: packaging/try-on-host.sh PROGRAM [cuda|cpu] [DOCUMENT.pdf]
set -u
program=$(realpath "$1")
device=${2:-cuda}
document=${3:-}
[ -z "$document" ] || document=$(realpath "$document")
place=$(mktemp -d)
port=$((20000 + $$ % 10000))
base=http://127.0.0.1:$port
failed=0
service=
end() { [ -z "$service" ] || kill "$service" 2> /dev/null; rm -rf "$place"; }
trap end EXIT
# The settings of another service are not those of this one.
for name in $(env | sed -n 's/^\(LECTERN_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
export HOME="$place" XDG_CACHE_HOME="$place/cache" XDG_STATE_HOME="$place/state" XDG_CONFIG_HOME="$place/config"
# says TITLE CONDITION...: holds or fails
says() {
  title=$1
  shift
  if "$@"; then echo "ok: $title"; else echo "NOT OK: $title"; failed=1; fi
}

"$program" doctor --listen "127.0.0.1:$port" --device "$device" > "$place/doctor" 2>&1
cat "$place/doctor"
if [ "$device" = cuda ]; then says "the doctor names the device" grep -qi 'NVIDIA' "$place/doctor"; fi

"$program" serve --listen "127.0.0.1:$port" --device "$device" > "$place/log" 2>&1 &
service=$!
ready() { tries=120; until curl -sf "$base/ready" > /dev/null; do tries=$((tries - 1)); [ $tries -gt 0 ] && kill -0 "$service" 2> /dev/null || return 1; sleep 0.5; done; }
says "it becomes ready on $device" ready
curl -s "$base/ready"; echo

chats() {
  curl -sf "$base/v1/chat/completions" -H 'content-type: application/json' -d '{"model": "lectern-demo", "messages": [{"role": "user", "content": "What can you do?"}]}' > "$place/chat"
  grep -q '"content": *"[^"]' "$place/chat"
}
says "it chats" chats
head -c 600 "$place/chat"; echo
converts() { curl -sf -F "files=@\"$document\"" "$base/v1/convert/file" | grep -q '"status": *"success"'; }
if [ -n "$document" ]; then says "it converts" converts; fi

curl -s "$base/metrics" > "$place/metrics"
grep -E '^lectern_(device_memory|resident_model)_bytes' "$place/metrics"
has() { grep -Eq "$1" "$place/metrics"; }
if [ "$device" = cuda ]; then
  says "/metrics has the device's memory" has '^lectern_device_memory_bytes\{.*kind="total".*\} [1-9][0-9]{9,}'
  says "/metrics has a model on it" has '^lectern_resident_model_bytes\{model="lectern-demo[^"]*",place="device"\} [1-9]'
fi

# Of the service and of what it started.
cat /proc/"$service"/maps $(pgrep -P "$service" | sed 's|.*|/proc/&/maps|') 2> /dev/null | awk '{print $6}' | grep '\.so' | sort -u > "$place/libraries"
grep -Ei 'cuda|nvidia|cublas|cudnn|nvrtc' "$place/libraries"
opened() { grep -Eq "$1" "$place/libraries"; }
only_drivers() { opened 'lectern\.node|libc\.' && ! opened 'libcudart|libcublas|libcudnn|libnvrtc|libnccl'; }
says "none of CUDA's libraries but the driver's is open" only_drivers
if [ "$device" = cuda ]; then says "the driver's is" opened 'libcuda\.so'; fi

kill "$service"
wait "$service"
code=$?
service=
says "it ends with 0 when it is stopped (was $code)" [ $code -eq 0 ]
[ $failed -eq 0 ] || tail -n 20 "$place/log"
exit $failed
