// memlane bank: banks, address groups and stages of one warp's access, and what other layouts would
// make of it.
#include "memlane/study/bank/bank.hpp"

#include "command.hpp"
#include "options.hpp"
#include "playground_page.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/points/playground_link.hpp"
#include "memlane/study/bank/request_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace memlane::cli {
namespace {

struct BankCommand {
  BankQuery query;
  std::vector<MachineSelection> machines = {{"dmm-w32"}, {"umm-w32"}};
  std::vector<ResultTarget> targets;
  bool html = false;
  std::vector<std::string> further; ///< of --with
  std::string command;              ///< that asks for it
};

constexpr std::int64_t longest_row = std::int64_t{1} << 20;
constexpr std::size_t most_dimensions = 3;

/// A name that a parameter can have: the rest is said when the program is checked.
bool is_plain_name(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && is_letter(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [&](unsigned char c) { return is_letter(c) || std::isdigit(c) != 0; });
}

void read_parameters(OptionReader& options, BankQuery& query) {
  for (const std::string& text : query.definitions) {
    NameAndValue pair;
    if (!options.take(name_and_value("-D", "NAME=VALUE", text), pair)) continue;
    const std::string& name = pair.first;
    for (const char* own : {"thread", "threads", "block", "blocks", "lane", "warp", "warps"})
      if (name == own)
        options.fail("-D", fmt::format("'{}' has a value of its own in each thread", name),
                     "--warp N chooses the warp");
    if (!is_plain_name(name))
      options.fail("-D", fmt::format("'{}' is no name", name),
                   "write a name and its value: -D stride=4");
    query.parameters.push_back(std::move(pair));
  }
}

/// `32,33`, as extents.
Result<std::vector<std::int64_t>> read_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  for (const std::string& word : split_list(text)) {
    const auto extent = number_of<std::int64_t>(word);
    if (!extent || *extent < 1 || *extent > longest_row)
      return error_in("--shape",
                      fmt::format("'{}' is no number of elements from 1 to {}", word, longest_row),
                      {"write the extents of the array: --shape 32,33"});
    shape.push_back(*extent);
  }
  if (shape.size() <= most_dimensions) return shape;
  return error_in("--shape", "an array has up to three dimensions");
}

/// A page is one text, of requests of words.
void check_page(OptionReader& given, const BankCommand& command) {
  for (const char* option : {"format", "type", "bytes"})
    if (given.has(option))
      given.fail(fmt::format("--{}", option), "a page has no formats, and elements of one word",
                 fmt::format("leave out --html or --{}", option));
  if (given.has("format")) return;
  if (command.targets.size() > 1 || command.targets.front().format != Format::table)
    given.fail("-o", "a page is one file that ends in .html",
               "memlane bank EXPR --html -o FILE.html");
}

constexpr std::int64_t most_weight = 1'000'000;

/// The text without blanks at its ends.
std::string without_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

/// `NAME: EXPR`, `NAME*WEIGHT: EXPR` or an expression alone, which has no ':'.
void read_access(OptionReader& given, const char* option, const std::string& text,
                 BankAccessText& access) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    access.expression = without_blanks(text);
    return;
  }
  access.expression = without_blanks(text.substr(colon + 1));
  std::string name = without_blanks(text.substr(0, colon));
  if (const std::size_t star = name.find('*'); star != std::string::npos) {
    const auto weight = number_of<std::int64_t>(std::string_view(name).substr(star + 1));
    if (!weight || *weight < 1 || *weight > most_weight)
      return given.fail(
          option, fmt::format("'{}' is no weight from 1 to {}", name.substr(star + 1), most_weight),
          "write a name, how often it counts, and its address: write*4: t[lane, 0]");
    access.weight = *weight;
    name.erase(star);
  }
  if (!is_plain_name(name))
    return given.fail(option, fmt::format("'{}' is no name for an access", name),
                      "write a name and its address: read: t[0, lane]");
  access.name = name;
}

