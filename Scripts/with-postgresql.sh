#!/bin/sh
# Runs a command with a PostgreSQL server of its own, on loopback. The server and its data are removed afterwards:
#
#     Scripts/with-postgresql.sh COMMAND [ARGUMENT...]
#
# TRIBUTARY_TEST_POSTGRESQL has the server's address for the command. The server never runs as root: for root it runs as
# the user "postgres" of Debian's package. It does not wait for the disk (fsync=off): its data end with it. They are in
# memory if 12 GB are free there: the tests make about a hundred files each, which a disk creates and removes slowly.
set -eu

bin=$(pg_config --bindir 2>/dev/null || true)
[ -n "$bin" ] && [ -x "$bin/initdb" ] || bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$bin" ] || [ ! -x "$bin/initdb" ]; then
    echo "PostgreSQL is not installed: Scripts/setup.sh --for test installs it." >&2
    exit 69
fi

parent=/tmp
memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null || true)
shared=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $1 == "tmpfs" { print $4 }')
if [ -w /dev/shm ] && [ "${memory:-0}" -gt 12000000 ] && [ "${shared:-0}" -gt 12000000 ]; then
    parent=/dev/shm
fi
folder=$(mktemp -d "$parent/tributary-postgresql.XXXXXX")
as=
if [ "$(id -u)" = 0 ]; then
    chown postgres "$folder"
    as="setpriv --reuid=postgres --regid=postgres --init-groups env HOME=$folder"
fi
cd "$folder"
command_pid=
finish() {
    status=$?
    trap - EXIT INT TERM
    # Some commands end in their own way; none may outlive its server.
    if [ -n "$command_pid" ] && kill "$command_pid" 2>/dev/null; then
        waited=0
        while [ "$waited" -lt 20 ] && kill -0 "$command_pid" 2>/dev/null; do
            sleep 0.5
            waited=$((waited + 1))
        done
        kill -9 "$command_pid" 2>/dev/null || true
    fi
    $as "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$folder"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

$as "$bin/initdb" -D "$folder/data" -U tributary --auth=trust -E UTF8 --locale=C.UTF-8 >"$folder/initdb.log" 2>&1 || {
    cat "$folder/initdb.log" >&2
    exit 70
}
# A free port. If another program takes it before the server does, another port is tried.
tries=0
until
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    $as "$bin/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/data/log" \
        -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c max_connections=1000 \
            -c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 \
            -c autovacuum=off -c jit=off" start >/dev/null
do
    tries=$((tries + 1))
    if [ "$tries" -ge 5 ]; then
        cat "$folder/data/log" >&2
        exit 70
    fi
done
$as "$bin/createdb" -h "$folder" -p "$port" -U tributary tributary

cd "$OLDPWD"
TRIBUTARY_TEST_POSTGRESQL="postgresql://tributary@127.0.0.1:$port/tributary" "$@" &
command_pid=$!
wait "$command_pid" && status=0 || status=$?
command_pid=
exit "$status"
