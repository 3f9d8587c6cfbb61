#!/bin/sh
# manual.sh MANUAL INCLUDE LIBRARY: the C example and the scenario of the manual do what it says.
set -eu
manual=$1
include=$2
library=$3
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$manual" > "$folder/example.c"
awk '/^```yaml$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$manual" > "$folder/example.yaml"
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I "$include" "$folder/example.c" -o "$folder/example" -ldl

NVPULSE_SIM_PROFILE=h100x8 NVPULSE_SIM_CLOCK=stepped LD_LIBRARY_PATH=$(dirname "$library") "$folder/example" > "$folder/out"
grep -qx '999 0 8 devices, stepped: 0, calls: 2' "$folder/out" || { cat "$folder/out"; exit 1; }

NVPULSE_SIM_SCENARIO=$folder/example.yaml LD_LIBRARY_PATH=$(dirname "$library") "$folder/example" > "$folder/out"
grep -qx '999 0 4 devices, stepped: 0, calls: 2' "$folder/out" || { cat "$folder/out"; exit 1; }
