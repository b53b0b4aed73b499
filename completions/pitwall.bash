# Completion of the command pitwall for bash.
#
# All lists come from the tool itself: commands from `pitwall --help`, options and their values from
# `pitwall COMMAND --help`, and so are views and formats.

# The options of a command, one per line, followed by their values: "--sort KEY total self". In a help
# text an option follows two spaces, and two more spaces end it. For a KEY, the text after it lists the
# values.
_pitwall_options() {
    "$1" "$2" --help 2>/dev/null | awk '
        /^  -/ {
            line = substr($0, 3)
            gap = match(line, /  +/)
            words = gap ? substr(line, gap + RLENGTH) : ""
            if (gap)
                line = substr(line, 1, gap - 1)
            count = split(line, options, /, /)
            split(options[count], last, " ")
            value = last[2]
            if (value == "KEY" || value == "WORD") {
                sub(/^[^:]*: /, "", words)
                sub(/ *\(.*/, "", words)
                gsub(/,|;.*/, "", words)
                sub(/ or /, " ", words)
                value = value " " words
            }
            for (i = 1; i <= count; i++) {
                split(options[i], one, " ")
                print one[1] (value ? " " value : "")
            }
        }'
}

# The output of compgen, one name per line; blanks in names are kept.
_pitwall_reply() {
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$@")
}

_pitwall_files() { # runs and folders, or files that end as one of the arguments says
    local word=$1 pattern file
    shift
    _pitwall_reply -d -- "$word"
    for pattern in "$@"; do
        while IFS= read -r file; do
            [[ $file == *$pattern && ! -d $file ]] && COMPREPLY+=("$file")
        done < <(compgen -f -- "$word")
    done
    compopt -o filenames 2>/dev/null
}

# The values of an option. Arguments: the option, its placeholder and the words of the help text.
_pitwall_value() {
    local tool=$1 option=$2 word=$3 placeholder=$4 words=$5
    case $option:$placeholder in
    --view:*) words=$("$tool" report --view help 2>/dev/null | awk '{ print $1 }') ;;
    --format:*) words=$("$tool" export --format help 2>/dev/null | awk '{ print $1 }') ;;
    *:DIR) _pitwall_files "$word" && return ;;
    *:FILE | *:RUN) _pitwall_files "$word" '' && return ;;
    *:SHELL) words="none bash sh dash zsh" ;;
    *:CMD) _pitwall_reply -c -- "$word" && return ;;
    esac
    _pitwall_reply -W "$words" -- "$word"
}

_pitwall_arguments() {
    local command=$1 word=$2
    case $command in
    log) _pitwall_files "$word" '' ;;
    doctor) _pitwall_files "$word" ;;
    compare | diff) _pitwall_files "$word" .pit .json ;;
    race) _pitwall_reply -c -- "$word" ;;
    *) _pitwall_files "$word" .pit ;;
    esac
}

_pitwall() {
    local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} i option placeholder words
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words=$("$tool" --help 2>/dev/null | awk '/^  / { print $1 }')
        _pitwall_reply -W "$words" -- "$word"
        return
    fi
    # Behind the options of `run` a program stands, and what it takes is its own.
    if [[ $command == run ]]; then
        for ((i = 2; i < COMP_CWORD; i++)); do
            [[ ${COMP_WORDS[i]} == -- ]] || continue
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            elif ((COMP_CWORD == i + 1)); then
                _pitwall_reply -c -- "$word"
            else
                _pitwall_reply -f -- "$word"
            fi
            return
        done
    fi
    local all=()
    mapfile -t all < <(_pitwall_options "$tool" "$command")
    for option in "${all[@]}"; do
        read -r option placeholder words <<<"$option"
        if [[ $option == "$before" && -n $placeholder ]]; then
            _pitwall_value "$tool" "$option" "$word" "$placeholder" "$words"
            return
        fi
    done
    if [[ $word == -* ]]; then
        _pitwall_reply -W "${all[*]%% *}" -- "$word"
    elif [[ $command != run ]]; then
        _pitwall_arguments "$command" "$word"
    else
        _pitwall_reply -W "--" -- "$word"
    fi
}

complete -F _pitwall pitwall
