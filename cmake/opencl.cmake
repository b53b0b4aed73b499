# libpitwall-opencl.so, the library to preload that puts OpenCL's kernels and transfers into the call
# tree. It is linked with neither OpenCL nor the recorder: both are found in the process.

if(PITWALL_FUZZ)
    return()
endif()

file(GLOB opencl_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/opencl/*.c)
list(APPEND opencl_sources ${PROJECT_SOURCE_DIR}/src/base/device_clock.c
                           ${PROJECT_SOURCE_DIR}/src/base/elf_file.c
                           ${PROJECT_SOURCE_DIR}/src/base/recorder_symbols.c)
add_library(pitwall_opencl MODULE ${opencl_sources})
set_target_properties(pitwall_opencl PROPERTIES OUTPUT_NAME pitwall-opencl
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_include_directories(pitwall_opencl PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                  ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_opencl PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(pitwall_opencl PRIVATE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined)
# As libpitwall-alloc: what is preloaded into any program cannot have a sanitizer.
pitwall_own_without_sanitizer(pitwall_opencl)

install(TARGETS pitwall_opencl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
