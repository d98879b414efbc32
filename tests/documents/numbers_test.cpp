// Numbers in sentences come from runs: each also stands in a block or a table of its section, which
// other tests compare with what the tool prints, or in the list below.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace memlane::test {
namespace {

struct OtherNumber {
  std::string page;
  double number = 0;
  const char* origin = "";
};

/// Numbers of sentences that no run of the section prints.
const std::vector<OtherNumber> other_numbers = {
    {"README.md", 24.04, "the version of Ubuntu"},
    {"programs/README-agpu.md", 3.41, "compare as above with n=2^28, minutes"},
    {"programs/README-agpu.md", 3.67, "22/6"},
    {"programs/README-agpu.md", 12288, "shared.capacity of agpu-k20c"},
    {"programs/README-cuda.md", 100, "standard of --warm-up"},
    {"programs/README-cuda.md", 128, "bytes of a GPU's line"},
    {"programs/README-cuda.md", 130, "exit status"},
    {"programs/README-engines.md", 276, "MiB, measured"},
    {"programs/README-engines.md", 532, "MiB, measured"},
    {"programs/README-engines.md", 541, "MiB, measured"},
    {"programs/README-timelines.md", 10000, "standard_requests"},
    {"programs/README.md", 4294967295, "0xFFFFFFFF"},
    {"programs/README.md", 1000, "most_grid_values"},
    {"configs/README.md", 100, "most_sweep_axes"},
    {"configs/README.md", 10000000, "most_sweep_points"},
    {"configs/README.md", 600, "bytes of a stored point, measured"},
    {"configs/README.md", 10000, "bytes of a stored point, measured"},
    {"configs/README.md", 1000, "most rows of --rows blocks"},
    {"configs/README-sweeps.md", 1000, "the factor of a logarithmic axis"},
};

/// The text between two headings: its sentences, and the numbers in everything else.
struct Section {
  std::string heading, sentences;
  std::set<double> shown;
};

std::set<double> numbers_in(const std::string& text, const std::regex& number) {
  std::set<double> numbers;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    std::string digits = at->str(1);
    std::erase(digits, ',');
    if (std::count_if(digits.begin(), digits.end(), ::isdigit) >= 3)
      numbers.insert(std::stod(digits));
  }
  return numbers;
}

/// Moves what is in back quotes from the sentences to `code`, and drops what is no number of a run:
/// targets of links, numbers of figures and sections, years of papers.
std::string without_code(const std::string& sentences, std::string& code) {
  static const std::regex quoted("`[^`]*`");
  static const std::regex other(
      R"(\]\([^)]*\)|(Figure|Table|[Ss]ection|Theorem)s? [\d.]+( (to|and) [\d.]+)?|\b20[0-3]\d\b)");
  for (std::sregex_iterator at(sentences.begin(), sentences.end(), quoted), end; at != end; ++at)
    code += at->str() + "\n";
  return std::regex_replace(std::regex_replace(sentences, quoted, " "), other, " ");
}

std::vector<Section> sections_of(const std::string& text) {
  static const std::regex any(R"((\d+(?:\.\d+)?))");
  std::vector<Section> sections(1);
  std::string code;
  bool fenced = false;
  const auto close = [&] {
    Section& section = sections.back();
    section.sentences = without_code(section.sentences, code);
    section.shown = numbers_in(code, any);
    code.clear();
  };
  for (const std::string& line : lines_of(text)) {
    const bool fence = line.starts_with("```");
    fenced = fenced != fence;
    if (!fenced && line.starts_with("#")) {
      close();
      sections.push_back({line, "", {}});
    } else if (fenced || fence || line.starts_with("|") || line.starts_with("    ")) {
      code += line + "\n";
    } else {
      sections.back().sentences += line + "\n";
    }
  }
  close();
  return sections;
}

} // namespace

TEST_CASE("numbers in sentences are those of runs") {
  // Not the exponent of 2^26 or a part of a name, such as SHA-256.
  static const std::regex number(R"((?:^|[^\w.^-])(\d+(?:,\d{3})*(?:\.\d+)?)(?!\w|\^))");
  std::size_t count = 0;
  std::vector<OtherNumber> unused = other_numbers;
  const std::filesystem::path root = MEMLANE_SOURCE_DIR;
  for (const char* folder : {".", "programs", "configs"})
    for (const auto& file : std::filesystem::directory_iterator(root / folder)) {
      const std::string page =
          file.path().lexically_normal().lexically_relative(root).generic_string();
      if (page.find("README") == std::string::npos) continue;
      for (const Section& section : sections_of(slurp(file.path()))) {
        for (const double one : numbers_in(section.sentences, number)) {
          ++count;
          const auto is_it = [&](const OtherNumber& other) {
            return other.page == page && other.number == one;
          };
          std::erase_if(unused, is_it);
          INFO(page << ", " << section.heading << ": " << one);
          CHECK((section.shown.contains(one) ||
                 std::any_of(other_numbers.begin(), other_numbers.end(), is_it)));
        }
      }
    }
  CHECK(count >= 30);
  for (const OtherNumber& other : unused)
    FAIL_CHECK(other.page << ": " << other.number << ", " << other.origin << ", is in no sentence");
}

} // namespace memlane::test
