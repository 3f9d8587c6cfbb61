#!/bin/sh
# Installs a build and then moves the result, so that whatever uses it proves that the tree can be moved.
# usage: install.sh CMAKE BUILD STAGE MOVED
set -eu
cmake=$1 build=$2 stage=$3 moved=$4
rm -rf "$stage" "$moved"
"$cmake" --install "$build" --prefix "$stage" >/dev/null
mv "$stage" "$moved"
