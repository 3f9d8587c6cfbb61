/*
 * The scripts of the shells. They only ask `nvpulse completion words` and show what it answers, so they never have to change.
 */
#include <string.h>

#include "complete.h"

/* Bash takes words apart at '=' and ':' and replaces only what stands behind the last of them. */
static const char bash_script[] = "# bash completion of nvpulse\n"
                                  "_nvpulse()\n"
                                  "{\n"
                                  "    local IFS=$' \\t\\n' current prefix line index\n"
                                  "    local -a words=()\n"
                                  "    local joined=\n"
                                  "    for ((index = 1; index <= COMP_CWORD; index++)); do\n"
                                  "        local piece=${COMP_WORDS[index]}\n"
                                  "        if [[ ${#words[@]} -gt 0 && ( $piece == [=:]* || -n $joined ) ]]; then\n"
                                  "            words[${#words[@]}-1]+=$piece\n"
                                  "        else\n"
                                  "            words+=(\"$piece\")\n"
                                  "        fi\n"
                                  "        joined=\n"
                                  "        [[ $piece == *[=:] && $piece != *[!=:]* ]] && joined=yes\n"
                                  "    done\n"
                                  "    current=${words[${#words[@]}-1]}\n"
                                  "    prefix=${current%\"${current##*[=:]}\"}\n"
                                  "    COMPREPLY=()\n"
                                  "    while IFS= read -r line; do\n"
                                  "        case $line in\n"
                                  "            :files)\n"
                                  "                compopt -o filenames 2>/dev/null\n"
                                  "                mapfile -t COMPREPLY < <(compgen -f -- \"${current#\"$prefix\"}\")\n"
                                  "                ;;\n"
                                  "            :command*)\n"
                                  "                if declare -F _command_offset >/dev/null; then\n"
                                  "                    _command_offset $((${line#:command } + 1))\n"
                                  "                else\n"
                                  "                    mapfile -t COMPREPLY < <(compgen -c -f -- \"$current\")\n"
                                  "                fi\n"
                                  "                ;;\n"
                                  "            *)\n"
                                  "                line=${line%%$'\\t'*}\n"
                                  "                COMPREPLY+=(\"${line#\"$prefix\"}\")\n"
                                  "                ;;\n"
                                  "        esac\n"
                                  "    done < <(\"${COMP_WORDS[0]}\" completion words -- \"${words[@]}\" 2>/dev/null)\n"
                                  "}\n"
                                  "complete -F _nvpulse nvpulse\n";

static const char zsh_script[] =
    "#compdef nvpulse\n"
    "# zsh completion of nvpulse\n"
    "_nvpulse() {\n"
    "    local line\n"
    "    local -a answer candidates\n"
    "    answer=(\"${(@f)$(\"$words[1]\" completion words -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
    "    case $answer[1] in\n"
    "        :files)\n"
    "            compset -P '*='\n"
    "            _files\n"
    "            return\n"
    "            ;;\n"
    "        :command*)\n"
    "            local count=$((${answer[1]#:command } + 1))\n"
    "            shift $count words\n"
    "            ((CURRENT -= count))\n"
    "            _normal\n"
    "            return\n"
    "            ;;\n"
    "    esac\n"
    "    for line in $answer; do\n"
    "        if [[ $line == *$'\\t'* ]]; then\n"
    "            candidates+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        else\n"
    "            candidates+=(\"${line//:/\\\\:}\")\n"
    "        fi\n"
    "    done\n"
    "    _describe nvpulse candidates\n"
    "}\n"
    "if [[ $funcstack[1] == _nvpulse ]]; then\n"
    "    _nvpulse \"$@\"\n"
    "else\n"
    "    compdef _nvpulse nvpulse\n"
    "fi\n";

static const char fish_script[] = "# fish completion of nvpulse\n"
                                  "function __nvpulse_complete\n"
                                  "    set -l words (commandline -opc) (commandline -ct)\n"
                                  "    set -l answer ($words[1] completion words -- $words[2..-1] 2>/dev/null)\n"
                                  "    if string match -q ':files' -- $answer[1]\n"
                                  "        __fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1])\n"
                                  "    else if string match -q ':command *' -- $answer[1]\n"
                                  "        set -l first (math (string replace ':command ' '' -- $answer[1]) + 2)\n"
                                  "        complete -C (string join ' ' -- (string escape -- $words[$first..-2]) $words[-1])\n"
                                  "    else\n"
                                  "        string join \\n -- $answer\n"
                                  "    end\n"
                                  "end\n"
                                  "complete -c nvpulse -f -a '(__nvpulse_complete)'\n";

const char *complete_script(const char *shell)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = { { "bash", bash_script }, { "zsh", zsh_script }, { "fish", fish_script } };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(scripts[i].shell, shell) == 0) {
            return scripts[i].script;
        }
    }
    return NULL;
}
