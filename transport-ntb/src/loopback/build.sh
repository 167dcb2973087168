#!/bin/sh
# Builds the loopback library and its variants into a directory. Without a C compiler it says so and succeeds: the tests
# that need the library skip themselves then, with the reason (and fail in CI).
set -eu
sources=$(dirname "$0")
out=$1
mkdir -p "$out"
compiler=$(command -v "${CC:-gcc}" || command -v cc || true)
if [ -z "$compiler" ]; then
  echo "transport-ntb: no C compiler, so the tests over the loopback library will be skipped"
  exit 0
fi
newest=$(ls -t "$sources"/* | head -1)
if [ "$out/libsisci-recorder.so" -nt "$newest" ]; then
  exit 0
fi
library() {
  name=$1
  shift
  "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -pthread -fvisibility=hidden "$@" -o "$out/$name.part"
  mv "$out/$name.part" "$out/$name"
}
cd "$sources"
case $out in /*) ;; *) echo "build.sh: the directory must be absolute" >&2; exit 2 ;; esac
loopback="world.c node.c segment.c map.c interrupt.c dma.c constants.c"
# shellcheck disable=SC2086
library libsisci-loopback.so $loopback
# shellcheck disable=SC2086
library libsisci-permuted.so -DPERMUTED $loopback
library libsisci-recorder.so recorder.c constants.c
