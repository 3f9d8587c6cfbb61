#!/bin/sh
# sim-ci.sh SOURCE BIN: the example of tests on simulated GPUs is built and run as its user would do it.
set -eu
source=$1
bin=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cmake -S "$source" -B "$folder" -DNVPULSE="$bin/nvpulse" > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cmake --build "$folder" > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
(cd "$folder" && ctest --output-on-failure) > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
grep -q '100% tests passed, 0 tests failed out of 13' "$folder/log" || { cat "$folder/log"; exit 1; }
NVPULSE="$bin/nvpulse" "$source/test.sh" "$folder/monitor"
