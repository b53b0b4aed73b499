# libpitwall, shared (pitwall::pitwall) and static (pitwall::pitwall_static), from the same
# objects, which are position independent: the static library can be linked into a shared one.

set(pitwall_layers base format device recorder reader analysis report model compare logs views assets
    exports monitor)
set(pitwall_globs ${pitwall_layers})
list(TRANSFORM pitwall_globs REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.c")
file(GLOB pitwall_sources CONFIGURE_DEPENDS ${pitwall_globs})
file(GLOB pitwall_sample_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/recorder/sources/*.c)

# The packaging tests reuse objects that were built before and compile only what differs.
set(PITWALL_OBJECTS_FROM "" CACHE PATH "A build whose objects of the libraries are linked, not compiled")
mark_as_advanced(PITWALL_OBJECTS_FROM)

# pitwall_objects_of(TARGET VARIABLE FILE…): the objects of the target in that build.
function(pitwall_objects_of target variable)
    set(objects "")
    foreach(file ${ARGN})
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
        list(APPEND objects ${PITWALL_OBJECTS_FROM}/CMakeFiles/${target}.dir/${name}.o)
    endforeach()
    set(${variable} "${objects}" PARENT_SCOPE)
endfunction()

if(PITWALL_OBJECTS_FROM)
    pitwall_objects_of(pitwall_objects objects ${pitwall_sources} ${pitwall_sample_sources})
    add_library(pitwall_objects OBJECT IMPORTED GLOBAL)
    set_target_properties(pitwall_objects PROPERTIES IMPORTED_OBJECTS "${objects}")
else()
    add_library(pitwall_objects OBJECT ${pitwall_sources} ${pitwall_sample_sources})
    set_target_properties(pitwall_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(pitwall_objects PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                       ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(pitwall_objects PRIVATE Threads::Threads)
    pitwall_own(pitwall_objects)
endif()
if(PITWALL_PRINT_FLAGS)
    set(printing ${pitwall_sources} ${pitwall_sample_sources})
    set(folders report compare views assets exports monitor ${PITWALL_QUICK_FOLDERS})
    list(JOIN folders "|" folders)
    list(FILTER printing INCLUDE REGEX "/src/(${folders})/")
    set_property(SOURCE ${printing} APPEND PROPERTY COMPILE_OPTIONS ${PITWALL_PRINT_FLAGS})
endif()

# The sampler's sources: each file NAME.c of src/recorder/sources defines pit__source_NAME. No other
# file refers to these names, and a linker takes from the static library only objects that are referred
# to, so the list of them is generated here.
set(PITWALL_EXTRA_SOURCES "" CACHE STRING "Files with more sources for the sampler")

# pitwall_source_list(TARGET [FILE…]): objects of these files, and of a list of all sources including them.
function(pitwall_source_list target)
    set(declared "")
    set(listed "")
    set(count 0)
    foreach(file ${pitwall_sample_sources} ${ARGN})
        get_filename_component(name ${file} NAME_WE)
        string(APPEND declared "extern const struct pit__sample_source pit__source_${name};\n")
        string(APPEND listed "    &pit__source_${name},\n")
        math(EXPR count "${count} + 1")
    endforeach()
    set(list ${PROJECT_BINARY_DIR}/generated/${target}.c)
    file(CONFIGURE OUTPUT ${list} @ONLY CONTENT "/* Made by cmake/library.cmake. */
#include \"recorder/sample_source.h\"

_Static_assert(@count@ <= PIT__SOURCES_MAX, \"room for all sources\");

@declared@
const struct pit__sample_source *const pit__source_list[] = {
@listed@    NULL};
")
    add_library(${target} OBJECT ${list} ${ARGN})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                 ${PROJECT_SOURCE_DIR}/src)
    pitwall_own(${target})
endfunction()
pitwall_source_list(pitwall_source_list ${PITWALL_EXTRA_SOURCES})

# The web page: the files of web/ are embedded without comments and blanks, with their sizes and hashes.
find_program(PITWALL_ASSETS_PYTHON python3 REQUIRED)
mark_as_advanced(PITWALL_ASSETS_PYTHON)
file(GLOB pitwall_assets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.html
     ${PROJECT_SOURCE_DIR}/web/*.css ${PROJECT_SOURCE_DIR}/web/*.js
     ${PROJECT_SOURCE_DIR}/web/vendor/uplot/*)
set(list ${PROJECT_BINARY_DIR}/generated/pitwall_asset_list.c)
add_custom_command(OUTPUT ${list}
    COMMAND ${PITWALL_ASSETS_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/page_assets.py
            ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated
    DEPENDS ${pitwall_assets} ${PROJECT_SOURCE_DIR}/scripts/page_assets.py
            ${PROJECT_SOURCE_DIR}/src/assets/asset_list.c.in
    COMMENT "Taking comments and blanks out of the page" VERBATIM)
add_library(pitwall_asset_list OBJECT ${list})
set_target_properties(pitwall_asset_list PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(pitwall_asset_list PRIVATE ${PROJECT_SOURCE_DIR}/src)
pitwall_own(pitwall_asset_list)

set(pitwall_all_objects $<TARGET_OBJECTS:pitwall_objects> $<TARGET_OBJECTS:pitwall_source_list>
                        $<TARGET_OBJECTS:pitwall_asset_list>)
add_library(pitwall SHARED ${pitwall_all_objects})
add_library(pitwall_static STATIC ${pitwall_all_objects})
add_library(pitwall::pitwall ALIAS pitwall)
add_library(pitwall::pitwall_static ALIAS pitwall_static)

foreach(target pitwall pitwall_static)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME pitwall LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE Threads::Threads m)
endforeach()

set_target_properties(pitwall PROPERTIES SOVERSION 0)
if(NOT PITWALL_NO_SYMLINKS)
    set_target_properties(pitwall PROPERTIES VERSION ${PROJECT_VERSION})
endif()
# The library is never unloaded: a thread that ends after dlclose would run unmapped code.
target_link_options(pitwall PRIVATE -Wl,-z,nodelete)
if(pitwall_sanitize_flags)
    target_link_options(pitwall PRIVATE ${pitwall_sanitize_flags})
else()
    target_link_options(pitwall PRIVATE -Wl,--no-undefined)
endif()

if(pitwall_top_level)
    set_target_properties(pitwall pitwall_static PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()
