# The files of `make install`: headers, libraries, tool, licence, completion, man pages, pkg-config
# file, CMake package. The target `installed` builds only these.

include(CMakePackageConfigHelpers)

install(FILES include/pitwall.h include/pitwall_report.h include/pitwall_bench.h
        include/pitwall_fields.h include/pitwall_ranks.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(skip_link "")
if(PITWALL_NO_SYMLINKS) # for the linker, a text that names the library does as well as a link
    set(skip_link NAMELINK_SKIP)
    file(WRITE ${PROJECT_BINARY_DIR}/generated/libpitwall.so "INPUT(libpitwall.so.0)\n")
    install(FILES ${PROJECT_BINARY_DIR}/generated/libpitwall.so
            DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS pitwall pitwall_static EXPORT pitwall_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${skip_link}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
add_dependencies(installed pitwall pitwall_static)
if(TARGET pitwall_tool)
    install(TARGETS pitwall_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    add_dependencies(installed pitwall_tool)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Completion for the two shells, and man pages, generated from docs/ and the help texts.
install(FILES completions/pitwall.bash RENAME pitwall
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_pitwall DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
find_program(PITWALL_PAGES_PYTHON python3 REQUIRED)
mark_as_advanced(PITWALL_PAGES_PYTHON)
file(GLOB page_sources CONFIGURE_DEPENDS docs/*.md src/cli/cmd_*.c)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man/pitwall.1
    COMMAND ${PITWALL_PAGES_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/man_pages.py
            ${PROJECT_BINARY_DIR}/man
    DEPENDS scripts/man_pages.py README.md src/cli/cli.h include/pitwall.h ${page_sources}
    COMMENT "Making the man pages" VERBATIM)
add_custom_target(man ALL DEPENDS ${PROJECT_BINARY_DIR}/man/pitwall.1)
add_dependencies(installed man)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        FILES_MATCHING PATTERN "*.1")

# The pkg-config file computes its prefix from its own path, so a tree under DESTDIR or a moved tree works.
# With an absolute library folder it cannot be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
    set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
    file(RELATIVE_PATH up "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/pitwall.pc.in ${PROJECT_BINARY_DIR}/pitwall.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pitwall.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pitwall)
configure_package_config_file(cmake/pitwall-config.cmake.in
    ${PROJECT_BINARY_DIR}/pitwall-config.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pitwall-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pitwall-config.cmake
              ${PROJECT_BINARY_DIR}/pitwall-config-version.cmake DESTINATION ${package_dir})
install(EXPORT pitwall_targets NAMESPACE pitwall:: FILE pitwall-targets.cmake
        DESTINATION ${package_dir})
