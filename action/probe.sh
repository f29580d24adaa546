#!/usr/bin/env bash
# Probes what the inputs name. Nothing that a server wrote reaches the outputs: they are a word, a
# number and a path of our own.
set -euo pipefail

out=${GITHUB_OUTPUT:?}
probe=${PROBE_BINARY:?}
reports=$(mktemp -d "${RUNNER_TEMP:?}/mcp-stdio-probe-reports.XXXXXX")

# The lines of an input as the elements of `lines`; empty ones do not count.
lines=()
split() {
  lines=()
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    [ -z "$line" ] || lines+=("$line")
  done <<<"$1"
}

if [ "${PROBE_NEGATIVE_CONTROL:-true}" = true ]; then
  status=0
  "$probe" run -- "$probe" play startup-banner >"$reports/control.txt" || status=$?
  if [ "$status" -ne 1 ]; then
    echo "::error::the negative control ended with $status, not 1: the probe proves nothing here" >&2
    exit 70
  fi
  echo "negative control: a banner on stdout fails, as it must"
fi

options=(--format human --format "json=$reports/report.json")
if [ -n "${PROBE_SARIF:-}" ]; then
  options+=(--format "sarif=$PROBE_SARIF")
fi
if [ "${PROBE_SUMMARY:-true}" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  options+=(--format "md=$reports/summary.md")
fi
split "${PROBE_ARGS:-}"
options+=(${lines[@]+"${lines[@]}"})

given=0
target=()
if [ -n "${PROBE_PACKAGE:-}" ]; then
  given=$((given + 1))
  target+=(--package "$PROBE_PACKAGE")
  [ -z "${PROBE_BIN:-}" ] || target+=(--bin "$PROBE_BIN")
fi
if [ -n "${PROBE_CONFIG:-}" ]; then
  given=$((given + 1))
  split "$PROBE_CONFIG"
  for file in "${lines[@]}"; do target+=(--config "$file"); done
fi
if [ -n "${PROBE_SERVER:-}" ]; then
  split "$PROBE_SERVER"
  for name in "${lines[@]}"; do target+=(--server "$name"); done
fi
if [ -n "${PROBE_COMMAND:-}" ]; then
  given=$((given + 1))
  split "$PROBE_COMMAND"
  target+=(-- "${lines[@]}")
fi
if [ "$given" -gt 1 ]; then
  echo "::error::give one of package, config and command" >&2
  exit 2
fi

status=0
"$probe" run "${options[@]}" ${target[@]+"${target[@]}"} || status=$?
case $status in
  0) verdict=valid-stdout ;;
  1) verdict=violation ;;
  2) verdict=usage ;;
  3) verdict=not-launched ;;
  4) verdict=inconclusive ;;
  *) verdict=internal ;;
esac
{
  echo "verdict=$verdict"
  echo "exit-status=$status"
  echo "report=$reports/report.json"
} >>"$out"
if [ -s "$reports/summary.md" ]; then
  head -c 1000000 "$reports/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
