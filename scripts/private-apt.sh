#!/bin/sh
# Packages of Debian, without installing them: apt with a root of its own, so that neither lists nor packages of the system are
# involved. Sourced by scripts/fetch-*, which set `scratch` first: a folder that is not there yet, and that they remove at their
# end. The mirrors are those that this machine's apt uses.

: "${scratch:?}"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The address where this machine's apt finds Debian's suites; those for security have one of their own: mirror SUITE
mirror() {
    # shellcheck disable=SC2016 # apt-get, not the shell, fills these in
    apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 2> /dev/null |
        while read -r codename address; do
            case $1/$codename in
            *-security/*-security) ;;
            *-security/* | */*-*) continue ;;
            esac
            echo "$address"
            break
        done
}

private_apt() {
    apt-get -o "Dir::Etc::sourcelist=$scratch/sources.list" -o "Dir::Etc::sourceparts=$scratch/parts" \
        -o "Dir::State::lists=$scratch/lists" -o "Dir::State::status=$scratch/status" -o "Dir::Cache=$scratch/cache" \
        -o Acquire::Languages=none -o Acquire::Retries=1 -o Acquire::http::Timeout=10 \
        -o APT::Update::Error-Mode=any -o APT::Sandbox::User=root -qq "$@"
}

# Makes that root and reads the lists of every suite that is wanted and can be had; once: prepare "COMPONENTS" SUITE...
prepare() {
    [ ! -d "$scratch" ] || return 0
    mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial" "$scratch/parts" || exit 1
    : > "$scratch/status"
    : > "$scratch/sources.list"
    if ! command -v apt-get > /dev/null || ! command -v dpkg > /dev/null || [ ! -r "$keyring" ]; then
        echo "$0: no apt of Debian's here" >&2
        return 0
    fi
    components=$1
    shift
    for suite in "$@"; do
        address=$(mirror "$suite")
        [ -z "$address" ] || echo "deb [signed-by=$keyring] $address $suite $components" >> "$scratch/sources.list"
    done
    private_apt update > "$scratch/log" 2>&1 || tail -n 3 "$scratch/log" >&2
}

# Downloads packages from one suite, unpacks them into FOLDER/tree and writes into FOLDER/origin which they were, one line each:
# unpack FOLDER SUITE PACKAGE... What went wrong is in $scratch/log.
unpack() {
    unpack_into=$1 unpack_from=$2
    shift 2
    rm -rf "$scratch/download" && mkdir "$scratch/download" && mkdir -p "$unpack_into/tree" || return 1
    (
        cd "$scratch/download" || exit 1
        for package in "$@"; do # each becomes PACKAGE/SUITE
            shift
            set -- "$@" "$package/$unpack_from"
        done
        private_apt download "$@" || exit 1
        for file in *.deb; do
            dpkg -x "$file" "$unpack_into/tree" || exit 1
        done
    ) > "$scratch/log" 2>&1 || return 1
    for package in "$@"; do
        file=$(basename "$scratch/download/${package}"_*.deb .deb)
        echo "$package $(echo "$file" | cut -d _ -f 2) $unpack_from"
    done > "$unpack_into/origin"
}
