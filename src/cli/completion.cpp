// memlane completion: scripts for shells, and what they ask.
#include "completion.hpp"

#include "command.hpp"
#include "editor_syntax.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

// --- The scripts of shells. Each hands the words before the cursor to `memlane completion --line`
// and offers the lines of its answer, so that nothing here knows commands or options.

// COMP_WORDS is cut at `=` and `:` too; what belongs together has no blank between. Bash replaces
// only the part behind the last of them.
constexpr std::string_view bash_script =
    R"sh(# bash completion of memlane: source <(memlane completion bash)
_memlane() {
  local rest=${COMP_LINE:0:COMP_POINT} words=() current i word line
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $i == 0 || $rest == [[:blank:]]* ]]; then
      rest=${rest#"${rest%%[![:blank:]]*}"}
      words+=("")
    fi
    [[ $i == "$COMP_CWORD" ]] && word=$rest
    words[${#words[@]} - 1]+=$word
    rest=${rest#"$word"}
  done
  current=${words[${#words[@]} - 1]}
  current=${current#[\'\"]}
  unset "words[${#words[@]} - 1]"
  local replaced="" path=""
  [[ $COMP_WORDBREAKS == *=* && $current == *=* ]] && replaced=${current%="${current##*=}"}=
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    case $word in
      :files\ * | :folders\ *)
        path=${current#"${word#* }"}
        compopt -o filenames 2>/dev/null
        if [[ $word == :files* ]]; then
          while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$path")
        else
          while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -d -- "$path")
        fi
        ;;
      *)
        [[ $word == *= ]] && compopt -o nospace 2>/dev/null
        word=${word#"$replaced"}
        printf -v word %q "$word"
        COMPREPLY+=("${word//\\=/=}")
        ;;
    esac
  done < <("${words[0]}" completion --line -- "${words[@]:1}" "$current" 2>/dev/null)
}
complete -F _memlane memlane
)sh";

constexpr std::string_view zsh_script = R"sh(#compdef memlane
# zsh completion of memlane: in a folder of $fpath as _memlane, or source <(memlane completion zsh)
_memlane() {
  local -a plain open
  local line word about folders="" files="" prefix=""
  for line in "${(@f)$("${(Q)words[1]}" completion --line -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    about=${line#*$'\t'}
    case $word in
      (:files\ *) files=1 prefix=${word#* } ;;
      (:folders\ *) folders=1 prefix=${word#* } ;;
      (*=) open+=("${word//:/\\:}:$about") ;;
      (*) plain+=("${word//:/\\:}:$about") ;;
    esac
  done
  (( $#plain )) && _describe -V memlane plain
  (( $#open )) && _describe -V memlane open -S ''
  if [[ -n $files$folders ]]; then
    [[ -n $prefix ]] && compset -P "${(b)prefix}"
    if [[ -n $files ]]; then _files; else _files -/; fi
  fi
}
if [[ $funcstack[1] == _memlane ]]; then _memlane "$@"; else compdef _memlane memlane; fi
)sh";

constexpr std::string_view fish_script =
    R"sh(# fish completion of memlane: memlane completion fish | source
function __memlane_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion --line -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files *'
                set -l prefix (string replace -r '^:files ' '' -- $line)
                set -l path (string sub -s (math (string length -- "$prefix") + 1) -- "$current")
                for found in (__fish_complete_path "$path")
                    echo -- $prefix$found
                end
            case ':folders *'
                __fish_complete_directories "$current" ''
            case '*'
                echo -- $line
        end
    end
end
complete -c memlane -f -a '(__memlane_complete)'
)sh";

/// The script of a shell, which asks `memlane completion --line` at each completion; what an editor
/// reads; empty for an unknown one.
std::string completion_script(std::string_view user) {
  if (user == "bash") return std::string(bash_script);
  if (user == "zsh") return std::string(zsh_script);
  if (user == "fish") return std::string(fish_script);
  if (user == "vim") return vim_syntax();
  if (user == "textmate") return textmate_grammar();
  return "";
}

// --- The command.

const std::vector<std::string>& users() {
  static const std::vector<std::string> names = {"bash", "zsh", "fish", "vim", "textmate"};
  return names;
}

/// A candidate on each line, a tabulator before what is said about it; then `:files` or `:folders`
/// and what stands before a path.
std::string answer_text(const Completions& completions) {
  std::string text;
  for (const Candidate& candidate : completions.words)
    text += fmt::format("{}\t{}\n", candidate.word, on_one_line(candidate.about, 200));
  if (completions.files) text += fmt::format(":files {}\n", completions.prefix);
  if (completions.folders) text += fmt::format(":folders {}\n", completions.prefix);
  return text;
}

struct CompletionRequest {
  std::vector<std::string> words;
  bool line = false;
};

void completion_options(Options& options, CompletionRequest& request) {
  options.take_words("word", 0, &request.words);
  options.flag("line", &request.line,
               "what the scripts ask: what can stand in place of the last of the\n"
               "words behind --, which are those of a command line up to the cursor");
}

Result<Exit> completion(CompletionRequest& request, Sources&, Console& console) {
  std::vector<std::string>& words = request.words;
  if (request.line) {
    const std::string current = words.empty() ? "" : words.back();
    if (!words.empty()) words.pop_back();
    console.out(answer_text(complete(words, current)));
    return Exit::done;
  }
  const std::string accepted = fmt::format("{}", fmt::join(users(), ", "));
  if (words.size() != 1)
    return error_in("", "completion takes one shell or editor",
                    {fmt::format("accepted: {}", accepted)});
  const std::string script = completion_script(words.front());
  if (!script.empty()) {
    console.out(script);
    return Exit::done;
  }
  std::vector<std::string> help = did_you_mean(words.front(), users());
  help.push_back(fmt::format("accepted: {}", accepted));
  return error_in("", fmt::format("nothing completes or colours in '{}'", words.front()), help);
}

} // namespace

Command completion_command() {
  return {
      "completion",
      "bash|zsh|fish|vim|textmate",
      "print what completes command lines in a shell, or colours programs in an editor",
      "Print a script for a shell: commands, options, programs, machines, parameters and files\n"
      "are then completed with the tabulator. An installed memlane has the scripts where\n"
      "shells look for them. Otherwise a line in the shell's start file reads the script:\n"
      "  bash  source <(memlane completion bash)     in ~/.bashrc\n"
      "  zsh   source <(memlane completion zsh)      in ~/.zshrc, after compinit\n"
      "  fish  memlane completion fish | source      in ~/.config/fish/config.fish\n"
      "For an editor, print how it colours .lane files: a syntax file of Vim, or a TextMate\n"
      "grammar, which VS Code, Sublime Text and others read.",
      call_with(completion_options, completion),
      {"memlane completion bash", "memlane completion vim", "memlane completion --line -- run su"}};
}

} // namespace memlane::cli
