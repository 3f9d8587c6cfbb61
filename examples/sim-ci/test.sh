#!/bin/sh
# test.sh MONITOR: the same from a shell, with a machine that changes while the program runs, and one that was recorded.
# Needs nvpulse in the path, or its place in $NVPULSE.
set -eu
nvpulse=${NVPULSE:-nvpulse}
monitor=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# has FILE TEXT: waits until a line is there; fails after ten seconds.
has() {
    tries=100
    until grep -qx "$2" "$1"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || { echo "no line '$2' in:"; cat "$1"; exit 1; }
        sleep 0.1
    done
}

# A GPU gets hot while the program runs, then falls off the bus, then comes back.
control=$folder/control
"$nvpulse" sim --profile t4 --control-file "$control" -- "$monitor" 60 > "$folder/out" &
program=$!
has "$folder/out" 'GPU 1: [0-9]* C'
change() { "$nvpulse" sim ctl --control-file "$control" "$@"; }
change set 'devices[1].thermal.temperature_gpu_c=97'
has "$folder/out" 'GPU 1: 97 C, hot'
change device lose 1
has "$folder/out" 'GPU 1: GPU is lost'
change device return 1
change set 'devices[1].thermal.temperature_gpu_c=41'
has "$folder/out" 'GPU 1: 41 C'
kill "$program"
wait "$program" || true

# What happened on one machine happens again on another, with another driver.
"$nvpulse" sim --profile rtx4090x2 -- "$nvpulse" record --output "$folder/day.jsonl" --loop 0.1 --count 3
"$nvpulse" sim --replay "$folder/day.jsonl" --driver 470 -- "$monitor" > "$folder/replayed"
has "$folder/replayed" 'GPU 0: [0-9]* C'

echo ok
