#!/bin/sh
# exports.sh LIBRARY LIST: the library exports exactly the NVML names of the list, and its control functions.
set -eu
library=$1
list=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort > "$folder/all"
grep '^nvml' "$folder/all" > "$folder/nvml"
grep '^nvml' "$list" | LC_ALL=C sort > "$folder/wanted"
diff "$folder/wanted" "$folder/nvml"

# what else is there: the control functions, and what a sanitizer adds
if grep -v -e '^nvml' -e '^nvpsim_' -e 'san' -e '^_' "$folder/all"; then
    echo "exported by mistake"
    exit 1
fi
for name in description call_count reset_call_counts in_flight step_clock clock_ns add_fault clear_faults \
    check_scenario unused_keys post_event profile_name profile_summary profile_text; do
    grep -qx "nvpsim_$name" "$folder/all" || { echo "nvpsim_$name is missing"; exit 1; }
done
test "$(readlink "$(dirname "$library")/libnvidia-ml.so")" = libnvidia-ml.so.1
readelf -d "$library" | grep -q 'SONAME.*\[libnvidia-ml.so.1\]'
