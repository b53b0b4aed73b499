# libpitwall-alloc.so counts allocations; it is preloaded. It is separate from libpitwall, and nothing is
# linked with it.

if(PITWALL_FUZZ)
    return()
endif()

file(GLOB alloc_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/alloc/*.c)
add_library(pitwall_alloc MODULE ${alloc_sources})
set_target_properties(pitwall_alloc PROPERTIES OUTPUT_NAME pitwall-alloc
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_include_directories(pitwall_alloc PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_alloc PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
# The compiler must not turn malloc and memset into calloc, nor remove a pair of malloc and free.
target_compile_options(pitwall_alloc PRIVATE -fno-builtin-malloc -fno-builtin-calloc
    -fno-builtin-realloc -fno-builtin-free -fno-builtin-aligned_alloc)
# It is never unloaded, because its functions run until the last allocation. All its symbols are bound at
# start, so that no call has to look one up.
target_link_options(pitwall_alloc PRIVATE -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined)

# Never built with a sanitizer, which has its own malloc that must come first. Its parts run under
# sanitizers in tests/unit/test_leak_set.c.
function(pitwall_own_without_sanitizer target)
    set(pitwall_sanitize_flags "")
    pitwall_own(${target})
endfunction()
pitwall_own_without_sanitizer(pitwall_alloc)

add_dependencies(installed pitwall_alloc)
add_dependencies(preloads pitwall_alloc)
install(TARGETS pitwall_alloc LIBRARY DESTINATION ${PITWALL_PRELOAD_DIR})
