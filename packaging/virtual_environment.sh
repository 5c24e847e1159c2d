#!/bin/sh
# virtual_environment.sh PYTHON FOLDER: Debian keeps what `python -m venv` needs in a package of its
# own. Installed where we are root there, otherwise named with the command that installs it. Nothing
# half made stays behind: make would take it for done.
set -eu
python=$1
folder=$2

if ! "$python" -c 'import ensurepip' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    sh "$(dirname "$0")/install_packages.sh" \
        "This Python cannot make virtual environments" "python$version-venv"
fi
rm -rf "$folder"
"$python" -m venv "$folder" || { rm -rf "$folder"; exit 1; }
