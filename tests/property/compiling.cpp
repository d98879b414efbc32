#include "compiling.hpp"

#include "support/machines.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/support/random.hpp"

namespace memlane::test {

MachineSpec machine_of_8(Model model, std::int64_t threads) {
  MachineSpec machine;
  machine.name = "small";
  machine.model = model;
  machine.width = 8;
  machine.threads = threads;
  machine.shared = UnitSpec{UnitKind::discrete, Cycles{3}, 1, std::nullopt};
  if (model == Model::hmm) {
    machine.multiprocessors = 2;
    machine.global = UnitSpec{UnitKind::unified, Cycles{11}, 1, std::nullopt};
  }
  return machine;
}

MachineSpec random_machine(std::uint64_t seed) {
  std::uint64_t counter = 0;
  const auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return random_integer(seed, 1, counter++, lo, hi);
  };
  MachineSpec machine;
  machine.name = "random";
  machine.model = seed % 3 == 0 ? Model::dmm : seed % 3 == 1 ? Model::umm : Model::hmm;
  machine.width = pick(0, 3) == 0 ? pick(1, 7) : std::int64_t{1} << pick(0, 4);
  machine.threads = std::max<std::int64_t>(8, machine.width * pick(1, 5));
  machine.threads = (machine.threads + machine.width - 1) / machine.width * machine.width;
  const UnitSpec discrete{UnitKind::discrete, Cycles{pick(1, 9)}, pick(1, 2), std::nullopt};
  const UnitSpec unified{UnitKind::unified, Cycles{pick(1, 20)}, pick(1, 3), std::nullopt};
  if (machine.model != Model::umm) machine.shared = discrete;
  if (machine.model != Model::dmm) machine.global = unified;
  if (machine.model == Model::hmm) machine.multiprocessors = pick(1, 3);
  if (machine.model == Model::hmm && pick(0, 3) == 0) machine.shared->capacity = 150;
  machine.resident_blocks = pick(1, 3);
  machine.block_schedule = pick(0, 1) == 0 ? BlockSchedule::static_ : BlockSchedule::dynamic;
  machine.lockstep = pick(0, 2) == 0;
  machine.instruction_cost = Cycles{pick(0, 1) * pick(0, 3)};
  machine.barrier_cost = Cycles{pick(0, 1) * pick(0, 3)};
  machine.launch_cost = Cycles{pick(0, 1) * pick(0, 5)};
  if (pick(0, 3) == 0) machine.max_threads = machine.threads * pick(1, 2);
  return machine;
}

MachineSpec one_warp_machine(std::uint64_t seed) {
  MachineSpec machine = random_machine(seed);
  const bool one_memory = !machine.shared || !machine.global;
  if (one_memory && seed % 3 == 0) {
    machine = hmm(1 + static_cast<std::int64_t>(seed % 5), machine.width, 2, 7);
    machine.resident_blocks = 1 + static_cast<std::int64_t>(seed % 2);
  }
  machine.threads = std::max(machine.threads, machine.width);
  if (machine.shared) machine.shared->capacity = std::nullopt;
  return machine;
}

MachineSpec random_gpu(std::uint64_t seed) {
  MachineSpec machine = random_machine(3 * seed + 2); // an HMM
  std::uint64_t counter = 0;
  const auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return random_integer(seed, 2, counter++, lo, hi);
  };
  UnitSpec& global = *machine.global;
  const std::int64_t group = pick(1, machine.width);
  if (machine.width % group == 0) global.group = group;
  if (pick(0, 1) == 0) machine.shared->least_stages = pick(1, 4);
  machine.shared->atomic_stages = {Decimal::one + pick(0, 3) * 750000};
  global.atomic_service = {pick(0, 1) == 0 ? 1 : pick(1, 40)};
  if (pick(0, 1) == 0) machine.word_bytes = std::int64_t{1} << pick(0, 3);
  if (pick(0, 2) > 0) {
    global.own_port = true;
    global.least_stages = pick(1, 3);
    if (pick(0, 1) == 0) global.line = global.group.value_or(machine.width) * pick(1, 4);
    if (pick(0, 1) == 0) {
      global.reuse = Reuse::block;
      global.reuse_latency = {pick(1, 9)};
    }
  }
  if (machine.lockstep) return machine;
  if (pick(0, 2) == 0) machine.requests_in_flight = pick(2, 5);
  if (pick(0, 3) == 0) machine.schedule = Schedule::hoisted;
  if (pick(0, 1) == 0) return machine;
  machine.instruction_cost = {0};
  for (std::int64_t k = pick(1, 2); k > 0; --k) {
    OperationUnit unit{"unit " + std::to_string(k), pick(1, 4), {pick(1, 6)}, {}};
    for (std::size_t of = 0; of < operation_classes; ++of)
      if (pick(0, 2) == 0 && !machine.unit_of(static_cast<OperationClass>(of)))
        unit.stages[of] = pick(1, 9);
    if (unit.stages != OperationUnit{}.stages) machine.operations.push_back(unit);
  }
  return machine;
}

std::string thrice(std::string text) {
  const std::string main = "main {", end = "}\nverify";
  const std::size_t begin = text.rfind(main);
  text.insert(text.rfind(end), "}"); // throws where there is none
  return text.insert(begin + main.size(), " for again = 0 to 2 {");
}

Result<ir::Program> compiled(Sources& sources, const std::string& text,
                             const MachineSpec& machine) {
  const std::int32_t file = sources.add("random.lane", text);
  const auto no_uses = [](const lang::Name& name, const std::string&) -> Result<std::int32_t> {
    return error_at(name.span, "no uses");
  };
  auto program = lang::load_program(sources, file, no_uses, {});
  if (!program) return program.errors();
  auto checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked) return checked.errors();
  lang::Bindings bindings{letters(machine), machine.name, {}};
  bindings.awaits_reads = machine.requests_in_flight > 1;
  return lang::lower(*checked, bindings, sources);
}

} // namespace memlane::test
