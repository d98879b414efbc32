// The relations of models hold for random programs without races on random AGPUs.
#include "memlane/study/verify/relations.hpp"

#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/checked_text.hpp"

#include <regex>

namespace memlane::test {
namespace {

MachineSpec random_agpu(std::uint64_t seed) {
  MachineSpec machine;
  machine.name = "random agpu";
  machine.model = Model::agpu;
  machine.width = machine.threads = std::int64_t{1} << (seed % 4);
  machine.multiprocessors = static_cast<std::int64_t>(1 + seed / 4 % 7);
  machine.is_volatile = seed % 3 > 0;
  machine.shared = UnitSpec{UnitKind::discrete, Cycles{1}, 1, 1 << 14};
  machine.global = UnitSpec{UnitKind::unified, Cycles{1}, 1, {}};
  return machine;
}

/// Blocks of one warp.
std::string agpu_program(std::uint64_t seed) {
  const std::string text = seed % 3 == 0 ? tiled_program(seed) : race_free_program(seed, true);
  return std::regex_replace(text, std::regex(" threads=[0-9]+"), "");
}

} // namespace

TEST_CASE("relations of models hold for random programs without races") {
  int judged = 0, evaluated_39 = 0;
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    const std::string text = agpu_program(seed);
    const MachineSpec machine = random_agpu(seed * 7);
    INFO("seed " << seed << ", width " << machine.width << ", multiprocessors "
                 << machine.multiprocessors << "\n"
                 << text);
    Sources sources;
    const CheckedProgram program = checked_text(sources, "random.lane", text);
    sweep::RelationsRequest request;
    request.point.program = &program;
    request.point.machine = machine;
    auto code = sweep::bind_point(request.point, sources);
    if (!code) FAIL(render(code.errors(), sources));
    request.point.code = std::make_shared<const ir::Program>(std::move(*code));
    const sweep::Relations relations = sweep::relations_of(request, sources);
    if (relations.failed) continue; // about one in ten races
    judged += 1;
    CHECK(relations.hold());
    CHECK(relations.relations.size() >= 13);
    for (const sweep::Relation& relation : relations.relations)
      evaluated_39 += !relation.note.empty() && relation.holds.has_value();
    // Sums over multiprocessors and their maximum ([K] section 3.2).
    REQUIRE(relations.depth);
    CHECK(*relations.depth <= *relations.greedy);
    CHECK(*relations.depth <= *relations.run.counts.agpu.time);
    CHECK(*relations.run.counts.agpu.time <= relations.work);
    CHECK(*relations.run.counts.agpu.io <=
          machine.multiprocessors * *relations.run.counts.agpu.time);
  }
  CHECK(judged > 60);
  CHECK(evaluated_39 > 0);
}

} // namespace memlane::test
