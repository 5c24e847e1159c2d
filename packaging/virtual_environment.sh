#!/bin/sh
# virtual_environment.sh PYTHON FOLDER: Debian keeps what `python -m venv` needs in a package of its
# own. Installed where we are root there, otherwise named with the command that installs it. Nothing
# half made stays behind: make would take it for done.
set -eu
python=$1
folder=$2

if ! "$python" -c 'import ensurepip' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    command="apt-get install -y --no-install-recommends python$version-venv"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing what Python needs for virtual environments: python$version-venv"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $command >/dev/null
    else
        echo "This Python cannot make virtual environments. On Debian or Ubuntu run:" >&2
        echo "    sudo $command" >&2
        exit 1
    fi
fi
rm -rf "$folder"
"$python" -m venv "$folder" || { rm -rf "$folder"; exit 1; }
