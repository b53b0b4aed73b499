# libpitwall-mpi.so, the library to preload that makes spans of calls of MPI. It needs no MPI to be
# built, and serves them all: the process's own is found when the program first calls it. The recorder
# is found as by libpitwall-functions.

if(PITWALL_FUZZ)
    return()
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.c
                                        ${PROJECT_SOURCE_DIR}/src/preload/*.c)
list(APPEND mpi_sources ${PROJECT_SOURCE_DIR}/src/base/cpp_name.c
                        ${PROJECT_SOURCE_DIR}/src/base/elf_file.c)
add_library(pitwall_mpi MODULE ${mpi_sources})
set_target_properties(pitwall_mpi PROPERTIES OUTPUT_NAME pitwall-mpi
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_include_directories(pitwall_mpi PRIVATE ${PROJECT_SOURCE_DIR}/include
                                               ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_mpi PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(pitwall_mpi PRIVATE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined)
# As libpitwall-alloc: what is preloaded into any program cannot have a sanitizer.
pitwall_own_without_sanitizer(pitwall_mpi)

install(TARGETS pitwall_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
