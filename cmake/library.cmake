# libpitwall, shared (pitwall::pitwall) and static (pitwall::pitwall_static), from the same
# objects: those are position independent, so the static library fits into a shared one too.

set(pitwall_layers format recorder reader analysis report views monitor)
set(pitwall_globs ${pitwall_layers})
list(TRANSFORM pitwall_globs REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.c")
file(GLOB pitwall_sources CONFIGURE_DEPENDS ${pitwall_globs})

add_library(pitwall_objects OBJECT ${pitwall_sources})
set_target_properties(pitwall_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(pitwall_objects PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                   ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pitwall_objects PRIVATE Threads::Threads)
pitwall_own(pitwall_objects)

add_library(pitwall SHARED $<TARGET_OBJECTS:pitwall_objects>)
add_library(pitwall_static STATIC $<TARGET_OBJECTS:pitwall_objects>)
add_library(pitwall::pitwall ALIAS pitwall)
add_library(pitwall::pitwall_static ALIAS pitwall_static)

foreach(target pitwall pitwall_static)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME pitwall LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE Threads::Threads m)
endforeach()

set_target_properties(pitwall PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
# A thread that ends after dlclose would run into code that is gone: the library stays loaded.
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
