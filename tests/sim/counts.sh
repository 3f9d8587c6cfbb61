#!/bin/sh
# counts.sh PROGRAM LIBRARY: with NVPULSE_SIM_COUNTS each process adds its own calls to the file when it ends, and only then.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export NVPULSE_SIM_PROFILE=h100x8

NVPULSE_SIM_COUNTS='' "$1" "$2" > "$folder/pids"
test "$(ls "$folder")" = pids

for round in 1 2; do
    NVPULSE_SIM_COUNTS=$folder/counts "$1" "$2" > "$folder/pids"
    read -r parent child < "$folder/pids"
    printf '%s\t%s\t%s\n' "$child" nvmlDeviceGetCount_v2 1 "$parent" nvmlDeviceGetCount_v2 2 "$parent" nvmlInit_v2 1 |
        sort >> "$folder/expected.$round"
    tail -n 3 "$folder/counts" | sort | diff - "$folder/expected.$round"
    test "$(wc -l < "$folder/counts")" -eq $((3 * round))
done
