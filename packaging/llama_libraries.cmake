# Read by llama.cpp right after its `project(llama.cpp)`: llama-cpp-python loads the libraries
# alone; what its programs share, two fifths of the work, is used by none of them.
set(LLAMA_BUILD_COMMON OFF)
