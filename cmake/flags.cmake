# Compiler flags for our own C code: pitwall_own(target) applies them to a target.

set(pitwall_warnings -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wconversion
                     -Wstrict-prototypes)
option(PITWALL_WARNINGS "Let the compiler look for warnings" ON)
mark_as_advanced(PITWALL_WARNINGS)
if(NOT PITWALL_WARNINGS)
    set(pitwall_warnings "")
elseif(PITWALL_WERROR)
    list(APPEND pitwall_warnings -Werror)
endif()

# Half the time of a sanitizer build goes into optimising code that is fast anyway. tests/run.py switches
# optimisation off for these files.
set(PITWALL_TEST_FLAGS "" CACHE STRING "More flags for the programs of tests/unit")
set(PITWALL_PRINT_FLAGS "" CACHE STRING
    "More flags for what prints: views, exports, monitors, the tool, the Python extension")
set(PITWALL_QUICK_FOLDERS "" CACHE STRING "More folders of src/ that get PITWALL_PRINT_FLAGS")
mark_as_advanced(PITWALL_QUICK_FOLDERS)

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
    # Defined with an empty value, so that a file may #define it too.
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE=)
    target_compile_options(${target} PRIVATE ${pitwall_warnings} ${pitwall_sanitize_flags})
    if(pitwall_sanitize_flags)
        # A sanitizer build keeps the asserts.
        target_compile_options(${target} PRIVATE -UNDEBUG)
        target_link_options(${target} PRIVATE ${pitwall_sanitize_flags})
    endif()
endfunction()
