#include "bank_request.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace memlane::cli {
namespace {

constexpr std::int64_t longest_row = std::int64_t{1} << 20;
constexpr std::size_t most_dimensions = 3;

/// A name that a parameter can have: the rest is said when the program is checked.
bool is_plain_name(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && is_letter(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [&](unsigned char c) { return is_letter(c) || std::isdigit(c) != 0; });
}

void read_parameters(OptionReader& options, BankCommand& command) {
  command.definitions = options.values("define");
  for (const std::string& text : command.definitions) {
    NameAndValue pair;
    if (!options.take(name_and_value("-D", "NAME=VALUE", text), pair)) continue;
    const std::string& name = pair.first;
    for (const char* own : {"thread", "threads", "block", "blocks", "lane", "warp", "warps"})
      if (name == own)
        options.add(error_in("-D", fmt::format("'{}' has a value of its own in each thread", name),
                             {"--warp N chooses the warp"}));
    if (!is_plain_name(name))
      options.add(error_in("-D", fmt::format("'{}' is no name", name),
                           {"write a name and its value: -D stride=4"}));
    command.parameters.push_back(std::move(pair));
  }
}

/// `32,33`, as extents.
std::vector<std::int64_t> read_shape(OptionReader& options) {
  std::vector<std::int64_t> shape;
  const auto text = options.value("shape");
  if (!text) return shape;
  for (const std::string& word : split_list(*text)) {
    const auto extent = number_of<std::int64_t>(word);
    if (!extent || *extent < 1 || *extent > longest_row) {
      options.add(error_in(
          "--shape", fmt::format("'{}' is no number of elements from 1 to {}", word, longest_row),
          {"write the extents of the array: --shape 32,33"}));
      return {};
    }
    shape.push_back(*extent);
  }
  if (shape.size() > most_dimensions)
    options.add(error_in("--shape", "an array has up to three dimensions"));
  return shape;
}

std::int64_t read_bytes(OptionReader& options) {
  static const std::map<std::string, std::int64_t, std::less<>> sizes = {
      {"int", 4}, {"float", 4}, {"long", 8}, {"double", 8}};
  const auto type = options.value("type"), bytes = options.value("bytes");
  if (type && bytes)
    options.add(error_in("--type", "--bytes says the size of an element, too",
                         {"leave out one of --type and --bytes"}));
  if (type) {
    if (const auto found = sizes.find(*type); found != sizes.end()) return found->second;
    std::vector<std::string> help = did_you_mean(*type, {"int", "float", "long", "double"});
    help.emplace_back("the types are int, float, long and double; --bytes 16 is a float4");
    options.add(error_in("--type", fmt::format("unknown type '{}'", *type), std::move(help)));
  }
  if (!bytes) return 4;
  if (*bytes == "4" || *bytes == "8" || *bytes == "16") return *number_of<std::int64_t>(*bytes);
  options.add(error_in("--bytes", fmt::format("'{}' is not 4, 8 or 16", *bytes)));
  return 4;
}

} // namespace

std::vector<Option> bank_options() {
  return join_options(
      {{{"define", 'D', "NAME=VALUE", true, "a value that EXPR names, e.g. stride=4"},
        {"machine", 'm', "MACHINE", true,
         "a shipped machine or a path, once for each; dmm-w32 and umm-w32\n"
         "if none is given"},
        {"set", 0, "KEY=VALUE", true, "set a value of every machine, e.g. width=16"},
        {"warp", 0, "N", false, "the warp of the block; 0 if not given"},
        {"active", 0, "COND", false, "condition of active lanes, e.g. \"lane < 7\""},
        {"shape", 0, "EXTENTS", false, "extents of the array, e.g. 32,33"},
        {"row", 0, "N", false,
         "words of a row, for other layouts; the width if not given,\n"
         "with --shape its last extent"},
        {"type",
         0,
         "TYPE",
         false,
         "of the elements: int (the default), float, long or double",
         {"int", "float", "long", "double"}},
        {"bytes",
         0,
         "N",
         false,
         "of an element, instead: 4, 8 or 16. For 8 and 16, show also how\n"
         "a GPU splits the request",
         {"4", "8", "16"}}},
       result_options()});
}

BankCommand read_bank_command(OptionReader& options) {
  BankCommand command;
  command.expression = options.words.front();
  command.active = options.text("active");
  read_parameters(options, command);
  std::vector<std::string> machines = options.values("machine");
  if (machines.empty()) machines = {"dmm-w32", "umm-w32"};
  for (const std::string& name : machines)
    command.machines.push_back({name, options.values("set"), true});
  command.shape = read_shape(options);
  command.row = options.integer("row", 1, longest_row, 0);
  if (command.row > 0 && !command.shape.empty())
    options.add(error_in("--row", "--shape says the length of a row, too",
                         {"leave out one of --row and --shape"}));
  command.warp = options.integer("warp", 0, INT64_MAX, 0);
  command.bytes = read_bytes(options);
  command.targets = read_targets(options);
  return command;
}

} // namespace memlane::cli
