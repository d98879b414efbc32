#!/bin/sh
# The manual page is set without a complaint of mandoc or groff.
set -eu
page=$(mktemp --suffix .1)
trap 'rm -f "$page"' EXIT
"$1" help --man > "$page"
said=$(mandoc -Tlint "$page" || true)
said="$said$(groff -man -ww -Tutf8 "$page" 2>&1 > /dev/null)"
if [ -n "$said" ]; then
  printf '%s\n' "$said"
  exit 1
fi
groff -man -Tutf8 -P-c "$page" | grep -q 'simulates\|Simulate a program'
# The date is the version's, so that equal sources give equal pages.
head -n 1 "$page" | grep -Eq '^\.TH MEMLANE 1 "20[0-9]{2}-[0-9]{2}-[0-9]{2}" "memlane '
