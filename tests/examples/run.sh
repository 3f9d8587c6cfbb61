#!/bin/sh
# Runs the examples and looks at what they print. usage: run.sh FOLDER     of the programs example-...
# The driver is that of the environment: eight simulated H100 (profile h100x8).
set -eu
folder=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

fail() {
    printf 'examples: %s; it printed:\n' "$1" >&2
    cat "$out" >&2
    exit 1
}

# expect COUNT PATTERN: that many lines match.
expect() {
    [ "$(grep -Ec "$2" "$out")" -eq "$1" ] || fail "$program: $1 lines like '$2' expected"
}

# run PROGRAM ARGUMENTS...: it must succeed and print nothing but its output.
run() {
    program=$1
    shift
    "$folder/example-$program" "$@" >"$out" 2>&1 || fail "$program: exit code $?"
}

run list_devices
expect 8 '^GPU [0-7]: NVIDIA H100 80GB HBM3, 79\.6 GiB, GPU-[0-9a-f-]{36}$'
expect 8 '' # and nothing else

run watch_metric power.draw_mw 3 10
expect 3 '^([0-9]+\.[0-9]+ W  ){7}[0-9]+\.[0-9]+ W$'
run watch_metric fan.speed_percent 1
expect 1 '^(N/A  ){7}N/A$'
run watch_metric pcie.replays 1
expect 1 '^(0  ){7}0$'

run batch_fields
expect 8 '^GPU [0-7]$'
expect 8 '^  power in mW +[0-9]+$'
expect 8 '^  NVLinks +18$'
expect 8 '^  bytes sent over PCIe +([0-9]+|N/A \(not supported\))$' # not every driver counts them

run who_uses_the_gpu
expect 2 '^GPU 0  pid [0-9]+  C  [0-9]+ MiB  .*: /usr/bin/python3 /srv/train/pretrain\.py'
expect 2 '^GPU 5 .*  M\+C  [0-9]+ MiB  .*: /srv/mps/score-[ab]$'

run collect 0.5
expect 1 '^[0-9]+ samples in [0-9]+\.[0-9] s$'
expect 8 '^GPU [0-7]$'
expect 8 '^  power\.draw_mw +min [0-9.]+  mean [0-9.]+  max [0-9.]+ W$'
expect 8 '^  memory\.used_bytes +min [0-9.]+  mean [0-9.]+  max [0-9.]+ MiB$'
expect 8 '^  energy +[0-9.]+ J$'

# The MIG devices of another machine stand below their GPU.
program=list_devices
NVPULSE_SIM_PROFILE=a100-mig "$folder/example-$program" >"$out" 2>&1 || fail "$program: exit code $?"
grep -A 1 '^GPU 0: ' "$out" | grep -q '^  MIG 0: NVIDIA A100.*, MIG-' || fail "$program: a MIG device expected below GPU 0"

# Without a driver each says so, and what to do.
for program in list_devices watch_metric batch_fields who_uses_the_gpu collect; do
    set -- "$folder/example-$program"
    [ "$program" != collect ] || set -- "$@" 0.1
    if LOGLEVEL=CRITICAL NVPULSE_NVML_PATH=/nowhere/libnvidia-ml.so.1 "$@" >"$out" 2>&1; then
        fail "$program: succeeded without a driver"
    fi
    expect 1 '^NVML (Shared Library Not Found|library cannot be used)'
done
program=watch_metric
if "$folder/example-$program" no.such_metric >"$out" 2>&1; then
    fail "$program: took a metric that does not exist"
fi
expect 1 '^there is no metric no\.such_metric$'
echo "all examples print what they should"
