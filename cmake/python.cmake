# The Python extension, put into build/python/pitwall/ with the package's Python files and a copy of the
# shared library: `import pitwall` requires only build/python on PYTHONPATH.
#
# It is built for PITWALL_PYTHON, by default the system's python3. Without Python's headers, and in
# cross builds, the extension is left out.

option(PITWALL_PYTHON_REQUIRED "Fail where Python's headers are missing" OFF)
find_program(PITWALL_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PITWALL_PYTHON python3)
mark_as_advanced(PITWALL_PYTHON)

if(CMAKE_CROSSCOMPILING OR NOT PITWALL_PYTHON)
    return()
endif()
execute_process(COMMAND ${PITWALL_PYTHON} -c "import sysconfig
print(sysconfig.get_paths()['include'], sysconfig.get_config_var('EXT_SUFFIX'),
      'python' + sysconfig.get_python_version(), sep=';')"
    OUTPUT_VARIABLE python_facts OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE python_failed)
if(NOT python_failed)
    list(GET python_facts 0 python_include)
    list(GET python_facts 1 python_suffix)
    list(GET python_facts 2 python_folder_name)
endif()
if(python_failed OR NOT EXISTS "${python_include}/Python.h")
    if(PITWALL_PYTHON_REQUIRED)
        message(FATAL_ERROR "no Python.h for ${PITWALL_PYTHON}")
    endif()
    message(WARNING "no Python.h for ${PITWALL_PYTHON}: the Python extension is left out "
                    "(scripts/setup.sh build installs it)")
    return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/*.c)
set(python_folder ${PROJECT_BINARY_DIR}/python/pitwall)
add_library(pitwall_python MODULE ${python_sources})
set_target_properties(pitwall_python PROPERTIES PREFIX "" OUTPUT_NAME "_pitwall"
    SUFFIX "${python_suffix}" LIBRARY_OUTPUT_DIRECTORY ${python_folder}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${PITWALL_PYTHON_RPATH}")
target_include_directories(pitwall_python SYSTEM PRIVATE ${python_include})
# The shared library, never the static one: a process has one recorder.
target_link_libraries(pitwall_python PRIVATE pitwall Threads::Threads m)
pitwall_own(pitwall_python)
# Call through the table of addresses without a stub: fewer cache lines, which are cold between spans.
target_compile_options(pitwall_python PRIVATE -fno-plt ${PITWALL_PRINT_FLAGS})
target_link_options(pitwall_python PRIVATE -Wl,-z,now)

# The Python files are copied at every build; files deleted from the tree are deleted from the build. They are
# compiled, because most programs of the tests must not write files, and would compile them again.
add_custom_target(python ALL
    COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/python/pitwall -DTO=${python_folder}
            -P ${PROJECT_SOURCE_DIR}/cmake/python_files.cmake
    COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/python/auto -DTO=${python_folder}/auto
            -P ${PROJECT_SOURCE_DIR}/cmake/python_files.cmake
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:pitwall>
            ${python_folder}/$<TARGET_SONAME_FILE_NAME:pitwall>
    COMMAND ${PITWALL_PYTHON} -m compileall -q ${python_folder}
    DEPENDS pitwall_python pitwall VERBATIM)

# `pitwall run` finds the package, and the sitecustomize in it, relative to the tool.
set(python_install ${PITWALL_PYTHON_DIR}/pitwall)
install(TARGETS pitwall_python LIBRARY DESTINATION ${python_install})
if(PITWALL_PYTHON_RPATH STREQUAL "$ORIGIN")
    install(FILES $<TARGET_FILE:pitwall> DESTINATION ${python_install}
            RENAME $<TARGET_SONAME_FILE_NAME:pitwall>)
endif()
install(DIRECTORY python/pitwall/ DESTINATION ${python_install}
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
install(DIRECTORY python/auto DESTINATION ${python_install} FILES_MATCHING PATTERN "*.py")

add_dependencies(installed pitwall_python)

# The command of a wheel, which starts the tool inside the package.
option(PITWALL_LAUNCHER "Build the command that starts the tool of an installed wheel" OFF)
mark_as_advanced(PITWALL_LAUNCHER)
if(PITWALL_LAUNCHER)
    add_executable(pitwall_launcher ${PROJECT_SOURCE_DIR}/python/launcher/tool_launcher.c)
    target_compile_definitions(pitwall_launcher PRIVATE PYTHON_FOLDER="${python_folder_name}")
    pitwall_own(pitwall_launcher)
    install(TARGETS pitwall_launcher RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    add_dependencies(installed pitwall_launcher)
endif()

if(NOT PITWALL_PROGRAMS)
    return()
endif()
# The floor of the Python benchmark: a `with` that does nothing.
add_library(bench_empty_with MODULE ${PROJECT_SOURCE_DIR}/bench/python/empty_with.c)
set_target_properties(bench_empty_with PROPERTIES PREFIX "" OUTPUT_NAME "empty_with"
    SUFFIX "${python_suffix}" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
target_include_directories(bench_empty_with SYSTEM PRIVATE ${python_include})
pitwall_own(bench_empty_with)
