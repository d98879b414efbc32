// The parts of a file around its functions: types of records, members of the host's class.
#include "device_tree.hpp"

#include <fmt/format.h>

#include <functional>

namespace memlane::cuda {

namespace {

/// A text for each field, put together.
std::string each_field(const Record& record, const char* separator,
                       const std::function<std::string(const Record::Field&)>& text) {
  std::string all;
  for (const Record::Field& field : record.fields)
    all += (all.empty() ? "" : separator) + text(field);
  return all;
}

std::string in_format(const Record& record, const char* separator, const char* format) {
  return each_field(record, separator, [&](const Record::Field& field) {
    return fmt::format(fmt::runtime(format), fmt::arg("name", field.name),
                       fmt::arg("type", field.type), fmt::arg("word", field.word),
                       fmt::arg("source", field.source));
  });
}

// The names of members and parameters are Names::top's own: no field and no type has them.

std::string print_record(const Record& record) {
  return fmt::format(
      "struct {0} {{\n{1}  __host__ __device__ bool operator==(const {0}& record) const {{\n"
      "    return {2};\n  }}\n}};\n"
      "// An array of them: one array a field.\nstruct {0}_words {{\n{3}"
      "  __device__ {0} operator[](int index) const {{ return {{{4}}}; }}\n"
      "  __device__ void put(int index, const {0}& record) const {{\n{5}  }}\n"
      "  __host__ __device__ {0}_words operator+(long long index) const {{\n"
      "    return {{{6}}};\n  }}\n}};\n\n",
      record.name, in_format(record, "", "  {type} {name};\n"),
      in_format(record, " && ", "{name} == record.{name}"),
      in_format(record, "", "  volatile {word}* {name};\n"),
      in_format(record, ", ", "{name}[index]"),
      in_format(record, "", "    {name}[index] = record.{name};\n"),
      in_format(record, ", ", "{name} + index"));
}

/// An array of records in memory: one array a field.
std::string print_record_memory(const Record& record) {
  return fmt::format(
      "struct {0}_memory {{\n{1}"
      "  void allocate(const std::string& array_name, std::initializer_list<long long> sizes, "
      "auto... placement) {{\n{2}  }}\n"
      "  {0} operator[](long long index) {{ return {{{3}}}; }}\n"
      "  {0} initial(long long index) const {{ return {{{4}}}; }}\n"
      "  void put(long long index, const {0}& record) {{\n{5}  }}\n"
      "  {0}_words device() {{ return {{{6}}}; }}\n"
      "  int words() const {{ return {7}.words(); }}\n}};\n\n",
      record.name, in_format(record, "", "  Memory<{word}> {name};\n"),
      in_format(record, "",
                "    {name}.allocate(array_name + \".{source}\", sizes, placement...);\n"),
      in_format(record, ", ", "{name}[index]"), in_format(record, ", ", "{name}.initial(index)"),
      in_format(record, "", "    {name}[index] = record.{name};\n"),
      in_format(record, ", ", "{name}.device()"), record.fields.front().name);
}

} // namespace

std::string print_kernels(const File& file, bool lines) {
  std::string text = "namespace program {\n\n";
  const auto part = [&](const std::string& more) { text += more.empty() ? more : more + "\n"; };
  part(print(file.constants, 0));
  std::string aliases, fns;
  for (const auto& [name, type] : file.aliases)
    aliases += fmt::format("using {} = {};\n", name, type);
  part(aliases);
  // An access to an array of records is of the line that calls their functions: theirs are in no
  // file whose text is there.
  const bool nowhere = lines && !file.records.empty();
  if (nowhere) text += "#line 1 \"functions of records\"\n";
  for (const Record& record : file.records) text += print_record(record);
  if (nowhere) text += std::string(own_lines) + "\n";
  for (const Function& table : file.tables) part(print(table, 0));
  for (const Function& fn : file.fns) fns += print(fn, 0);
  part(fns);
  part(print(file.shared, 0));
  for (const Function& kernel : file.kernels) part(print(kernel, 0));
  return text + "} // namespace program\n\n";
}

std::string print_host(const File& file) {
  std::string text = "namespace program {\n\nusing namespace harness;\n\n", parameters;
  for (const Record& record : file.records) text += print_record_memory(record);
  for (const auto& [source, name] : file.parameters)
    parameters +=
        fmt::format("{}member(\"{}\", {})", parameters.empty() ? "" : " + \", \" + ", source, name);
  text += fmt::format("struct Program {{\n"
                      "  static constexpr const char* facts =\n      R\"json({})json\";\n"
                      "  static constexpr bool repeatable = {};\n\n{}\n{}"
                      "  std::string parameters() const {{ return \"{{\" + {} + \"}}\"; }}\n{}{}\n",
                      file.facts, file.repeatable, print(file.members, 1), print(file.sizes, 1),
                      parameters.empty() ? "std::string()" : parameters, print(file.allocate, 1),
                      print(file.fill, 1));
  for (const Function& proc : file.host_procs) text += print(proc, 1) + "\n";
  text += print(file.run, 1) + print(file.verify, 1);
  return text + "};\n\n} // namespace program\n\nint main(int count, char** words) {\n"
                "  return harness::run<program::Program>(count, words);\n}\n";
}

} // namespace memlane::cuda
