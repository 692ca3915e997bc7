#!/bin/sh
# Lets machines explore for a run that listens, by ssh: ssh.sh SECRET-FILE HOST:PORT MACHINE...
# Each machine has `polypath` in its PATH. The secret goes through the connection, not on a command line.
set -eu
secret=$1 run=$2
shift 2
for machine in "$@"; do
    ssh -o BatchMode=yes "$machine" \
        "read -r POLYPATH_SECRET && export POLYPATH_SECRET && exec polypath worker --connect $run" <"$secret" &
done
wait
