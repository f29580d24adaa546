#!/usr/bin/env bash
# Finds the command, or installs it: one that is there, an archive whose hash is right, or what
# this checkout builds.
set -euo pipefail

out=${GITHUB_OUTPUT:?}
into=${RUNNER_TEMP:?}/mcp-stdio-probe

if [ -n "${PROBE_BINARY:-}" ]; then
  binary=$PROBE_BINARY
elif [ -n "${PROBE_ARCHIVE:-}" ]; then
  if ! [[ ${PROBE_SHA256:-} =~ ^[0-9a-fA-F]{64}$ ]]; then
    echo "::error::archive needs sha256, 64 hexadecimal digits" >&2
    exit 2
  fi
  mkdir -p "$into"
  case $PROBE_ARCHIVE in
    https://*) curl --fail --silent --show-error --location --proto '=https' \
      --output "$into/archive.tar.gz" -- "$PROBE_ARCHIVE" ;;
    *) cp -- "$PROBE_ARCHIVE" "$into/archive.tar.gz" ;;
  esac
  if ! echo "${PROBE_SHA256,,}  $into/archive.tar.gz" | sha256sum --check --status; then
    echo "::error::the archive's SHA-256 is not the one that sha256 gives; it is not unpacked" >&2
    exit 2
  fi
  tar --extract --gzip --file "$into/archive.tar.gz" --directory "$into"
  binary=$(find "$into" -type f -name mcp-stdio-probe -print -quit)
else
  cargo install --quiet --locked --path "${ACTION_PATH:?}/crates/probe" --root "$into"
  binary=$into/bin/mcp-stdio-probe
fi

binary=$(command -v -- "$binary" || true)
if [ -z "$binary" ]; then
  echo "::error::there is no command to probe with" >&2
  exit 2
fi
"$binary" --version
echo "binary=$binary" >>"$out"