/// An error for a file whose ending says that it is a program: it would get the table.
void check_best_file(OptionReader& given, const ResultTarget& target) {
  if (!target.file || target.format != Format::table) return;
  const std::string_view path = target.file->path();
  const std::size_t dot = path.rfind('.');
  const std::string_view ending = dot == path.npos ? "" : path.substr(dot);
  if (ending == ".lane")
    given.fail("-o",
               fmt::format("'{}' would be the table of the search, and .lane says a program", path),
               "its line 'best' is the layout, for a declaration in a program and for 'memlane run "
               "--layout'; 'best' of --format json, too");
  if (ending == ".cu" || ending == ".cuh" || ending == ".h")
    given.fail("-o",
               fmt::format("'{}' would be the table of the search, and {} says CUDA", path, ending),
               "its line 'CUDA' is the index expression; 'cuda' of --format json, too");
}

/// What --best needs, and what it does not go with.
void check_best(OptionReader& given, BankCommand& command,
                const std::vector<std::string>& further) {
  BankQuery& query = command.query;
  if (!query.best) {
    if (!further.empty())
      given.fail("--with", "only a search looks at several accesses", "add --best");
    return;
  }
  BankAccessText first{query.name, "", 1};
  read_access(given, "EXPR", query.expression, first);
  query.name = first.name, query.expression = first.expression, query.weight = first.weight;
  const auto array_of = [](const std::string& access) {
    const std::size_t end = access.find('[');
    return end == access.npos ? std::string() : without_blanks(access.substr(0, end));
  };
  for (const std::string& text : further) {
    BankAccessText access{fmt::format("access {}", query.further.size() + 2), "", 1};
    read_access(given, "--with", text, access);
    if (const std::string array = array_of(access.expression); array != array_of(query.expression))
      given.fail(
          "--with", fmt::format("'{}' is an access of another array", access.expression),
          fmt::format("--best searches a layout of one: write {}[…]", array_of(query.expression)));
    query.further.push_back(std::move(access));
  }
  if (given.has("html"))
    given.fail("--html", "a page shows one request", "leave out --best or --html");
  for (const ResultTarget& target : command.targets) {
    check_best_file(given, target);
    if (target.format == Format::csv || target.format == Format::jsonl)
      given.fail("--best", "csv and jsonl have a lane in each row, and a search has none",
                 "--format json");
  }
}

void bank_options(Options& options, BankCommand& command) {
  BankQuery& query = command.query;
  options.take_word("expression", &query.expression);
  options.words.hint = "put it in quotes: memlane bank \"thread * stride\" -D stride=4";
  options.add("define,D", "NAME=VALUE", &query.definitions,
              "a value that EXPR names, e.g. stride=4");
  add_machines(options, command.machines,
               "a shipped machine or a path, once for each; dmm-w32 and umm-w32\n"
               "if none is given");
  options.add("warp", "N", whole(&query.warp, 0), "the warp of the block; 0 if not given");
  options.add("active", "COND", &query.active, "condition of active lanes, e.g. \"lane < 7\"");
  options.add("shape", "EXTENTS", parsed(&query.shape, read_shape),
              "extents of the array, e.g. 32,33");
  options.add("row", "N", whole(&query.row, 1, longest_row),
              "words of a row, for other layouts; the width if not given,\n"
              "with --shape its last extent");
  options.add("type", "TYPE",
              one_of(&query.bytes, "type", {{"int", 4}, {"float", 4}, {"long", 8}, {"double", 8}},
                     "--bytes 16 is a float4"),
              "of the elements: int (the default), float, long or double");
  options.add("bytes", "N",
              one_of(&query.bytes, "number of bytes", {{"4", 4}, {"8", 8}, {"16", 16}}),
              "of an element, instead: 4, 8 or 16. Where the machine's elements are\n"
              "one word each (no word_bytes), show also how a GPU splits the request\n"
              "for 8 and 16; --best adds the stages of its parts");
  options.flag("best", &query.best,
               "search the layout with the fewest stages instead, and say how it is\n"
               "known that none has fewer; in banks, with -m umm-w32 in address groups");
  options.add("with", "ACCESS", &command.further,
              "a further access of the same array for --best, as EXPR then may be,\n"
              "too: NAME: EXPR, or NAME*WEIGHT: EXPR, whose stages count so often");
  add_targets(options, command.targets);
  options.flag("html", &command.html,
               "a page of the request instead, whose numbers, machine and layout can\n"
               "be changed: the playground with a program for it");
  options.then([&command](OptionReader& given, Sources&) {
    BankQuery& query = command.query;
    read_parameters(given, query);
    command.command = command_line(bank_command(), given);
    check_best(given, command, command.further);
    if (command.html) check_page(given, command);
    if (query.row > 0 && !query.shape.empty())
      given.fail("--row", "--shape says the length of a row, too",
                 "leave out one of --row and --shape");
    if (given.has("type") && given.has("bytes"))
      given.fail("--type", "--bytes says the size of an element, too",
                 "leave out one of --type and --bytes");
  });
}

