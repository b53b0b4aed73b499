# Copies the package's Python files from FROM to TO; run by the target python.

cmake_minimum_required(VERSION 3.18)

file(GLOB now RELATIVE ${TO} ${TO}/*.py ${TO}/*.pyi)
file(GLOB wanted RELATIVE ${FROM} ${FROM}/*.py ${FROM}/*.pyi ${FROM}/py.typed)
foreach(name ${now})
    if(NOT name IN_LIST wanted)
        file(REMOVE ${TO}/${name})
    endif()
endforeach()
foreach(name ${wanted})
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${FROM}/${name} ${TO}/${name}
                    RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "cannot copy ${FROM}/${name}")
    endif()
endforeach()
