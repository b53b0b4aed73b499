# libpitwall-alloc.so, the library to preload that counts allocations. It is no part of libpitwall,
# and nothing is linked to it.

if(PITWALL_FUZZ)
    return()
endif()

file(GLOB alloc_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/alloc/*.c)
add_library(pitwall_alloc MODULE ${alloc_sources})
set_target_properties(pitwall_alloc PROPERTIES OUTPUT_NAME pitwall-alloc
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_include_directories(pitwall_alloc PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_alloc PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
# The compiler may not make a call of malloc and memset into one of calloc, nor drop a pair of them.
target_compile_options(pitwall_alloc PRIVATE -fno-builtin-malloc -fno-builtin-calloc
    -fno-builtin-realloc -fno-builtin-free -fno-builtin-aligned_alloc)
# Its functions run from the first allocation to the last; and all its symbols are bound at the
# start, so that no call of it has to look one up.
target_link_options(pitwall_alloc PRIVATE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined)

# A sanitizer has a malloc of its own, which must stand first: this library is never built with
# one. Its parts are, in tests/unit/test_leak_set.c.
function(pitwall_own_without_sanitizer target)
    set(pitwall_sanitize_flags "")
    pitwall_own(${target})
endfunction()
pitwall_own_without_sanitizer(pitwall_alloc)

add_dependencies(installed pitwall_alloc)
install(TARGETS pitwall_alloc LIBRARY DESTINATION ${PITWALL_PRELOAD_DIR})
