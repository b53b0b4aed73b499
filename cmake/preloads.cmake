# The libraries to preload into programs that do not use Pitwall. Each finds the recorder of the process,
# or loads libpitwall.so.0 from its own folder. None is linked with libpitwall, nor with the library whose
# calls it intercepts.
#
#   libpitwall-functions.so   spans of functions compiled with -finstrument-functions
#   libpitwall-mpi.so         spans of MPI calls, with any MPI library
#   libpitwall-openmp.so      how evenly the threads of OpenMP's parallel regions work
#   libpitwall-opencl.so      OpenCL's kernels and transfers in the call tree

if(PITWALL_FUZZ)
    return()
endif()

# pitwall_preload(NAME [FOLDER folders of src/…] [BASE files of src/base…]): of src/NAME and these.
function(pitwall_preload name)
    cmake_parse_arguments(p "" "" "FOLDER;BASE" ${ARGN})
    set(sources "")
    foreach(folder ${name} ${p_FOLDER})
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
        list(APPEND sources ${files})
    endforeach()
    foreach(file ${p_BASE})
        list(APPEND sources ${PROJECT_SOURCE_DIR}/src/base/${file}.c)
    endforeach()
    set(target pitwall_${name})
    if(PITWALL_OBJECTS_FROM)
        pitwall_objects_of(${target} sources ${sources})
    endif()
    add_library(${target} MODULE ${sources})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME pitwall-${name} LINKER_LANGUAGE C
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                 ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${target} PRIVATE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined)
    # As for libpitwall-alloc: a preloaded library cannot have a sanitizer.
    pitwall_own_without_sanitizer(${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${PITWALL_PRELOAD_DIR})
    add_dependencies(installed ${target})
    add_dependencies(preloads ${target})
endfunction()

pitwall_preload(functions FOLDER preload BASE cpp_name elf_file recorder_symbols)
pitwall_preload(mpi FOLDER preload BASE cpp_name elf_file recorder_symbols)
pitwall_preload(openmp FOLDER preload BASE cpp_name elf_file recorder_symbols)
pitwall_preload(opencl BASE device_clock elf_file recorder_symbols)
