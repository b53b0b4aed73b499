# libpitwall-functions.so, the library to preload that makes spans of functions compiled with
# -finstrument-functions. It finds the recorder of the process by itself, or loads libpitwall.so.0
# from beside itself; it is linked with neither.

if(PITWALL_FUZZ)
    return()
endif()

file(GLOB function_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/functions/*.c)
list(APPEND function_sources ${PROJECT_SOURCE_DIR}/src/base/cpp_name.c
                             ${PROJECT_SOURCE_DIR}/src/base/elf_file.c
                             ${PROJECT_SOURCE_DIR}/src/base/recorder_symbols.c)
add_library(pitwall_functions MODULE ${function_sources})
set_target_properties(pitwall_functions PROPERTIES OUTPUT_NAME pitwall-functions
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_include_directories(pitwall_functions PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                     ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_functions PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(pitwall_functions PRIVATE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined)
# As libpitwall-alloc: what is preloaded into any program cannot have a sanitizer.
pitwall_own_without_sanitizer(pitwall_functions)

install(TARGETS pitwall_functions LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
