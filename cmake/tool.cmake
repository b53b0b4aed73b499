# The tool, build/bin/pitwall. Only the tool uses libraries beyond libc. If they are missing, the
# tool is left out of cross builds and of builds that do not require it (`pip install .`).

option(PITWALL_STATIC_TOOL "Prefer the static form of the libraries that the tool uses" OFF)
mark_as_advanced(PITWALL_STATIC_TOOL)
set(usual_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(PITWALL_STATIC_TOOL)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()

set(tool_libraries "")
set(tool_lacks "")
foreach(library z:zlib.h zstd:zstd.h yaml:yaml.h jansson:jansson.h ncursesw:ncurses.h)
    string(REPLACE ":" ";" library ${library})
    list(GET library 0 name)
    list(GET library 1 header)
    find_library(PITWALL_LIB_${name} ${name})
    find_path(PITWALL_HEADER_${name} ${header})
    mark_as_advanced(PITWALL_LIB_${name} PITWALL_HEADER_${name})
    if(PITWALL_LIB_${name} AND PITWALL_HEADER_${name})
        list(APPEND tool_libraries ${PITWALL_LIB_${name}})
    else()
        list(APPEND tool_lacks ${name})
    endif()
endforeach()
if(PITWALL_LIB_ncursesw MATCHES "\\.a$") # on some systems half of it is a separate library, tinfo
    find_library(PITWALL_LIB_tinfo tinfo)
    mark_as_advanced(PITWALL_LIB_tinfo)
    if(PITWALL_LIB_tinfo)
        list(APPEND tool_libraries ${PITWALL_LIB_tinfo})
    endif()
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES ${usual_suffixes})

if(tool_lacks)
    string(REPLACE ";" ", " lacks "${tool_lacks}")
    if(PITWALL_TOOL_REQUIRED AND NOT CMAKE_CROSSCOMPILING)
        message(FATAL_ERROR "pitwall, the tool, needs these libraries and their headers: ${lacks} "
                            "(scripts/setup.sh build installs them)")
    endif()
    message(WARNING "the tool is left out: missing libraries or headers: ${lacks}")
    return()
endif()

# The commit, in a separate file: a new commit then compiles only this one.
include(cmake/commit.cmake)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/tool_commit.c @ONLY CONTENT
"/* Made by cmake/tool.cmake. */
#include \"cli/cli.h\"

const char tool_commit[] = \"@pitwall_commit@\";
")

file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.c)
add_executable(pitwall_tool ${tool_sources} ${PROJECT_BINARY_DIR}/generated/tool_commit.c)
set_target_properties(pitwall_tool PROPERTIES OUTPUT_NAME pitwall
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_include_directories(pitwall_tool PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_tool PRIVATE pitwall_static ${tool_libraries} Threads::Threads m
                                           ${CMAKE_DL_LIBS})
# Where the tool finds its libraries, headers and Python files, relative to its own folder.
pitwall_from_tool(to_lib "${CMAKE_INSTALL_LIBDIR}")
pitwall_from_tool(to_include "${CMAKE_INSTALL_INCLUDEDIR}")
pitwall_from_tool(to_preloads "${PITWALL_PRELOAD_DIR}")
pitwall_from_tool(to_python "${PITWALL_PYTHON_DIR}")
target_compile_definitions(pitwall_tool PRIVATE PITWALL_LIBDIR="${to_lib}"
    PITWALL_INCLUDEDIR="${to_include}" PITWALL_PRELOADS="${to_preloads}"
    PITWALL_PYTHON="${to_python}")
pitwall_own(pitwall_tool)
target_compile_options(pitwall_tool PRIVATE ${PITWALL_PRINT_FLAGS})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)

# A package with a statically linked library must include its licence.
if(PITWALL_STATIC_TOOL)
    foreach(package zlib1g-dev libzstd-dev libyaml-dev libjansson-dev libncurses-dev
                    libmicrohttpd-dev)
        if(EXISTS /usr/share/doc/${package}/copyright)
            install(FILES /usr/share/doc/${package}/copyright
                    DESTINATION ${CMAKE_INSTALL_DOCDIR}/third-party RENAME ${package})
        endif()
    endforeach()
endif()

# The tool loads the server's library on demand. In a wheel it is linked in: the system's static library,
# without encryption, which the server does not use.
option(PITWALL_OWN_HTTPD "Link libmicrohttpd.a into the tool" OFF)
mark_as_advanced(PITWALL_OWN_HTTPD)
if(PITWALL_OWN_HTTPD)
    find_library(PITWALL_LIB_microhttpd libmicrohttpd.a REQUIRED)
    mark_as_advanced(PITWALL_LIB_microhttpd)
    set(httpd ${PROJECT_SOURCE_DIR}/python/launcher)
    target_sources(pitwall_tool PRIVATE ${httpd}/httpd_without_tls.c)
    target_compile_definitions(pitwall_tool PRIVATE PITWALL_OWN_HTTPD)
    target_link_options(pitwall_tool PRIVATE -Wl,--dynamic-list=${httpd}/httpd.list)
    target_link_libraries(pitwall_tool PRIVATE -Wl,--whole-archive ${PITWALL_LIB_microhttpd}
                                               -Wl,--no-whole-archive)
endif()
