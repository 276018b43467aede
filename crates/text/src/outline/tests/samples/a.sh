#!/usr/bin/env bash
# Deploys the thing.
#
# Usage: deploy
set -euo pipefail
source "$(dirname "$0")/lib.sh"
. ./env.sh
readonly LIMIT=3
export PATH_X="/a"
name=x
# Stops it.
stop() { kill 1; }
function _start {
  echo hi
}
if true; then
  other() { :; }
fi
