#include "editor_syntax.hpp"

#include "memlane/lang/words.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace memlane::cli {
namespace {

using SyntaxWords = std::vector<std::string_view>;

SyntaxWords words_of(lang::WordKind kind) {
  SyntaxWords all;
  for (const lang::Word& word : lang::words())
    if (word.kind == kind) all.push_back(word.name);
  return all;
}

SyntaxWords letter_names() {
  SyntaxWords all = words_of(lang::WordKind::thread);
  for (const MachineName& name : machine_names)
    if (name.place == NamePlace::programs) all.push_back(name.name);
  return all;
}

/// Words that are coloured alike. A word of two kinds is of the first.
struct WordKind {
  const char *textmate, *vim;
  SyntaxWords words;
};
std::vector<WordKind> word_kinds() {
  return {{"keyword.control.lane", "Keyword", words_of(lang::WordKind::reserved)},
          {"storage.type.lane", "Type", words_of(lang::WordKind::type)},
          {"support.function.lane", "Function", words_of(lang::WordKind::builtin)},
          {"constant.language.lane", "Constant", letter_names()}};
}

// As the lexer reads them: the dots of `0..n` are no part of a number.
constexpr const char* number_pattern =
    R"(\b(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))";

} // namespace

std::string textmate_grammar() {
  auto patterns = nlohmann::ordered_json::array();
  const auto add = [&patterns](const char* name, const std::string& match) {
    patterns.push_back({{"name", name}, {"match", match}});
  };
  add("comment.line.double-slash.lane", "//.*");
  add("string.quoted.double.lane", R"("[^"]*")");
  add("constant.numeric.lane", number_pattern);
  for (const WordKind& kind : word_kinds())
    add(kind.textmate, fmt::format(R"(\b(?:{})\b)", fmt::join(kind.words, "|")));
  const nlohmann::ordered_json grammar = {{"name", "memlane"},
                                          {"scopeName", "source.lane"},
                                          {"fileTypes", {"lane"}},
                                          {"patterns", patterns}};
  return grammar.dump(2) + '\n';
}

std::string vim_syntax() {
  std::string text = "\" Colours of memlane's programs: ~/.vim/syntax/lane.vim, and in ~/.vimrc\n"
                     "\"   autocmd BufRead,BufNewFile *.lane setfiletype lane\n"
                     "if exists('b:current_syntax')\n  finish\nendif\n";
  const std::vector<WordKind> all = word_kinds();
  for (auto kind = all.rbegin(); kind != all.rend(); ++kind) // the last one that says a word has it
    text += fmt::format("syntax keyword lane{} {}\n", kind->vim, fmt::join(kind->words, " "));
  text += R"(syntax match laneNumber /\v<(0[xX]\x+|\d+(\.\d+)?([eE][+-]?\d+)?)/
syntax region laneString start=/"/ end=/"/ oneline
syntax match laneComment "//.*$"
)";
  for (const WordKind& kind : all)
    text += fmt::format("highlight default link lane{0} {0}\n", kind.vim);
  for (const char* const name : {"Number", "String", "Comment"})
    text += fmt::format("highlight default link lane{0} {0}\n", name);
  return text + "setlocal commentstring=//\\ %s\nlet b:current_syntax = 'lane'\n";
}

} // namespace memlane::cli
