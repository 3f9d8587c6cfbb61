#!/bin/sh
# quiet.sh PROGRAM LIBRARY: a bad scenario makes init say one line on stderr, however often it is tried.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
printf 'clock: fast\n' > "$folder/bad.yaml"
NVPULSE_SIM_SCENARIO="$folder/bad.yaml" "$1" "$2" > "$folder/out" 2> "$folder/err"
test ! -s "$folder/out"
test "$(wc -l < "$folder/err")" -eq 1
grep -q "^nvpulse simulator: $folder/bad.yaml:1:8: key 'clock': 'fast' is not allowed; allowed: real, stepped$" "$folder/err"
NVPULSE_SIM_PROFILE=h100x8 "$1" "$2" > "$folder/out" 2> "$folder/err"
test ! -s "$folder/out"
test ! -s "$folder/err"
