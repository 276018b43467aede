#!/bin/sh
# The one job that writes tables, by cron every minute. Its key may get, list, put and delete all of
# BUCKET/kb. Two at once do no harm; flock only spares the work.
exec flock --nonblock /tmp/elophanto-fold elophanto publish --fold "${1:?s3://BUCKET/kb}"
