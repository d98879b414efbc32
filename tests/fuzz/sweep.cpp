// Fuzzes sweep files, whose programs and machines are always the same: errors, or a sweep whose
// places have its texts, and points whose keys have all their digits.
#include "fuzz.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/points/plan.hpp"
#include "memlane/points/sweep_file.hpp"
#include "memlane/support/sha256.hpp"

namespace {

using namespace memlane;

constexpr const char* program = "param n: int = 64 where n >= 1\nparam m: int = n/2\n"
                                "type value = int\nfn combine(x, y) = x + y\n"
                                "memory a[n]: value\nmemory t[n, n]: value\n"
                                "kernel k() { forall i in 0..n { a[i] = combine(t[i, 0], m) } }\n"
                                "main { launch k() }\nverify { assert m >= 0 }\n";
constexpr const char* machine = R"({"model": "hmm", "width": 4, "threads": 8, "multiprocessors": 2,
  "shared": {"latency": 2, "capacity": 256}, "global": {"latency": 10}})";

using Replaced = std::vector<std::pair<std::string, std::string>>;

Result<CheckedProgram> load_program(Sources& sources, const Replaced& replaced) {
  const std::int32_t file = sources.add("p.lane", program);
  lang::Replacements texts;
  for (const auto& [option, text] : replaced) {
    auto& of_kind = option == "fn" ? texts.fns : option == "type" ? texts.types : texts.layouts;
    of_kind.push_back(sources.add("--" + option, text));
  }
  const lang::UseLoader no_uses = [](const lang::Name&,
                                     const std::string&) -> Result<std::int32_t> {
    return error_in("", "no such program");
  };
  Result<lang::Program> tree = lang::load_program(sources, file, no_uses, texts);
  if (!tree) return tree.errors();
  Result<lang::Checked> checked = lang::check(sources, std::move(*tree), claim_counts());
  if (!checked) return checked.errors();
  return CheckedProgram{std::move(*checked), {}};
}

sweep::SweepFiles files_of(Sources& sources) {
  sweep::SweepFiles files;
  files.program = [&sources](const std::string&, const Replaced& replaced) {
    return load_program(sources, replaced);
  };
  files.machine = [&sources](const std::string&, const std::vector<std::string>& overrides) {
    MachineFiles machines;
    machines.read = [](const std::string&) -> Result<std::string> { return std::string(machine); };
    return load_machine(sources, "./m.json", overrides, machines);
  };
  files.input_hash = [](const std::string& path) -> Result<std::string> { return sha256(path); };
  return files;
}

void check_places(const sweep::SweepSpec& sweep, const Sources& sources) {
  test::require(sweep.where.empty() || sources.text(sweep.where_span) == sweep.where);
  for (const auto& group : sweep.axes)
    for (const sweep::SweepAxis& axis : group)
      for (const sweep::AxisPart& part : axis.parts)
        test::require(sources.text(part.span) == part.text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Sources sources;
  const std::int32_t file = sources.add("s.json", test::text_of(data, size));
  const Result<sweep::SweepSpec> sweep = sweep::read_sweep_file(sources, file);
  if (!sweep) {
    test::require(!render(sweep.errors(), sources).empty());
    return 0;
  }
  check_places(*sweep, sources);
  constexpr std::int64_t most = 300; // points that are tried
  if (sweep::combinations(*sweep) > most) return 0;
  const Result<sweep::Plan> plan = sweep::Plan::make(*sweep, files_of(sources), sources);
  if (!plan) {
    test::require(!render(plan.errors(), sources).empty());
    return 0;
  }
  // All machines are equal here, and equal ones are one.
  test::require(plan->size() >= 1 &&
                plan->size() + plan->excluded() <= sweep::combinations(*sweep));
  for (std::int64_t k = 0; k < plan->size(); ++k) test::require(plan->point(k).key.size() == 64);
  return 0;
}
