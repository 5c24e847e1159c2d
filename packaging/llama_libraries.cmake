# Read by llama.cpp right after its `project(llama.cpp)`: llama-cpp-python loads the libraries
# alone, and of llama.cpp's programs and what they share, a fifth of the work, nothing is used.
set(LLAMA_BUILD_COMMON OFF)
