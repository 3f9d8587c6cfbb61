#!/bin/sh
# Runs a set-user-id copy of a test program: PROGRAM CASE. Needs root, to give the copy to another user.
set -eu
program=$1
[ "$(id -u)" = 0 ] || { echo 'skipped: only root can make a set-user-id copy'; exit 77; }
copy=$(mktemp "${TMPDIR:-/tmp}/nvpulse-privileged-XXXXXX")
trap 'rm -f "$copy"' EXIT
cp "$program" "$copy"
chown nobody "$copy"
chmod 4755 "$copy"
"$copy" "$2"
