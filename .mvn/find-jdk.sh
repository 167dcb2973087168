# Sourced by ./mvnw, ./slipstream and the installed command (POSIX sh): finds a JDK that can build and run Slipstream.
#
# find_jdk exports JAVA_HOME, or says in one sentence what to install and returns 1. It looks at JAVA_HOME,
# the usual folders (or those of SLIPSTREAM_JDK_FOLDERS, separated by colons), the JDKs that Maven knows
# (~/.m2/toolchains.xml), and the java on the PATH, in this order; the first one that is new enough wins.

SLIPSTREAM_JDK=25

# The feature release of the JDK in folder $1 (25 for "25.0.1"), or nothing if there is no JDK. Who needs no compiler
# sets jdk_program=java before.
jdk_release() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/${jdk_program:-javac}" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

is_jdk() {
  jdk_feature=$(jdk_release "$1")
  [ "${jdk_feature:-0}" -ge "$SLIPSTREAM_JDK" ]
}

# The homes that Maven's toolchains name, one a line, whatever they are.
toolchain_homes() {
  jdk_toolchains=${HOME:-/nonexistent}/.m2/toolchains.xml
  [ -r "$jdk_toolchains" ] || return 0
  sed -n 's|.*<jdkHome>[[:space:]]*\([^<]*[^<[:space:]]\)[[:space:]]*</jdkHome>.*|\1|p' "$jdk_toolchains"
}

# Prints the first suitable JDK. Runs in a subshell: ./mvnw switches globbing off.
first_jdk() {
  set +f
  IFS=:
  for jdk_folder in ${SLIPSTREAM_JDK_FOLDERS-/usr/lib/jvm:/opt:${HOME:-/nonexistent}/.sdkman/candidates/java}; do
    for jdk_home in "$jdk_folder"/*; do
      if is_jdk "$jdk_home"; then
        printf '%s\n' "$jdk_home"
        return 0
      fi
    done
  done
  jdk_home=$(toolchain_homes | while IFS= read -r jdk_home || [ -n "$jdk_home" ]; do
    if is_jdk "$jdk_home"; then
      printf '%s\n' "$jdk_home"
      break
    fi
  done)
  if [ -n "$jdk_home" ]; then
    printf '%s\n' "$jdk_home"
    return 0
  fi
  jdk_java=$(command -v java) || return 0
  jdk_home=$(dirname "$(dirname "$(readlink -f "$jdk_java")")")
  if is_jdk "$jdk_home"; then printf '%s\n' "$jdk_home"; fi
}

find_jdk() {
  if [ -z "${JAVA_HOME-}" ] || ! is_jdk "$JAVA_HOME"; then
    jdk_found=$(first_jdk)
    if [ -z "$jdk_found" ]; then
      echo "Slipstream needs a JDK $SLIPSTREAM_JDK or newer: install one (for example Eclipse Temurin $SLIPSTREAM_JDK) and set JAVA_HOME to its folder." >&2
      return 1
    fi
    JAVA_HOME=$jdk_found
  fi
  export JAVA_HOME
}
