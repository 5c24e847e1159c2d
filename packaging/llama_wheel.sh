#!/bin/sh
# Puts llama-cpp-python into the environment of the Python given. Its package index has the source
# alone, so the wheel is built once and kept: minutes the first time, seconds after.
#   sh packaging/llama_wheel.sh .venv/bin/python
set -eu

python=$1
here=$(dirname "$0")
version=$(sed -n 's/^llama_cpp_python==//p' "$here/constraints.txt")
cache=${SPEC_O3_WHEELS:-${XDG_CACHE_HOME:-$HOME/.cache}/spec-o3-workbench/wheels}
pip="$python -m pip --disable-pip-version-check"

# Not for this one processor alone (GGML_NATIVE): its AMX path fails on Q8_0 with some compilers,
# and a wheel made here must run on the next machine that finds it in the cache.
flags="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"
case $(uname -m) in x86_64 | amd64) ;; *) flags="-DGGML_NATIVE=OFF" ;; esac
flags="$flags -DMTMD_VIDEO=OFF -DLLAMA_OPENSSL=OFF -DGGML_ALL_WARNINGS=OFF -DLLAMA_ALL_WARNINGS=OFF"
flags="$flags '-DCMAKE_PROJECT_llama.cpp_INCLUDE=$(cd "$here" && pwd)/llama_libraries.cmake'"

if "$python" -c "import sys, importlib.metadata as m; sys.exit(m.version('llama_cpp_python') != '$version')" 2>/dev/null; then
	exit 0
fi

if ! ls "$cache"/llama_cpp_python-"$version"-*.whl >/dev/null 2>&1; then
	if ! { command -v c++ && command -v make; } >/dev/null 2>&1; then
		sh "$here/install_packages.sh" \
			"GGUF models need llama-cpp-python, and a C++ compiler to build it" g++ make || {
			[ $? = 3 ] || exit 1
			echo "Going on without: tests that need it are skipped, and say so." >&2
			exit 0
		}
	fi
	echo "  compiled once, and kept in $cache"
	mkdir -p "$cache"
	making=$(mktemp -d "$cache/making.XXXXXX")
	trap 'rm -rf "$making"' EXIT
	CMAKE_ARGS=$flags $pip wheel -q --no-deps --no-cache-dir -w "$making" "llama-cpp-python==$version"
	mv "$making"/*.whl "$cache"/
fi
$pip install -q --no-index --no-deps --find-links "$cache" "llama-cpp-python==$version"
