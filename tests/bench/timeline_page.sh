#!/usr/bin/env bash
# Measures a page of about 10,000 requests in headless Chromium: its size, the milliseconds until it is playable, and the
# median (and longest) script time of a step forward, back, and of jumps to the end and the start.
#   tests/bench/timeline_page.sh [build/release/memlane [chromium]]
set -euo pipefail
memlane=$(realpath "${1:-build/release/memlane}")
chromium=${2:-chromium}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.html" <<'HTML'
<script>
(async () => {
  const host = document.querySelector(".memlane-timeline");
  while (!host.memlaneTimeline) await new Promise((done) => setTimeout(done, 1));
  const opened = performance.now(), player = host.memlaneTimeline, { to, count } = player.model;
  const took = (act) => { const begin = performance.now(); act(); return performance.now() - begin; };
  const steps = (from, way) => {
    player.go(from);
    const all = Array.from({ length: 300 }, () => took(() => player.go(player.time() + way))).sort((a, b) => a - b);
    return `${all[150].toFixed(1)} ms (longest ${all[299].toFixed(1)})`;
  };
  const told = [`${count} requests, ${to} time units`, `playable after ${opened.toFixed(0)} ms`, `step forward ${steps(to >> 1, 1)}`,
    `step back ${steps(to >> 1, -1)}`, `to the end ${took(() => player.go(to)).toFixed(1)} ms`, `to the start ${took(() => player.go(0)).toFixed(1)} ms`];
  console.log(`measured: ${told.join("; ")}.`);
})();
</script>
HTML
measure() {
  "$memlane" timeline "$@" --html -o "$folder/page.html" 2>/dev/null >&2
  printf '%s\n  %s bytes; ' "$*" "$(stat -c %s "$folder/page.html")"
  sed -i "/<\/body>/{
    r $folder/look.html
    d
  }" "$folder/page.html"
  # The page reports by a message, so that the clock is the machine's and nothing waits for the end of a budget.
  "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --window-size=1280,800 \
    --remote-debugging-port=0 --enable-logging=stderr "file://$folder/page.html" 2>"$folder/log" >/dev/null &
  local browser=$!
  for _ in {1..600}; do
    grep -q 'measured: ' "$folder/log" && break
    sleep 0.1
  done
  kill "$browser" 2>/dev/null || true
  wait "$browser" 2>/dev/null || true
  grep -o 'measured: [^"]*\.' "$folder/log" || echo "nothing was measured"
}
measure sum -m umm-w32 -D n=2^16 --requests 10000
measure transpose -m hmm-teaching -D n=64 --layout t=rows --requests 10000
measure bitonic_sort -m dmm-w32 -D n=2^12 --requests 10000
