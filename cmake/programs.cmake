# The tool, the examples, the benchmarks, the tests and the fuzzers.

set(PITWALL_LEAVE_OUT "" CACHE STRING "Programs that are not built: names without .c")
mark_as_advanced(PITWALL_LEAVE_OUT)

# pitwall_programs(FOLDER folder PROGRAMS pattern INTO folder [PREFIX name] [GATHER target]
#                  LINK targets… [INCLUDE folders…] [FLAGS link options…] [COMPILE options…])
# Every file of the folder that matches the pattern is a program; the other .c files are helpers that all of
# them share, compiled once. GATHER names a target that builds all of these programs.
function(pitwall_programs)
    cmake_parse_arguments(p "" "FOLDER;PROGRAMS;INTO;PREFIX;GATHER" "LINK;INCLUDE;FLAGS;COMPILE" ${ARGN})
    file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${p_FOLDER}/${p_PROGRAMS})
    file(GLOB helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${p_FOLDER}/*.c)
    list(REMOVE_ITEM helpers "" ${programs})
    foreach(name ${PITWALL_LEAVE_OUT})
        list(REMOVE_ITEM programs ${PROJECT_SOURCE_DIR}/${p_FOLDER}/${name}.c)
    endforeach()
    set(shared "")
    if(helpers)
        string(MAKE_C_IDENTIFIER ${p_FOLDER}_helpers shared_target)
        add_library(${shared_target} OBJECT ${helpers})
        target_include_directories(${shared_target} PRIVATE ${p_INCLUDE})
        target_link_libraries(${shared_target} PRIVATE ${p_LINK})
        pitwall_own(${shared_target})
        set(shared $<TARGET_OBJECTS:${shared_target}>)
    endif()
    if(p_GATHER)
        add_custom_target(${p_GATHER})
    endif()
    foreach(source ${programs})
        get_filename_component(name ${source} NAME_WE)
        set(target ${p_PREFIX}${name})
        add_executable(${target} ${source} ${shared})
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${p_INTO}
            BUILD_RPATH_USE_ORIGIN ON)
        target_include_directories(${target} PRIVATE ${p_INCLUDE})
        target_link_options(${target} PRIVATE ${p_FLAGS})
        target_link_libraries(${target} PRIVATE ${p_LINK} Threads::Threads m ${CMAKE_DL_LIBS})
        pitwall_own(${target})
        target_compile_options(${target} PRIVATE ${p_COMPILE})
        if(p_GATHER)
            add_dependencies(${p_GATHER} ${target})
        endif()
    endforeach()
endfunction()

set(inside ${PROJECT_SOURCE_DIR}/src)

if(PITWALL_FUZZ)
    pitwall_programs(FOLDER tests/fuzz PROGRAMS fuzz_*.c INTO tests LINK pitwall_static
                     INCLUDE ${inside} FLAGS -fsanitize=fuzzer)
    return()
endif()

if(PITWALL_PROGRAMS)
    pitwall_programs(FOLDER tests/unit PROGRAMS test_*.c INTO tests GATHER unit_tests
                     LINK pitwall_static INCLUDE ${inside} COMPILE ${PITWALL_TEST_FLAGS})
endif()
if(PITWALL_STATIC_ONLY)
    return()
endif()

include(cmake/tool.cmake)
if(NOT PITWALL_PROGRAMS)
    return()
endif()

# The examples use the shared library, like user programs.
pitwall_programs(FOLDER examples PROGRAMS *.c INTO examples PREFIX example_ LINK pitwall)
if(TARGET pitwall_tool AND NOT pitwall_sanitize_flags)
    add_custom_target(demo_programs DEPENDS pitwall_tool pitwall_mpi example_fitting example_rom
        example_decoding example_heat) # what scripts/demo.sh runs
endif()
# Nothing is measured in a sanitizer build.
if(NOT pitwall_sanitize_flags)
    pitwall_programs(FOLDER bench PROGRAMS bench_*.c INTO bench LINK pitwall_static
                     INCLUDE ${inside})
    # Programs with a planted problem, linked as a user would; bench/planted.py runs them.
    pitwall_programs(FOLDER tests/planted PROGRAMS *.c INTO planted PREFIX planted_
                     GATHER planted_programs LINK pitwall)
    # The main figures are measured in a program that is linked like user programs.
    set_property(TARGET bench_span PROPERTY LINK_LIBRARIES pitwall Threads::Threads m)
    # The training of two examples, compiled twice with and twice without spans: bench_examples measures the
    # cost of the spans.
    foreach(copy spans plain spans_2 plain_2)
        add_library(steps_${copy} OBJECT ${PROJECT_SOURCE_DIR}/bench/steps/fitting_steps.c
                                         ${PROJECT_SOURCE_DIR}/bench/steps/rom_steps.c)
        target_compile_definitions(steps_${copy} PRIVATE STEPS_COPY=${copy})
        if(copy MATCHES "plain")
            target_compile_options(steps_${copy} PRIVATE
                -include ${PROJECT_SOURCE_DIR}/bench/without_spans.h)
        endif()
        target_link_libraries(steps_${copy} PRIVATE pitwall_static)
        pitwall_own(steps_${copy})
        target_link_libraries(bench_examples PRIVATE steps_${copy})
    endforeach()
endif()
pitwall_programs(FOLDER tests/system PROGRAMS prog_*.c INTO tests LINK pitwall_static
                 INCLUDE ${inside})

# The library with additional sampler sources from tests/sources, as PITWALL_EXTRA_SOURCES adds them, and a
# program that uses it. Only the list and those files are compiled.
file(GLOB extra_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/sources/*.c)
list(FILTER extra_sources EXCLUDE REGEX "/prog_")
pitwall_source_list(extra_source_list ${extra_sources})
add_library(pitwall_extra STATIC $<TARGET_OBJECTS:pitwall_objects>
                                 $<TARGET_OBJECTS:extra_source_list>)
set_target_properties(pitwall_extra PROPERTIES LINKER_LANGUAGE C)
add_executable(prog_extra_source ${PROJECT_SOURCE_DIR}/tests/sources/prog_extra_source.c)
set_target_properties(prog_extra_source PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_include_directories(prog_extra_source PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(prog_extra_source PRIVATE pitwall_extra Threads::Threads m)
pitwall_own(prog_extra_source)
