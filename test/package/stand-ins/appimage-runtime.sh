#!/bin/sh
# Stands in for the AppImage runtime, FOR TESTS ONLY. A real one mounts the image behind it with FUSE; this one unpacks
# it with unsquashfs, runs it, and cleans up. The image starts right behind this text, whose length scripts/package.mjs
# fills in below.
offset=@LENGTH@
self=$(readlink -f "$0")
case "$1" in
  --appimage-offset) echo "$offset"; exit 0 ;;
esac
home=$(mktemp -d "${TMPDIR:-/tmp}/mien-appimage-XXXXXX") || exit 1
trap 'rm -rf "$home"' EXIT
unsquashfs -quiet -no-progress -offset "$offset" -dest "$home/app" "$self" >/dev/null || exit 1
APPIMAGE=$self APPDIR=$home/app ARGV0=$0
export APPIMAGE APPDIR ARGV0
"$home/app/AppRun" "$@" <&0 &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT HUP
wait "$child"
code=$?
# A signal ends the first wait; the app is still on its way out.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
exit "$code"
