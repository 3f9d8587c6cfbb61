#!/bin/sh
# How libnvpulse.so is linked: linked.sh LIBRARY. It needs libc alone, binds at once, is never unloaded, and exports its own names only.
set -eu
library=$1
fail() {
    echo "$library: $1" >&2
    exit 1
}
dynamic=$(readelf --dynamic --wide "$library")
needed=$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
    case $name in
    libc.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux*) ;;
    *) fail "needs $name" ;;
    esac
done
printf '%s\n' "$dynamic" | grep -q 'SONAME.*\[libnvpulse\.so\.0\]' || fail 'has another soname'
printf '%s\n' "$dynamic" | grep -q 'NODELETE' || fail 'is not linked with -z nodelete'
printf '%s\n' "$dynamic" | grep -q 'NOW' || fail 'is not linked with -z now'
symbols=$(readelf --dyn-syms --wide "$library")
! printf '%s\n' "$symbols" | grep -Eq 'UND nvml' || fail 'links a function of NVML'
others=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | grep -v '^nvp_[a-zA-Z]' || true)
[ -z "$others" ] || fail "exports $others"
internal=$(nm -D --defined-only "$library" | grep ' nvp__' || true)
[ -z "$internal" ] || fail "exports internal names: $internal"
echo 'linked as it should be'
