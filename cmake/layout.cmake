# Install folders below the prefix, in addition to those of GNUInstallDirs. A wheel and a
# Debian package set them; the tool finds its parts relative to its own folder.

set(PITWALL_PYTHON_DIR ${CMAKE_INSTALL_LIBDIR}/pitwall/python CACHE STRING
    "The folder that the Python package is installed in")
set(PITWALL_PYTHON_RPATH "$ORIGIN" CACHE STRING
    "Where the Python extension looks for libpitwall.so.0; with $ORIGIN a copy is installed beside it")
set(PITWALL_PRELOAD_DIR ${CMAKE_INSTALL_LIBDIR} CACHE STRING
    "The folder of the libraries to preload")
option(PITWALL_NO_SYMLINKS "Install no symbolic links, which a wheel cannot hold" OFF)
mark_as_advanced(PITWALL_PYTHON_DIR PITWALL_PYTHON_RPATH PITWALL_PRELOAD_DIR PITWALL_NO_SYMLINKS)

# pitwall_from_tool(VARIABLE FOLDER): the relative path from the tool's folder to FOLDER.
function(pitwall_from_tool variable folder)
    if(IS_ABSOLUTE "${folder}")
        set(way "${folder}")
    else()
        get_filename_component(to "/p/${folder}" ABSOLUTE)
        file(RELATIVE_PATH way "/p/${CMAKE_INSTALL_BINDIR}" "${to}")
        string(REGEX REPLACE "/$" "" way "${way}")
    endif()
    set(${variable} "${way}" PARENT_SCOPE)
endfunction()
