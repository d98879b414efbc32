// How editors colour programs: the grammar, applied to every shipped program as an editor applies
// it, beside the words of the lexer.
#include "shell.hpp"
#include "support/catch.hpp"

#include "memlane/lang/words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

namespace memlane::test {
namespace {

struct Coloured {
  std::string text, kind;
};

/// A line, cut where patterns match: the first of those that match at the earliest place.
std::vector<Coloured> coloured(const std::string& line,
                               const std::vector<std::pair<std::string, std::regex>>& patterns) {
  std::vector<Coloured> parts;
  auto at = line.cbegin();
  while (at != line.cend()) {
    std::smatch best;
    std::string kind;
    const auto flags = at == line.cbegin() ? std::regex_constants::match_default
                                           : std::regex_constants::match_prev_avail;
    for (const auto& [name, pattern] : patterns) {
      std::smatch match;
      if (!std::regex_search(at, line.cend(), match, pattern, flags) || match.length() == 0)
        continue;
      if (best.empty() || match[0].first < best[0].first) best = match, kind = name;
    }
    if (best.empty()) break;
    parts.push_back({best.str(), kind});
    at = best[0].second;
  }
  return parts;
}

std::set<std::string> reserved_words() {
  std::set<std::string> all;
  for (const lang::Word& word : lang::words())
    if (word.kind == lang::WordKind::reserved) all.insert(word.name);
  return all;
}

} // namespace

TEST_CASE("a TextMate grammar colours every shipped program as the lexer reads it", "[release]") {
  const Playground playground;
  const Outcome outcome = playground.run("memlane completion textmate");
  REQUIRE(outcome.status == 0);
  const auto grammar = nlohmann::json::parse(outcome.out);
  CHECK(grammar.at("scopeName") == "source.lane");
  std::vector<std::pair<std::string, std::regex>> patterns;
  for (const auto& pattern : grammar.at("patterns"))
    patterns.emplace_back(pattern.at("name"), std::regex(pattern.at("match").get<std::string>()));
  const std::set<std::string> reserved = reserved_words();
  const std::string keyword = "keyword.control.lane", comment = "comment.line.double-slash.lane";
  std::int64_t keywords = 0, comments = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(MEMLANE_SOURCE_DIR "/programs")) {
    if (entry.path().extension() != ".lane") continue;
    for (const std::string& line : lines_of(slurp(entry.path().string()))) {
      INFO(entry.path() << ": " << line);
      const std::vector<Coloured> parts = coloured(line, patterns);
      for (const Coloured& part : parts) {
        if (part.kind == keyword) CHECK(reserved.count(part.text) == 1);
        keywords += part.kind == keyword;
        if (part.kind != comment) continue;
        ++comments;
        CHECK(line.ends_with(part.text));
      }
      // A line that begins with a reserved word is a statement.
      const std::string first =
          line.substr(0, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
      if (reserved.count(first) == 1) {
        REQUIRE_FALSE(parts.empty());
        CHECK(parts.front().kind == keyword);
        CHECK(parts.front().text == first);
      }
    }
  }
  CHECK(keywords > 1000);
  CHECK(comments > 200);
  const auto number = coloured("forall i in 0..n { a[0xFF] = 1.5e-9 } // 3", patterns);
  std::vector<std::string> kinds;
  for (const Coloured& part : number) kinds.push_back(part.text);
  CHECK(std::count(kinds.begin(), kinds.end(), "0") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "0xFF") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "1.5e-9") == 1);
  CHECK(kinds.back() == "// 3");
}

TEST_CASE("a syntax file of Vim has every reserved word", "[release]") {
  const Playground playground;
  const std::string text = playground.run("memlane completion vim").out;
  const std::size_t begin = text.find("syntax keyword laneKeyword ");
  REQUIRE(begin != std::string::npos);
  const std::string line = text.substr(begin, text.find('\n', begin) - begin) + ' ';
  for (const std::string& word : reserved_words())
    CHECK(line.find(' ' + word + ' ') != std::string::npos);
}

} // namespace memlane::test
