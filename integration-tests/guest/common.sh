# What build and run agree on. Sourced, not run.
# shellcheck shell=bash disable=SC2034
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cache=${SLIPSTREAM_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/slipstream/guest}

# A sentence that says what to install; the exit code that tests read as "not on this machine".
cannot() {
  echo "guest: $*" >&2
  exit 69
}

# What the guest is made of: a change of any of these files makes a new guest.
fingerprint() {
  cat "$here/build" "$here/common.sh" "$here/init" "$here"/bin/* | sha256sum | cut -c1-16
}
