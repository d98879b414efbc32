// Completion: finds what stands at the cursor, from the tables of commands and options, and what
// such a thing can be.
#include "command.hpp"
#include "completion.hpp"
#include "explain.hpp"
#include "files.hpp"
#include "list.hpp"
#include "program.hpp"
#include "shipped_files.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/study/results/stored_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>

namespace memlane::cli {
namespace {

/// The line as far as it is typed.
struct TypedLine {
  const Command* command = nullptr;
  std::vector<std::string> words;                             ///< behind its name, without options
  std::vector<std::pair<const Option*, std::string>> options; ///< that are complete
  const Option* open = nullptr;                               ///< its value is at the cursor
};

const Option* option_of(const Options& options, std::string_view word) {
  for (const Option& option : options.rows) {
    if (word.substr(0, 2) == "--" ? option.name == word.substr(2)
                                  : word.size() == 2 && option.letter == word[1])
      return &option;
  }
  return nullptr;
}

/// `options` outlives the result.
TypedLine read_typed(const Command& command, const Options& options,
                     const std::vector<std::string>& words) {
  TypedLine line;
  line.command = &command;
  for (const std::string& word : words) {
    if (line.open) {
      line.options.emplace_back(line.open, word);
      line.open = nullptr;
    } else if (word.size() < 2 || word[0] != '-') {
      line.words.push_back(word);
    } else if (const std::size_t equals = word.find('=');
               word[1] == '-' && equals != std::string::npos) {
      if (const Option* option = option_of(options, word.substr(0, equals)))
        line.options.emplace_back(option, word.substr(equals + 1));
    } else if (const Option* option = option_of(options, word)) {
      if (option->argument.empty())
        line.options.emplace_back(option, "");
      else
        line.open = option;
    } else if (const Option* attached = option_of(options, word.substr(0, 2))) { // -Dn=5
      line.options.emplace_back(attached, word.substr(2));
    }
  }
  return line;
}

// ---- What a thing of a kind can be. Kinds are the words in capitals of help: PROGRAM, FILE. ----

void add_listed(std::string_view kind, Completions& out) {
  const Listing* listing = find_listing(kind);
  for (const Listed& entry : listing->entries())
    out.words.push_back({entry.name, listing->about(entry)});
}

/// The program that the line names; none if it has errors.
std::optional<lang::Program> program_of(const TypedLine& line) {
  Sources sources;
  for (const std::string& word : line.words) {
    Result<ProgramText> text = load_program_text(sources, {word});
    if (text) return std::move(text->program);
  }
  return std::nullopt;
}

void add_params(const TypedLine& line, Completions& out) {
  const auto program = program_of(line);
  if (!program) return;
  for (const lang::ParamDecl& param : program->params)
    out.words.push_back(
        {param.name.text + "=", param.type.text + (param.doc.empty() ? "" : ": " + param.doc)});
}

void add_arrays_of(const lang::ArraysDecl& arrays, Completions& out) {
  for (const lang::ArrayDeclarator& array : arrays.arrays)
    out.words.push_back({array.name.text + "=", "array of " + arrays.type.text});
}

void add_shared_of(const std::vector<lang::Statement>& body, Completions& out) {
  for (const lang::Statement& statement : body) {
    if (statement.arrays && statement.arrays->space == lang::ArraySpace::shared)
      add_arrays_of(*statement.arrays, out);
    add_shared_of(statement.body, out);
    add_shared_of(statement.alternative, out);
  }
}

void add_memory(const TypedLine& line, Completions& out) {
  const auto program = program_of(line);
  if (!program) return;
  for (const lang::ArraysDecl& arrays : program->arrays) add_arrays_of(arrays, out);
}

void add_arrays(const TypedLine& line, Completions& out) {
  const auto program = program_of(line);
  if (!program) return;
  for (const lang::ArraysDecl& arrays : program->arrays) add_arrays_of(arrays, out);
  for (const lang::KernelDecl& kernel : program->kernels) add_shared_of(kernel.body, out);
}

void add_types(const TypedLine& line, Completions& out) {
  const auto program = program_of(line);
  if (!program) return;
  for (const lang::TypeDecl& type : program->types)
    if (type.alias) out.words.push_back({type.name.text + "=", "now " + type.alias->text});
}

/// Keys of the machine that -m chose, else of every model.
void add_machine_keys(const TypedLine& line, Completions& out) {
  MachineSelection selection;
  for (const auto& [option, value] : line.options)
    if (option->argument == "MACHINE") selection = {value, {}, true};
  Sources sources;
  const Result<LoadedMachine> machine = load_selected_machine(sources, selection);
  const ModelSet models = selection.chosen && machine ? set_of(machine->spec.model) : ~ModelSet{0};
  for (const MachineKey& key : machine_keys())
    if ((key.models & models) != 0 && !key.per_file() && key.store)
      out.words.push_back({std::string(key.path) + "=", std::string(key.meaning)});
}

void add_counts(Completions& out) {
  for (const CountGroup& group : count_groups())
    for (const ListedCount& count : group.counts) out.words.push_back({count.name, count.meaning});
}

struct Kind {
  std::string_view name; ///< as help writes it
  void (*add)(const TypedLine&, Completions&) = nullptr;
  bool files = false, folders = false;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"PROGRAM", [](const TypedLine&, Completions& out) { add_listed("programs", out); }, true},
      {"MACHINE", [](const TypedLine&, Completions& out) { add_listed("machines", out); }, true},
      {"EXERCISE", [](const TypedLine&, Completions& out) { add_listed("exercises", out); }, true},
      {"FIGURE",
       [](const TypedLine&, Completions& out) {
         for (const std::string& name : shipped_figures()) out.words.push_back({name, ""});
       },
       true},
      {"LESSON", [](const TypedLine&, Completions& out) { add_listed("demos", out); }, true},
      {"COUNT", [](const TypedLine&, Completions& out) { add_counts(out); }},
      {"SCHEMA",
       [](const TypedLine&, Completions& out) {
         for (const SchemaPage& page : schema_pages())
           out.words.push_back({std::string(page.name), std::string(page.of)});
       }},
      {"NAME=VALUE", add_params},
      {"NAME=VALUES", add_params},
      {"NAME=V,V,…", add_params},
      {"ARRAY=FILE", add_memory, true},
      {"ARRAY[=VALUES]", add_memory},
      {"ARRAY=LAYOUT", add_arrays},
      {"ARRAY=LAYOUTS", add_arrays},
      {"NAME=TYPE", add_types},
      {"NAME=TYPES", add_types},
      {"KEY=VALUE", add_machine_keys},
      {"KEY=VALUES", add_machine_keys},
      {"WHAT=VALUE",
       [](const TypedLine& line, Completions& out) {
         add_params(line, out);
         add_machine_keys(line, out);
         add_arrays(line, out);
         add_types(line, out);
       }},
      {"EXECUTABLE", nullptr, true},
      {"STORE", nullptr, true},
      {"TRACE", nullptr, true},
      {"SWEEP.json", nullptr, true},
      {"MEASURED.jsonl", nullptr, true},
      {"A", nullptr, true},
      {"B", nullptr, true},
      {"IN", nullptr, true},
      {"OUT", nullptr, true},
      {"FOLDER", nullptr, false, true},
      {"DIR", nullptr, false, true},
  };
  return all;
}

