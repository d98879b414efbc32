// The pages of `memlane explain`.
#pragma once

#include "command.hpp"
#include "program.hpp"

#include "memlane/show/count_groups.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

/// The rules of the machines in short, with the choices that the papers leave open; those of one
/// model, or of all.
std::string machine_choices(std::optional<Model> model);
/// Every value of a machine: its meaning and where it comes from.
std::string machine_page(const LoadedMachine& machine, const Sources& sources, std::size_t columns);
/// Every number of a result and column of a store.
std::vector<CountGroup> all_counts();
/// Which operators count: the rule behind the count `instructions`.
std::string counting_rule();
/// A program's documentation, parameters, arrays, kernels and claims.
std::string program_page(const ProgramText& text, const Sources& sources);
/// Its claims: source, kind, and what is tested how.
std::string claims_page(const ProgramText& text, const Sources& sources);

/// What is explained, and how a machine and a program are changed.
struct ExplainRequest {
  std::vector<std::string> words; ///< `machine umm-w32`
  MachineSelection machine;
  ProgramSelection program; ///< without its name
  std::size_t columns = 0;  ///< of the terminal; 0: none
};

/// What a model of computation counts and leaves out; without a name, a list of the models.
Result<std::string> explain_model(const ExplainRequest& request, Sources& sources);

/// What Nsight Compute counts, beside what memlane counts: which are equal, which not, and why.
Result<std::string> explain_nsight(const ExplainRequest& request, Sources& sources);

Command explain_relations_command();

/// A JSON Schema of files and results.
struct SchemaPage {
  std::string_view name;
  std::string_view of; ///< what it describes
  nlohmann::ordered_json (*schema)();
};
/// All of them. Those of files that people write are shipped in `configs`; the others are made at
/// install.
const std::vector<SchemaPage>& schema_pages();

} // namespace memlane::cli
