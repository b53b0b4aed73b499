# How our own C code is compiled: pitwall_own(target) puts all of it on a target.

set(pitwall_warnings -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wconversion
                     -Wstrict-prototypes)
if(PITWALL_WERROR)
    list(APPEND pitwall_warnings -Werror)
endif()

# Half of the time of a build that looks for mistakes goes into optimising what takes no time when it runs:
# tests/run.py turns it off for these.
set(PITWALL_TEST_FLAGS "" CACHE STRING "More flags for the programs of tests/unit")
set(PITWALL_PRINT_FLAGS "" CACHE STRING
    "More flags for what prints: views, exports, monitors, the tool, the Python extension")

set(pitwall_sanitize_flags "")
if(PITWALL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "PITWALL_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    set(pitwall_sanitize_flags -fsanitize=fuzzer-no-link,address,undefined)
elseif(PITWALL_SANITIZE)
    if(NOT PITWALL_SANITIZE MATCHES "^(address|undefined|thread|address,undefined)$")
        message(FATAL_ERROR "PITWALL_SANITIZE=${PITWALL_SANITIZE} is none of address, undefined, "
                            "thread and address,undefined")
    endif()
    set(pitwall_sanitize_flags -fsanitize=${PITWALL_SANITIZE})
endif()
if(pitwall_sanitize_flags)
    list(APPEND pitwall_sanitize_flags -fno-omit-frame-pointer -fno-sanitize-recover=all)
endif()

function(pitwall_own target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
    # Written with an empty value, so that a file that has its own #define of it is no clash.
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE=)
    target_compile_options(${target} PRIVATE ${pitwall_warnings} ${pitwall_sanitize_flags})
    if(pitwall_sanitize_flags)
        # A build that looks for mistakes keeps the asserts.
        target_compile_options(${target} PRIVATE -UNDEBUG)
        target_link_options(${target} PRIVATE ${pitwall_sanitize_flags})
    endif()
endfunction()
