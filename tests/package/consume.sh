#!/bin/sh
# Builds a program outside the tree against an installed nvpulse, in one of several ways, and runs it on the simulator.
# usage: consume.sh WAY SOURCE PREFIX CC LIBDIR      run by ctest; see CMakeLists.txt for the ways
set -eu
way=$1 source=$2 prefix=$3 cc=$4 libdir=$5
lib=$prefix/$libdir

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source"/tests/package/consumer.c "$work"/consumer.c
cd "$work"

fail() {
    printf 'package.%s: %s\n' "$way" "$1" >&2
    exit 1
}

# pkg-config as seen by someone who has only the installed tree.
pkg() {
    PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config "$@"
}

# Runs a program on eight simulated GPUs; the library is found in the installed tree alone.
on_simulator() {
    LD_LIBRARY_PATH=$lib "$prefix"/bin/nvpulse sim --profile h100x8 -- "$@"
}

# The consumer must see the eight GPUs of the profile.
check_consumer() {
    on_simulator "$1" >out.txt || fail "the program failed: $(cat out.txt)"
    [ "$(grep -c 'H100' out.txt)" -eq 8 ] || fail "eight H100 expected, got: $(cat out.txt)"
}

# Builds with find_package and the imported target given.
with_cmake() {
    mkdir project
    cp consumer.c project/
    cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(nvpulse 0.1 REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE $1)
END
    cmake -S project -B out -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >log.txt 2>&1 || fail "$(cat log.txt)"
    cmake --build out >log.txt 2>&1 || fail "$(cat log.txt)"
}

# True when the program needs libnvpulse.so at run time.
needs_shared() {
    readelf -d "$1" | grep -q 'NEEDED.*libnvpulse\.so\.0'
}

case $way in
files)
    for header in collector device driver function lifecycle log metric metric_ids nvml nvpulse process query sampler snapshot status value; do
        [ -e "$prefix/include/nvpulse/$header.h" ] || fail "include/nvpulse/$header.h is not installed"
    done
    for file in bin/nvpulse "$libdir"/libnvpulse.so "$libdir"/libnvpulse.so.0 "$libdir"/libnvpulse.a "$libdir"/pkgconfig/nvpulse.pc \
        "$libdir"/cmake/nvpulse/nvpulseConfig.cmake share/doc/nvpulse/snapshot.schema.json share/doc/nvpulse/examples/collect.c \
        share/bash-completion/completions/nvpulse share/zsh/site-functions/_nvpulse share/fish/vendor_completions.d/nvpulse.fish; do
        [ -e "$prefix/$file" ] || fail "$file is not installed"
    done
    [ -e "$(find "$lib"/nvpulse/sim -name libnvidia-ml.so | head -n 1)" ] || fail "no simulated driver is installed"
    [ -e "$lib/nvpulse/shim/libnvidia-ml.so.1" ] || fail "no shim is installed"
    [ -z "$(find "$prefix" -path "*/nvpulse/sim/*" -prune -o -path "*/nvpulse/shim/*" -prune -o -name 'libnvidia-ml*' -print)" ] ||
        fail "a simulated driver or the shim lies in the library path"
    readelf -d "$lib"/libnvpulse.so >dynamic.txt
    grep -q 'SONAME.*libnvpulse\.so\.0' dynamic.txt || fail "the soname is not libnvpulse.so.0"
    grep -q 'NODELETE' dynamic.txt || fail "libnvpulse.so may be unloaded: -z nodelete is missing"
    grep -Eq 'BIND_NOW|FLAGS.* NOW' dynamic.txt || fail "libnvpulse.so binds lazily: -z now is missing"
    grep 'NEEDED' dynamic.txt | grep -Ev 'lib(c|dl|pthread)\.so|ld-linux' && fail "libnvpulse.so needs more than libc, libdl and pthread"
    grep -Eq 'RPATH|RUNPATH' dynamic.txt && fail "libnvpulse.so carries a run path"
    # Whole paths only: a source folder of /nvpulse must not be found in lib/cmake/nvpulse.
    here=$(printf '%s' "$source" | sed 's/[][\.*^$+?(){}|]/\\&/g')
    ! grep -rIlE "(^|[^[:alnum:]_.}/-]|-[IL])$here(/|\$)" "$prefix" || fail "the files above name the source folder"
    "$prefix"/bin/nvpulse --version >/dev/null || fail "the installed command does not start"
    ;;
pkgconfig_shared)
    # shellcheck disable=SC2046 # lists of words
    "$cc" -std=c11 -Wall -Wextra -Werror consumer.c $(pkg --cflags --libs nvpulse) -o consumer
    needs_shared ./consumer || fail "not linked with the shared library"
    check_consumer ./consumer
    ;;
pkgconfig_static)
    # The archive is named, since a linker that finds both takes the shared one.
    # shellcheck disable=SC2046 # lists of words
    "$cc" -std=c11 -Wall -Wextra -Werror consumer.c $(pkg --cflags nvpulse) \
        $(pkg --static --libs nvpulse | sed 's/-lnvpulse/-l:libnvpulse.a/') -o consumer
    ! needs_shared ./consumer || fail "linked with the shared library"
    check_consumer ./consumer
    ;;
cmake_shared)
    with_cmake nvpulse::nvpulse
    needs_shared out/consumer || fail "not linked with the shared library"
    check_consumer out/consumer
    ;;
cmake_static)
    with_cmake nvpulse::nvpulse-static
    ! needs_shared out/consumer || fail "linked with the shared library"
    check_consumer out/consumer
    ;;
cxx)
    command -v g++ >/dev/null || {
        echo "SKIPPED: no g++"
        exit 77
    }
    # shellcheck disable=SC2046 # lists of words
    g++ -x c++ -std=c++17 -Wall -Wextra -Werror consumer.c $(pkg --cflags --libs nvpulse) -o consumer
    check_consumer ./consumer
    ;;
examples)
    # The folder as a user has it: with nothing of the tree but itself.
    cp -R "$source"/examples examples
    cmake -S examples -B out -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS=-Werror >log.txt 2>&1 || fail "$(cat log.txt)"
    cmake --build out >log.txt 2>&1 || fail "$(cat log.txt)"
    # shellcheck disable=SC2046 # lists of words
    "$cc" examples/collect.c $(pkg --cflags --libs nvpulse) -o out/collect # as examples/README.md says
    on_simulator sh "$source"/tests/examples/run.sh out
    ;;
readme)
    # Every complete program in README.md must build without a warning and run.
    python3 "$source"/tests/package/extract.py "$source"/README.md .
    for program in example-*.c; do
        # shellcheck disable=SC2046 # lists of words
        "$cc" -std=gnu11 -Wall -Wextra -Werror "$program" $(pkg --cflags --libs nvpulse) -o example
        on_simulator ./example >out.txt || fail "$program failed: $(cat out.txt)"
        [ "$(wc -l <out.txt)" -ge 8 ] || fail "$program: eight lines or more expected, got: $(cat out.txt)"
    done
    # The picture of status shows the columns that status has.
    LC_ALL=C.UTF-8 on_simulator "$prefix"/bin/nvpulse status | grep '^GPU' | tr -s ' ' >columns.txt
    grep '^GPU .*│' "$source"/README.md | tr -s ' ' | diff - columns.txt || fail "the picture in README.md has other columns"
    ;;
*) fail "no such way" ;;
esac
