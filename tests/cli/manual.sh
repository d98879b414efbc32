#!/bin/sh
# The manual page is set without a complaint of mandoc or groff.
set -eu
page=$(mktemp --suffix .1)
trap 'rm -f "$page"' EXIT
"$1" help --man > "$page"
# mandoc asks for a date, which would be that of the build.
said=$(mandoc -Tlint "$page" | grep -v 'missing date' || true)
said="$said$(groff -man -ww -Tutf8 "$page" 2>&1 > /dev/null)"
if [ -n "$said" ]; then
  printf '%s\n' "$said"
  exit 1
fi
groff -man -Tutf8 -P-c "$page" | grep -q 'simulates\|Simulate a program'
