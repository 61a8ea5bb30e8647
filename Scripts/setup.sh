#!/bin/sh
# Installs the Debian packages that Tributary needs, where they are missing. Doing it twice does no harm.
#
#   Scripts/setup.sh --for demo    what building and running the binary takes (the default)
#   Scripts/setup.sh --for test    and the programs that the tests compare us with
#   Scripts/setup.sh --for programs   and Chromium, and clients from PyPI in .build-tools/programs
#   Scripts/setup.sh --for bench   and what the benchmarks measure us against: libraries, PostgreSQL with pgbench
#
# It changes nothing else on the machine. As root it installs by itself; as anybody else it uses sudo where that
# asks no password, and otherwise prints the command.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
purpose=demo
while [ $# -gt 0 ]; do
    case "$1" in
        --for) purpose=${2:-}; shift 2 || true ;;
        --for=*) purpose=${1#--for=}; shift ;;
        -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "setup: unknown option $1 (try --help)" >&2; exit 64 ;;
    esac
done

say() { echo "setup: $*" >&2; }

packages="libsqlite3-dev libxml2-dev libarchive-dev libhpdf-dev libssl-dev zlib1g-dev libpng-dev libqrencode-dev libpq-dev libzstd-dev
    pkg-config fonts-dejavu-core ca-certificates"
case "$purpose" in
    demo) ;;
    test) packages="$packages poppler-utils openssl sqlite3 curl python3 python3-venv xz-utils systemd
        libimage-exiftool-perl zbar-tools postgresql iproute2" ;;
    programs) packages="$packages python3 python3-venv chromium" ;;
    bench) packages="$packages libsimdjson-dev openssl python3 xz-utils postgresql" ;;
    *) say "--for takes demo, test, programs or bench"; exit 64 ;;
esac

# 1. Swift must be there: it comes from swift.org, not from Debian.
PATH="$PATH:/opt/swift/usr/bin:/usr/share/swift/usr/bin:${HOME:-/root}/.local/share/swiftly/bin"
export PATH
if ! command -v swift >/dev/null 2>&1; then
    say "Swift was not found. Install Swift 6.3 from https://www.swift.org/install/linux and put it into PATH."
    exit 1
fi

# 2. What is missing is installed in one go.
if ! command -v apt-get >/dev/null 2>&1; then
    say "this is no Debian; install what answers to these packages yourself:"
    say $packages
else
    is_installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]; }
    install() {
        as_root=
        if [ "$(id -u)" != 0 ]; then
            if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
                as_root="sudo -n"
            else
                say "not root; please run: apt-get install --no-install-recommends $*"
                exit 1
            fi
        fi
        say "installing: $*"
        run="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
        # The package lists may be old or absent: they are fetched only if it does not go without.
        $run install -y --no-install-recommends "$@" >&2 && return
        say "fetching the package lists"
        $run update >&2
        $run install -y --no-install-recommends "$@" >&2
    }
    missing=
    for package in $packages; do
        is_installed "$package" || missing="$missing $package"
    done
    if [ -n "$missing" ]; then
        install $missing
    fi

    # 3. Python's jwcrypto, another implementation of JWE. Debian's package serves Debian's python3; where another
    #    python3 without it comes first in PATH, the tests are given Debian's through .build-tools/bin.
    if [ "$purpose" = test ] && ! PATH="$root/.build-tools/bin:$PATH" python3 -c 'import jwcrypto' 2>/dev/null; then
        is_installed python3-jwcrypto || install python3-jwcrypto
        if ! python3 -c 'import jwcrypto' 2>/dev/null; then
            mkdir -p "$root/.build-tools/bin"
            ln -sf /usr/bin/python3 "$root/.build-tools/bin/python3"
        fi
    fi
fi

# 4. Programs that others wrote, each at the version with which it was seen to work, in an environment of their own.
if [ "$purpose" = programs ]; then
    place="$root/.build-tools/programs"
    wanted="$root/Tests/Programs/requirements.txt"
    if ! cmp -s "$wanted" "$place/installed.txt"; then
        say "installing the programs of Tests/Programs/requirements.txt"
        python3 -m venv --clear "$place" >&2
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted" >&2
        cp "$wanted" "$place/installed.txt"
    fi
fi

say "ready for $purpose ($(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/Swift \1/p' | head -1))"
