# Toolchain file for a build with musl, static, from Debian's musl-tools:
#   cmake -S . -B build/musl --toolchain cmake/musl.cmake
# Builds the static library and the unit tests. The tool is left out: its libraries exist only for glibc.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
# musl-gcc searches only musl's headers; add those of the kernel, but not those of glibc.
set(kernel_headers ${CMAKE_BINARY_DIR}/kernel-headers)
file(MAKE_DIRECTORY ${kernel_headers})
file(CREATE_LINK /usr/include/linux ${kernel_headers}/linux SYMBOLIC)
file(CREATE_LINK /usr/include/asm-generic ${kernel_headers}/asm-generic SYMBOLIC)
file(CREATE_LINK /usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/asm ${kernel_headers}/asm SYMBOLIC)
set(CMAKE_C_FLAGS_INIT "-idirafter ${kernel_headers}")
set(CMAKE_FIND_ROOT_PATH /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-musl)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(PITWALL_STATIC_ONLY ON)
