# The libraries to preload, copied from another build. They are the same in a sanitizer build, because a
# library to preload is never built with a sanitizer. tests/run.py builds them once.

file(GLOB preloads ${PITWALL_PRELOADS_FROM}/lib/libpitwall-*.so)
if(NOT preloads)
    message(FATAL_ERROR "PITWALL_PRELOADS_FROM: no libraries in ${PITWALL_PRELOADS_FROM}/lib")
endif()
file(COPY ${preloads} DESTINATION ${PROJECT_BINARY_DIR}/lib)
foreach(file ${preloads})
    string(REGEX REPLACE ".*/libpitwall-(.*)\\.so$" "pitwall_\\1" target ${file})
    add_custom_target(${target})
endforeach()
