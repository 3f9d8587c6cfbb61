#!/bin/sh
# Runs a command in a mount namespace of its own, where /dev holds null, zero and urandom alone and no kernel module can be found:
# loaded by root, a real library makes /dev/nvidiactl and leaves it behind, and that of 340 runs modprobe.
# usage: empty-dev.sh COMMAND [ARGUMENTS]. Where that is not allowed it fails, and the command is not run.
set -eu

if [ "${1:-}" = --inside ]; then
    shift
    mount -t tmpfs -o mode=0755 none /mnt
    for node in null zero urandom; do
        : > "/mnt/$node"
        mount --bind "/dev/$node" "/mnt/$node"
    done
    mount --rbind /mnt /dev
    umount --lazy /mnt
    [ ! -d /lib/modules ] || mount -t tmpfs none /lib/modules
    exec "$@"
fi

# Without root's rights a user namespace may still allow it.
for rights in --mount "--mount --user --map-root-user"; do
    # shellcheck disable=SC2086 # a list of options
    if unshare $rights true 2> /dev/null; then
        exec unshare $rights "$0" --inside "$@"
    fi
done
echo "$0: no mount namespace is allowed here" >&2
exit 1
