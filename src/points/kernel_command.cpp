#include "memlane/points/kernel_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

namespace memlane::sweep {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The next name in braces from `at` on, which is then at its opening brace; empty: there is none.
std::string_view next_name(std::string_view word, std::size_t& at) {
  for (at = word.find('{', at); at != std::string_view::npos; at = word.find('{', at + 1)) {
    std::size_t end = at + 1;
    while (end < word.size() &&
           (is_letter(word[end]) || (end > at + 1 && word[end] >= '0' && word[end] <= '9')))
      ++end;
    if (end > at + 1 && end < word.size() && word[end] == '}')
      return word.substr(at + 1, end - at - 1);
  }
  return {};
}

/// The words of a command but its first, its file and `--launch`; of a launch the kernel.
std::vector<std::string> telling_words(const KernelCommand& command) {
  std::vector<std::string> words;
  for (std::size_t k = 1; k < command.words.size(); ++k) {
    const std::string& word = command.words[k];
    if (k != command.file && word != "--launch") words.push_back(word.substr(0, word.find("<<<")));
  }
  return words;
}

/// These words, without those that all commands have.
std::string differing_words(const std::vector<KernelCommand>& commands, std::size_t at) {
  std::string text;
  for (const std::string& word : telling_words(commands[at])) {
    const bool common = std::all_of(commands.begin(), commands.end(), [&](const auto& other) {
      const std::vector<std::string> its = telling_words(other);
      return std::find(its.begin(), its.end(), word) != its.end();
    });
    if (!common) text += ' ' + word;
  }
  return text;
}

} // namespace

Result<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 ? c == quote : c == '"' || c == '\'')
      quote = quote != 0 ? '\0' : c;
    else
      words.back() += c;
  }
  if (quote != 0) return error_in("", fmt::format("a {} is not closed in '{}'", quote, text));
  return words;
}

Result<std::vector<std::string>> words_of_command(std::string_view text) {
  Result<std::vector<std::string>> words = shell_words(text);
  if (!words) return error_in("--command", words.errors().front().message);
  if (words->empty() || (words->front() != "cuda" && words->front() != "ptx"))
    return error_in("--command", "it is neither 'cuda PROGRAM …' nor 'ptx FILE.ptx …'",
                    {"programs in memlane's language are given by their names: memlane sweep sum"});
  return words;
}

std::set<std::string> names_in_words(const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words) {
    std::size_t at = 0;
    for (std::string_view name = next_name(word, at); !name.empty(); name = next_name(word, ++at))
      names.emplace(name);
  }
  return names;
}

std::vector<std::string>
words_with_values(std::vector<std::string> words,
                  const std::vector<std::pair<std::string, std::string>>& values) {
  for (std::string& word : words) {
    std::size_t at = 0;
    for (std::string name(next_name(word, at)); !name.empty(); name = next_name(word, at)) {
      const auto value = std::find_if(values.begin(), values.end(),
                                      [&](const auto& known) { return known.first == name; });
      if (value == values.end()) {
        ++at;
        continue;
      }
      word.replace(at, name.size() + 2, value->second);
      at += value->second.size();
    }
  }
  return words;
}

std::vector<std::string> names_of_commands(const std::vector<KernelCommand>& commands) {
  const auto file = [&](std::size_t k) {
    return std::filesystem::path(commands[k].path).filename().string();
  };
  // The first that tells all commands apart.
  const std::array<std::function<std::string(std::size_t)>, 4> ways = {
      file, [&](std::size_t k) { return file(k) + differing_words(commands, k); },
      [&](std::size_t k) { return commands[k].path + differing_words(commands, k); },
      [&](std::size_t k) { return fmt::format("{}", fmt::join(commands[k].words, " ")); }};
  std::vector<std::string> names;
  for (const auto& way : ways) {
    names.clear();
    for (std::size_t k = 0; k < commands.size(); ++k) names.push_back(way(k));
    if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) break;
  }
  return names;
}

} // namespace memlane::sweep
