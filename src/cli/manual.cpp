// The manual page: the texts of help as roff, with the macros of man(7).
#include "command.hpp"
#include "version.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// Of one UTF-8 character: the bits of its first byte behind those that give its length, then six
/// of each further byte (RFC 3629).
std::uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first;
  std::uint32_t value = first & (0x7Fu >> character.size());
  for (const char c : character.substr(1))
    value = value << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return value;
}

/// Text as roff prints it: a backslash and a minus as such, characters beyond ASCII by their
/// numbers, no line a request.
std::string roff(std::string_view text) {
  std::string out;
  bool at_begin = true;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(character_length(text), 1);
    const std::uint32_t c = code_point(text.substr(0, length));
    text.remove_prefix(length);
    if (at_begin && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c > 126)
      out += fmt::format("\\[u{:04X}]", c);
    else
      out += static_cast<char>(c);
    at_begin = c == '\n';
  }
  return out;
}

/// Running text in lines of at most 78 bytes, as mandoc asks.
std::string folded(std::string_view text) {
  std::string out;
  std::size_t length = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string word = roff(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const bool fits = length + 1 + word.size() <= 78;
    if (length > 0) out += fits ? ' ' : '\n';
    length = (length > 0 && fits ? length + 1 : 0) + word.size();
    out += word;
  }
  return out + "\n";
}

/// Lines that are shown as they are: an example, a table of a description.
std::string as_is(std::string_view text) {
  return fmt::format(".RS\n.nf\n{}\n.fi\n.RE\n", roff(text));
}

/// A description: lines that begin with blanks stay lines.
std::string paragraphs(std::string_view text) {
  std::string out, running, lines;
  const auto end_part = [&] {
    if (!running.empty()) out += folded(running);
    if (!lines.empty()) out += as_is(lines);
    running.clear(), lines.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool stays = !line.empty() && line.front() == ' ';
    if (stays != running.empty()) end_part();
    if (stays)
      lines += (lines.empty() ? "" : "\n") + line.substr(line.find_first_not_of(' '));
    else
      running += line + "\n";
  }
  end_part();
  return out;
}

std::string option_entry(const Option& option) {
  std::string names;
  if (option.letter != 0) names = fmt::format("\\fB\\-{}\\fR, ", option.letter);
  names += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.argument.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.argument));
  return fmt::format(".TP\n{}\n{}", names, folded(option.help));
}

/// A command line in lines of at most 70 columns, cut before options and operators of the shell.
std::string cut_command(std::string_view command) {
  std::string out;
  std::size_t line = 0; ///< begin of the line in `out`
  while (!command.empty()) {
    std::size_t end = 0;
    for (char quote = 0; end < command.size(); ++end) {
      const char c = command[end];
      if (quote == 0 && end > 0 && c == ' ' && end + 1 < command.size() &&
          (command[end + 1] == '-' || command[end + 1] == '&'))
        break;
      if (c == '"' || c == '\'') quote = quote == 0 ? c : quote == c ? 0 : quote;
    }
    if (out.size() - line + end > 68 && out.size() > line) {
      out += " \\\n   ";
      line = out.size() - 3;
    }
    out += command.substr(0, end);
    command.remove_prefix(end);
  }
  return out;
}

std::string command_section(const Command& command) {
  std::string text =
      fmt::format(".SS \"memlane {}\"\n\\fBmemlane {}\\fR\n{}.PP\n{}", roff(command.name),
                  roff(command.name), folded(command.usage), paragraphs(command.description));
  if (command.call) {
    for (const Option& option : command.options().rows) text += option_entry(option);
    text += ".PP\nExamples:\n";
    std::string examples;
    for (const std::string_view example : command.examples)
      examples += fmt::format("{}{}", examples.empty() ? "" : "\n", cut_command(example));
    text += as_is(examples);
  }
  for (const Command& word : command.words) text += command_section(word);
  return text;
}

constexpr std::string_view introduction =
    "memlane runs algorithms on the GPU machines of theory and counts their\n"
    "exact time: the Discrete, the Unified and the Hierarchical Memory Machine\n"
    "(DMM, UMM, HMM), the Abstract GPU (AGPU) and the Many-core Machine Model\n"
    "(MMM). Every command has the options \\fB\\-\\-help\\fR and\n"
    "\\fB\\-\\-color\\fR \\fIauto\\fR|\\fIalways\\fR|\\fInever\\fR.\n";

constexpr std::string_view ending =
    ".SH \"EXIT STATUS\"\n"
    ".TP\n0\ndone\n"
    ".TP\n1\na check failed: the program's verify, or an exact claim\n"
    ".TP\n2\nan error in the command line, a machine or a program\n"
    ".TP\n3\na limit was reached\n"
    ".TP\n130\ninterrupted\n"
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBMEMLANE_HOME\\fR\na folder with \\fIprograms\\fR and \\fIconfigs\\fR in place\nof "
    "those that came with memlane\n"
    ".TP\n\\fBNO_COLOR\\fR\nif not empty, no colour\n"
    ".SH FILES\n"
    ".TP\n\\fIshare/memlane/programs\\fR\nthe shipped programs; \\fIREADME.md\\fR there describes "
    "their language\n"
    ".TP\n\\fIshare/memlane/configs\\fR\nmachines, sweeps, figures and JSON Schemas;\n"
    "\\fIREADME.md\\fR there defines the machines\n";

} // namespace

std::string manual_page() {
  std::string text =
      fmt::format(".TH MEMLANE 1 \"{}\" \"memlane {}\" \"User Commands\"\n"
                  ".SH NAME\nmemlane \\- run algorithms on theoretical GPU machines\n"
                  ".SH SYNOPSIS\n\\fBmemlane\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
                  ".br\n\\fBmemlane help\\fR [\\fICOMMAND\\fR]\n.SH DESCRIPTION\n{}.SH COMMANDS\n",
                  version_date, roff(version), introduction);
  for (const Command& command : commands()) text += command_section(command);
  return text + std::string(ending);
}

} // namespace memlane::cli