void add_kind(std::string_view name, const TypedLine& line, Completions& out) {
  for (const Kind& kind : kinds()) {
    if (kind.name != name) continue;
    if (kind.add) kind.add(line, out);
    out.files = out.files || kind.files;
    out.folders = out.folders || kind.folders;
    return;
  }
  if (name.substr(0, 4) == "FILE") out.files = true; // FILE.html, FILE.csv
}

/// What stands before `|` and behind it; `FILE.html|DIR`, `programs | machines`.
std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> all(1);
  for (const char c : text) {
    if (c == '|')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

void complete_value(const Option& option, const TypedLine& line, const std::string& current,
                    Completions& out) {
  for (const std::string& choice : option.value.choices) out.words.push_back({choice, ""});
  if (!option.value.choices.empty()) return;
  for (const std::string& kind : alternatives(option.argument)) add_kind(kind, line, out);
  // `a=` before a file.
  const std::size_t equals = option.argument.find('=');
  if (!out.files || equals == std::string_view::npos) return;
  const std::size_t typed = current.find('=');
  if (typed == std::string::npos)
    out.files = false;
  else
    out.prefix = current.substr(0, typed + 1);
}

/// The words of one alternative of a usage line: those before its first option.
std::vector<std::string> plain_words(const std::string& usage) {
  std::vector<std::string> words;
  std::istringstream in(usage);
  for (std::string word; in >> word;) {
    if (word[0] == '-' || word == "[options]") break;
    if (word.substr(0, 2) == "[-") break;
    std::erase_if(word, [](char c) { return c == '[' || c == ']'; });
    if (word.size() > 3 && word.substr(word.size() - 3) == "...") word.resize(word.size() - 3);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

bool is_kind(const std::string& word) {
  return std::isupper(static_cast<unsigned char>(word.front())) != 0;
}

/// A word that is no option: `usage` says what it can be, as `machine [MACHINE] | program PROGRAM`.
void complete_word(const TypedLine& line, Completions& out) {
  const std::size_t place = line.words.size();
  for (const std::string& alternative : alternatives(line.command->usage)) {
    const std::vector<std::string> words = plain_words(alternative);
    if (words.empty()) continue;
    if (!is_kind(words.front()) && place > 0) {
      if (words.front() != line.words.front() || words.size() < 2) continue;
      add_kind(words[std::min(place, words.size() - 1)], line, out);
    } else if (is_kind(words.front())) {
      add_kind(words[std::min(place, words.size() - 1)], line, out);
    } else {
      out.words.push_back({words.front(), ""});
    }
  }
}

void complete_option(const Options& options, const TypedLine& line, Completions& out) {
  for (const Option& option : options.rows) {
    const bool given = std::any_of(line.options.begin(), line.options.end(),
                                   [&](const auto& one) { return one.first == &option; });
    if (given && !option.value.many) continue;
    out.words.push_back({fmt::format("--{}", option.name), std::string(option.help)});
  }
}

void add_commands(const std::vector<Command>& all, Completions& out) {
  for (const Command& command : all)
    out.words.push_back({std::string(own_name(command)), std::string(command.summary)});
}

/// Everything that fits the place of the cursor, whatever is typed there.
Completions all_completions(const std::vector<std::string>& earlier, const std::string& current) {
  Completions out;
  std::vector<std::string> words = earlier;
  const bool help = !words.empty() && words.front() == "help";
  if (help) words.erase(words.begin());
  if (words.empty()) {
    add_commands(commands(), out);
    if (!help) out.words.push_back({"help", "a command's options and examples"});
    out.words.push_back(help ? Candidate{"--man", "the manual page"}
                             : Candidate{"--version", "the version"});
    return out;
  }
  const std::size_t count = words.size();
  const Result<const Command*> taken = take_command(words);
  if (!taken) return out;
  const Command& command = **taken;
  const bool in_group = words.empty() && !command.words.empty() && count == 1;
  if (in_group) add_commands(command.words, out);
  if (help || (in_group && !command.call)) return out;
  Options options = command.options();
  CommonOptions common;
  add_common(options, common);
  const TypedLine line = read_typed(command, options, words);
  if (line.open) {
    complete_value(*line.open, line, current, out);
  } else if (current.rfind("--", 0) == 0 && current.find('=') != std::string::npos) {
    const std::size_t begin = current.find('=') + 1;
    const Option* option = option_of(options, current.substr(0, begin - 1));
    if (!option || option->argument.empty()) return out;
    complete_value(*option, line, current.substr(begin), out);
    for (Candidate& candidate : out.words)
      candidate.word = current.substr(0, begin) + candidate.word;
    out.prefix = current.substr(0, begin) + out.prefix;
  } else if (!current.empty() && current[0] == '-') {
    complete_option(options, line, out);
  } else {
    complete_word(line, out);
  }
  return out;
}

} // namespace

Completions complete(const std::vector<std::string>& earlier, const std::string& current) {
  Completions out = all_completions(earlier, current);
  std::erase_if(out.words, [&](const Candidate& candidate) {
    const bool typed = candidate.word == current && !current.empty() && current.back() == '=';
    return typed || candidate.word.compare(0, current.size(), current) != 0;
  });
  return out;
}

} // namespace memlane::cli
