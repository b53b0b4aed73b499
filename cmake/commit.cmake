# The commit for `pitwall --version`: from the file COMMIT that `make wheel` and `make deb` put into the
# exported sources, from git, or from archive_commit.txt, which `git archive` fills in. Empty if all
# are missing.

set(pitwall_commit "")
if(EXISTS ${PROJECT_SOURCE_DIR}/COMMIT)
    file(STRINGS ${PROJECT_SOURCE_DIR}/COMMIT pitwall_commit LIMIT_COUNT 1 REGEX "^[0-9a-f]+(-dirty)?$")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND git describe --always --dirty --exclude * --abbrev=12
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE pitwall_commit
        OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(failed)
        set(pitwall_commit "")
    endif()
elseif(EXISTS ${PROJECT_SOURCE_DIR}/cmake/archive_commit.txt)
    file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/archive_commit.txt pitwall_commit LIMIT_COUNT 1 REGEX "^[0-9a-f]+$")
    if(pitwall_commit)
        string(SUBSTRING ${pitwall_commit} 0 12 pitwall_commit)
    endif()
endif()
