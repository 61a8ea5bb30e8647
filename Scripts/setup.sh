#!/bin/sh
# Installs the Debian packages that Tributary needs, if they are missing. It may run again at any time.
#
#   Scripts/setup.sh --for demo    the packages to build and run the binary (the default)
#   Scripts/setup.sh --for test    also the programs that the tests compare with ours
#   Scripts/setup.sh --for programs   also Chromium and R, and programs from PyPI in .build-tools/programs
#   Scripts/setup.sh --for package    also the programs that make and check the Debian package
#   Scripts/setup.sh --for bench   also the references of the benchmarks: libraries, PostgreSQL with pgbench
#
# It changes nothing else on the machine. As root it installs; as another user it uses sudo if that needs
# no password, and otherwise prints the command.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
purpose=demo
while [ $# -gt 0 ]; do
    case "$1" in
        --for) purpose=${2:-}; shift 2 || true ;;
        --for=*) purpose=${1#--for=}; shift ;;
        -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "setup: unknown option $1 (try --help)" >&2; exit 64 ;;
    esac
done

say() { echo "setup: $*" >&2; }

packages="libsqlite3-dev libxml2-dev libarchive-dev libhpdf-dev libssl-dev zlib1g-dev libpng-dev libqrencode-dev libpq-dev libzstd-dev
    libcurl4-openssl-dev pkg-config fonts-dejavu-core ca-certificates"
case "$purpose" in
    demo) ;;
    test) packages="$packages poppler-utils openssl sqlite3 curl python3 python3-venv xz-utils systemd
        libimage-exiftool-perl zbar-tools postgresql iproute2 binutils dpkg-dev" ;;
    programs) packages="$packages python3 python3-venv chromium mmdebstrap r-base-core" ;;
    package) packages="$packages python3 git binutils dpkg-dev lintian" ;;
    bench) packages="$packages libsimdjson-dev openssl python3 xz-utils postgresql" ;;
    *) say "--for takes demo, test, programs, package or bench"; exit 64 ;;
esac

# 1. Swift must be installed, from swift.org: Debian does not have it.
PATH="$PATH:/opt/swift/usr/bin:/usr/share/swift/usr/bin:${HOME:-/root}/.local/share/swiftly/bin"
export PATH
if ! command -v swift >/dev/null 2>&1; then
    say "Swift was not found. Install Swift 6.3 from https://www.swift.org/install/linux and put it into PATH."
    exit 1
fi

# 2. All missing packages are installed by one command.
if ! command -v apt-get >/dev/null 2>&1; then
    say "this is not Debian; install the equivalents of these packages:"
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
        # The package lists may be old or absent: they are fetched if the first attempt fails.
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

    # 3. Python's jwcrypto, another implementation of JWE, and aiosmtpd, a mail server. Debian's packages are for
    #    Debian's python3. If another python3 without them is first in PATH, the tests use Debian's through
    #    .build-tools/bin.
    wanted='import jwcrypto, aiosmtpd'
    if [ "$purpose" = test ] && ! PATH="$root/.build-tools/bin:$PATH" python3 -c "$wanted" 2>/dev/null; then
        for package in python3-jwcrypto python3-aiosmtpd; do
            is_installed "$package" || install "$package"
        done
        if ! python3 -c "$wanted" 2>/dev/null; then
            mkdir -p "$root/.build-tools/bin"
            ln -sf /usr/bin/python3 "$root/.build-tools/bin/python3"
        fi
    fi
fi

# 4. Programs of other authors, each in its tested version, in an environment of their own.
if [ "$purpose" = programs ]; then
    folder="$root/.build-tools/programs"
    wanted="$root/Tests/Programs/requirements.txt"
    if ! cmp -s "$wanted" "$folder/installed.txt"; then
        say "installing the programs of Tests/Programs/requirements.txt"
        python3 -m venv --clear "$folder" >&2
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted" >&2
        cp "$wanted" "$folder/installed.txt"
    fi
fi

say "ready for $purpose ($(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/Swift \1/p' | head -1))"
