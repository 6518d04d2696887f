# Sourced by the scripts beside it, from the project's root. Makes .venv from a Python 3.11 or newer and nothing else, or
# says what is missing and the command that gets it. Quick when nothing has changed.
# shellcheck shell=bash

readonly MISSING=3 # the exit code for "something is missing here that you can get"
readonly LOCK_WAIT_S=300

say() { printf '%s\n' "$*" >&2; }

# The command that runs another as root, empty where we are root, failing where the user may not.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    return 0
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    printf 'sudo -n'
  else
    return 1
  fi
}

# Install a Debian package where the user may; fail where not, or where this is not Debian. Another process may hold the
# locks of dpkg and of the package lists, an unattended upgrade say: wait for them.
apt_install() {
  local root
  command -v apt-get >/dev/null || return 1
  root=$(as_root) || return 1
  say "Installing $* …"
  apt_get install --yes --no-install-recommends "$@" >/dev/null 2>&1 && return
  apt_update && apt_get install --yes --no-install-recommends "$@" >/dev/null
}

# A browser for the pages: Chromium without its windows, or with them where the distribution has no other.
a_browser() {
  local package
  for package in chromium-headless-shell chromium; do
    if command -v "$package" >/dev/null || apt_install "$package"; then return; fi
  done
  return 1
}

# Run apt-get as $root; it waits for dpkg's lock by itself.
apt_get() {
  # shellcheck disable=SC2086 # $root is a command of no or two words
  LC_ALL=C DEBIAN_FRONTEND=noninteractive $root apt-get -o DPkg::Lock::Timeout="$LOCK_WAIT_S" --quiet "$@"
}

# apt-get's timeout does not cover the lock of the package lists: try again until it is free.
apt_update() {
  local waited said
  for ((waited = 0; waited < LOCK_WAIT_S; waited += 5)); do
    said=$(apt_get update 2>&1) && return
    [[ $said == *"Could not get lock"* ]] || return
    sleep 5
  done
  return 1
}

find_python() {
  local name
  for name in python3.11 python3.12 python3.13 python3.14 python3 python; do
    if command -v "$name" >/dev/null &&
      "$name" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  say "Croupier needs Python 3.11 or newer, and there is none here."
  say "On Debian or Ubuntu: sudo apt-get install python3"
  return "$MISSING"
}

# Debian keeps venv and pip apart from Python: get them where the user may.
ensure_venv_module() {
  local python=$1 package
  "$python" -I -c 'import ensurepip, venv' 2>/dev/null && return
  package=$("$python" -I -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
  apt_install "$package" && "$python" -I -c 'import ensurepip, venv' 2>/dev/null && return
  say "$python cannot make virtual environments: its venv module is a package of its own and is not installed."
  if as_root >/dev/null; then
    say "It could not be installed either. By hand: apt-get install $package"
  else
    say "This user may not install it. Somebody who may: sudo apt-get install $package"
  fi
  return "$MISSING"
}

# Make an environment anew, in whole or not at all: an environment half made would be taken for one.
make_environment() {
  local folder=$1 python=$2
  [ -n "$python" ] || python=$(find_python) || return
  ensure_venv_module "$python" || return
  say "Making the environment in $folder …"
  rm -rf "$folder"
  "$python" -I -m venv "$folder" || { local code=$?; rm -rf "$folder"; return "$code"; }
}

pip_install() {
  local folder=$1
  shift
  "$folder/bin/python" -I -m pip install --quiet --disable-pip-version-check "$@" && return
  say "The packages could not be installed: what pip says is above. Is the package index within reach?"
  return "$MISSING"
}

# environment LOCK [FOLDER [PYTHON]]: make FOLDER, .venv unless it is given, hold what LOCK lists and the project itself.
environment() {
  local lock=$1 folder=${2:-.venv} python=${3:-} state
  # The folder counts too: an environment that was copied along still points to where it was made.
  state="$(cat requirements.lock requirements-build.lock requirements-test.lock pyproject.toml | cksum) $PWD"
  if [ "$(cat "$folder/holds-$lock" 2>/dev/null)" = "$state" ] && "$folder/bin/python" -I -c '' 2>/dev/null; then return; fi
  if [ ! -w . ] || { [ -e "$folder" ] && [ ! -w "$folder" ]; }; then
    say "$PWD belongs to somebody else: clone the project into a folder of your own."
    return "$MISSING"
  fi
  "$folder/bin/python" -I -c 'import pip' 2>/dev/null || make_environment "$folder" "$python" || return
  say "Installing what $lock lists …"
  # The build tools are locked apart: they install the project itself here, and no venue needs them.
  pip_install "$folder" --require-hashes --requirement "$lock" --requirement requirements-build.lock || return
  pip_install "$folder" --no-deps --no-build-isolation --editable . || return
  # The test lock lists all that the other does.
  printf '%s' "$state" >"$folder/holds-requirements.lock"
  printf '%s' "$state" >"$folder/holds-$lock"
}

# version_of PYTHON: its whole version, 3.11.2 for one.
version_of() { "$1" -I -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null; }

# other_pythons: the system's own Python, and a 3.12 and a 3.13 that are here, each unless .venv has the very same.
other_pythons() {
  local path version seen
  seen=" $(version_of .venv/bin/python) "
  for path in /usr/bin/python3 python3.12 python3.13 "$HOME"/.pyenv/versions/3.1[23].*/bin/python3; do
    version=$(version_of "$path") || continue
    case $version in 3.1[1-3].*) ;; *) continue ;; esac
    case $seen in *" $version "*) continue ;; esac
    seen+="$version "
    printf '%s %s\n' "$version" "$(command -v "$path")"
  done
}