/// The playground at a program whose only request is the one of the report.
Result<Exit> write_bank_page(BankCommand& command, const BankReport& report, Console& console) {
  const Result<std::string> text = request_program(command.query, report, command.command);
  if (!text) return text.errors();
  sweep::Recipe recipe;
  recipe.machine = command.machines.front();
  recipe.program.definitions = command.query.definitions;
  const Result<std::string> fragment = sweep::playground_fragment(recipe, "request.lane", *text);
  if (!fragment) return fragment.errors();
  const Result<std::string> page = playground_at(*fragment);
  if (!page) return page.errors();
  const Status written = write_playground(*page, command.targets.front().file, console);
  if (!written) return written.errors();
  return Exit::done;
}

Result<Exit> bank(BankCommand& command, Sources& sources, Console& console) {
  std::vector<std::pair<std::string, MachineSpec>> machines;
  for (const MachineSelection& selection : command.machines) {
    Result<LoadedMachine> machine = load_selected_machine(sources, selection);
    if (!machine) return machine.errors();
    machines.emplace_back(selection.name, std::move(machine->spec));
  }
  const Result<BankReport> report = report_of(sources, command.query, machines, version);
  if (!report) return report.errors();
  if (command.html) return write_bank_page(command, *report, console);
  const Status written =
      write_results([&](Format format, TableStyle) { return render_bank(*report, format); },
                    command.targets, true, console);
  if (!written) return written.errors();
  return Exit::done;
}

} // namespace

Command bank_command() {
  return {
      "bank",
      "EXPR [-m MACHINE]... [options]",
      "show banks, address groups and stages of one warp's access",
      "Show which bank and which address group each lane of a warp accesses, how many stages\n"
      "the request has on a DMM and a UMM, and what paddings, the diagonal and XOR swizzles\n"
      "would make of it. EXPR is an address in words, in the language of programs; it may use\n"
      "thread, lane, warp, the machine's letters and the names of -D. An element of an array\n"
      "is written with its indices, and the array's shape: \"t[lane, 0]\" --shape 32,32.\n"
      "With --best, search the layout of the array that has the fewest stages for EXPR and\n"
      "the accesses of --with: in banks, or in address groups if the first machine is a UMM.\n"
      "--html writes a page of the request to standard output or to -o FILE.html: the playground\n"
      "(see 'memlane help playground').",
      call_with(bank_options, bank),
      {"memlane bank \"(thread*stride) % 1024\" -D stride=4",
       "memlane bank \"t[lane, 0]\" --shape 32,32",
       "memlane bank \"row: t[0, lane]\" --with \"column*4: t[lane, 0]\" --shape 32,32 --best",
       "memlane bank \"lane*16\" --row 16 -m dmm-w32 -m hmm-h200-plain",
       "memlane bank \"lane\" --bytes 16 --active \"lane < 8\"",
       "memlane bank \"thread / 2\" --warp 3 --format csv"}};
}

} // namespace memlane::cli
