#include "memlane/show/machine_code.hpp"

#include "memlane/show/kernel_name.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane {

namespace {

const schema::Table<ComparedInstructions>& compared_instructions_table() {
  using Row = ComparedInstructions;
  static const schema::Table<Row> table({
      {"access", "what the instructions do, such as shared load", &Row::access},
      {"bits", "that a lane loads or stores; 0: instructions of all widths", &Row::bits},
      {"ptx", "instructions in the PTX", &Row::ptx},
      {"machine", "instructions in the machine code", &Row::machine},
  });
  return table;
}

bool has_code(const MachineCode& kernel) { return kernel.architecture > 0; }
bool is_equal(const MachineCode& kernel) {
  return kernel.counted && kernel.differences.empty() && kernel.note.empty();
}

std::string kernel_names(const std::vector<MachineCode>& kernels,
                         bool (*wanted)(const MachineCode&)) {
  std::string names;
  for (const MachineCode& kernel : kernels)
    if (wanted(kernel)) names += (names.empty() ? "" : ", ") + name_in_width(kernel.name, 60);
  return names;
}

/// `sm_75`, or several.
std::string architectures(const std::vector<MachineCode>& kernels) {
  std::set<std::int64_t> all;
  for (const MachineCode& kernel : kernels)
    if (has_code(kernel)) all.insert(kernel.architecture);
  std::string text;
  for (const std::int64_t one : all) text += fmt::format("{}sm_{}", text.empty() ? "" : ", ", one);
  return text;
}

std::string kernel_text(const MachineCode& kernel) {
  std::string text = fmt::format("  {}\n", name_in_width(kernel.name, 76));
  for (const std::string& difference : kernel.differences) text += paragraph_text(difference, 4);
  if (!kernel.note.empty()) text += paragraph_text(kernel.note, 4);
  return text;
}

} // namespace

const schema::Table<MachineCode>& machine_code_table() {
  static const schema::Table<MachineCode> table({
      {"kernel", "its name in the PTX", &MachineCode::kernel},
      {"name", "as its source has it", &MachineCode::name},
      {"architecture", "80 is sm_80; 0: the program has no machine code of the kernel",
       &MachineCode::architecture},
      {"registers", "of a thread; 0: unknown", &MachineCode::registers},
      {"static_shared", "bytes of a block's shared memory", &MachineCode::static_shared},
      {"instructions", "of the machine code", &MachineCode::instructions},
      {"counted", "whether memlane knows the instructions of the architecture",
       &MachineCode::counted},
      {"accesses", compared_instructions_table(), "instructions of a kind and width",
       "that access memory or other lanes, in the text, not as executed", &MachineCode::accesses},
      {"differences", schema::list(schema::text(), "in plain words; none: the counts are equal"),
       [](const MachineCode& kernel) { return schema::Json(kernel.differences); }},
      {"note", "what the comparison does not cover; empty: nothing", &MachineCode::note},
  });
  return table;
}

std::string machine_code_text(const std::vector<MachineCode>& kernels) {
  if (kernels.empty()) return "";
  const auto is_lacking = [](const MachineCode& kernel) { return !has_code(kernel); };
  const std::string lacking = kernel_names(kernels, is_lacking);
  std::string text;
  if (const std::string known = architectures(kernels); !known.empty()) {
    text +=
        paragraph_text(fmt::format("loads, stores and atomics in the machine code ({}), against "
                                   "the PTX that was executed",
                                   known),
                       0);
    bool differs = false;
    for (const MachineCode& kernel : kernels) {
      if (!has_code(kernel) || is_equal(kernel)) continue;
      differs = differs || !kernel.differences.empty();
      text += kernel_text(kernel);
    }
    if (const std::string equal = kernel_names(kernels, is_equal); !equal.empty())
      text += paragraph_text("as many of each kind and width: " + equal, 2);
    if (differs)
      text += paragraph_text("Instructions of the text are compared, not how often they are "
                             "executed. Requests and time are those of the PTX.",
                             2);
  }
  if (!lacking.empty())
    text += paragraph_text("no machine code in the program, so that registers are unknown, and "
                           "what ptxas would merge: " +
                               lacking,
                           0);
  return text;
}

} // namespace memlane
