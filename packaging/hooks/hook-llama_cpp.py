"""The libraries that ctypes opens by name, each under the one name it is asked for."""

from PyInstaller.utils.hooks import collect_dynamic_libs

binaries = collect_dynamic_libs("llama_cpp")
hiddenimports = ["llama_cpp.llama_cpp", "llama_cpp.mtmd_cpp"]
