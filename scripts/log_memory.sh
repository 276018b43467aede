#!/usr/bin/env bash
# Writes down a lesson: the flags of the reference design's helper, kept for scripts that call it.
#
#   log_memory.sh --repo NAME --type error|success|pattern --context TEXT --command TEXT \
#                 --lesson TEXT --success-rate X/Y --tags a,b [--agent ID]
set -euo pipefail
exec "${ELOPHANTO:-elophanto}" agent remember "$@"
