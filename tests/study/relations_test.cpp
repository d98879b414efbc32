// Relations between the AGPU and other models: both sides of each, counted by hand.
#include "support/checked_text.hpp"

#include "memlane/study/verify/relations.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace memlane::sweep {
namespace {

/// An AGPU of warps of 4 threads with 64 words of shared memory.
MachineSpec agpu_of(std::int64_t multiprocessors, bool is_volatile = true) {
  MachineSpec machine;
  machine.name = "agpu";
  machine.model = Model::agpu;
  machine.width = 4;
  machine.threads = 4;
  machine.multiprocessors = multiprocessors;
  machine.is_volatile = is_volatile;
  machine.shared = UnitSpec{UnitKind::discrete, Cycles{1}, 1, 64};
  machine.global = UnitSpec{UnitKind::unified, Cycles{1}, 1, {}};
  return machine;
}

PriceRequest pem(std::int64_t lambda, std::int64_t sigma) {
  auto read =
      read_prices({"pem:lambda=" + std::to_string(lambda) + ",sigma=" + std::to_string(sigma)});
  REQUIRE(read);
  return read->front();
}

Relations relations_on(const MachineSpec& machine, const std::string& text,
                       std::optional<PriceRequest> price = {}, std::int64_t memory = INT64_MAX,
                       bool timing_only = false) {
  INFO(text);
  Sources sources;
  const CheckedProgram program = test::checked_text(sources, "relations.lane", text);
  RelationsRequest request;
  request.price = price;
  request.point.program = &program;
  request.point.machine = machine;
  request.point.options.limits.memory = memory;
  request.point.options.timing_only = timing_only;
  request.point.options.allow_races = text.rfind("races", 0) == 0;
  auto code = bind_point(request.point, sources);
  REQUIRE(code);
  request.point.code = std::make_shared<const ir::Program>(std::move(*code));
  return relations_of(request, sources);
}

/// The relations of a source, as `left <= right`; those without two sides as `?`.
std::vector<std::string> sides_of(const Relations& relations, const std::string& source) {
  std::vector<std::string> sides;
  for (const Relation& relation : relations.relations)
    if (relation.source == source)
      sides.push_back(relation.holds
                          ? relation.left.text +
                                (relation.kind == lang::ClaimKind::equal ? " = " : " <= ") +
                                relation.right.text
                          : "?");
  return sides;
}
using Sides = std::vector<std::string>;

/// Block g assigns shared words in g + 1 time units and writes one block of c in one more.
std::string growing(std::int64_t blocks) {
  return "memory c[" + std::to_string(blocks) + "*b]: int\nkernel f() {\n  shared s[2*b]: int\n" +
         "  for j = 0 to block { s[2*lane] = j }\n  c[block*b + lane] = block\n}\n" +
         "main { launch f() blocks=" + std::to_string(blocks) + " }\nverify { assert c[0] == 0 }\n";
}

} // namespace

TEST_CASE("relations: both sides of each are those counted by hand") {
  // Requests to s have two stages: block g takes 2(g + 1) + 1 = 3, 5, …, 15 time units.
  const Relations relations = relations_on(agpu_of(3), growing(7), pem(100, 1000));
  REQUIRE(!relations.failed);
  CHECK(relations.hold());
  CHECK(relations.run.counts.agpu.time == 3 + 9 + 15); // blocks 0, 3, 6
  CHECK(relations.run.counts.agpu.io == 7);
  CHECK(relations.work == 63);
  CHECK(relations.depth == 15);
  // Ends: 3, 5, 7 of blocks 0 to 2, then 3 + 9, 5 + 11, 7 + 13, 12 + 15.
  CHECK(relations.greedy == 27);
  CHECK(sides_of(relations, "Theorem 2.2 (Brent)") == Sides{"27 <= 31"});
  CHECK(sides_of(relations, "Theorem 3.2") == Sides{"2 <= 2"});
  CHECK(sides_of(relations, "Lemma 3.3") == Sides{"7 = 7"});
  CHECK(sides_of(relations, "Lemma 3.4") == Sides{"7 = 7"});
  CHECK(sides_of(relations, "Theorem 3.5") == Sides{"7 = 7"});
  CHECK(sides_of(relations, "Lemma 3.6") == Sides{"7 <= 7", "24 <= 192"});
  CHECK(sides_of(relations, "Theorem 3.7") == Sides{"7 <= 7"});
  // s = 1, k = 3, M = 64, m = 8: 2*3*16 blocks, 3*64 words, 2*3*2 blocks.
  CHECK(sides_of(relations, "Theorem 3.8") == Sides{"7 <= 199", "96 <= 192", "12 <= 96"});
  const Relation& pem = relations.relations.at(1);
  CHECK(pem.statement.find("27 + 7 lambda + 1 sigma") != std::string::npos);
  CHECK(pem.right.text == "1727");
  CHECK(!pem.holds);
}

TEST_CASE("relations: Theorem 3.9 moves whole multiprocessors") {
  // On 3 multiprocessors 27, 5 + 11 and 7 + 13; numbers 0 and 2 share one of two.
  const Relations relations = relations_on(agpu_of(3), growing(7));
  CHECK(sides_of(relations, "Theorem 3.9") == Sides{"7 = 7", "63 <= 81", "7 = 7", "47 <= 54"});
  CHECK(relations.relations.back().basis == Basis::evaluated);
  CHECK(relations.relations.back().note.find("the time is 36") != std::string::npos); // 0, 2, 4, 6
  // The same number of blocks and of multiprocessors: a run has this schedule.
  const Relations one_each = relations_on(agpu_of(7), growing(7));
  CHECK(sides_of(one_each, "Theorem 3.9") ==
        Sides{"7 = 7", "63 <= 105", "7 = 7", "36 <= 60", "7 = 7", "22 <= 30"});
  for (const Relation& relation : one_each.relations) CHECK(relation.note.empty());
}

TEST_CASE("relations: Theorem 3.9 holds where blocks assigned anew would break it") {
  // Blocks 0, 2 and 4 of 6 take long. On 3 multiprocessors each gets one of them, and of 2 one
  // would get all three if block g ran on g mod 2.
  const Relations relations = relations_on(
      agpu_of(3), "memory c[6*b]: int\nkernel f() {\n"
                  "  if block % 2 == 0 { for j = 1 to 9 { c[block*b + lane] = j } }\n}\n"
                  "main { launch f() blocks=6 }\nverify { assert c[0] == 9 }\n");
  CHECK(relations.run.counts.agpu.time == 9);
  CHECK(sides_of(relations, "Theorem 3.9") == Sides{"27 = 27", "27 <= 27", "27 = 27", "18 <= 18"});
  CHECK(relations.relations.back().note.find("the time is 27") != std::string::npos);
}

TEST_CASE("relations of a program that keeps words are those of machines that are not volatile") {
  const std::string text = "shared s[b]: int\nmemory c[k*b]: int\n"
                           "kernel set() { s[lane] = lane }\n"
                           "kernel get() { c[block*b + lane] = s[lane] }\n"
                           "main { launch set() blocks=k  launch get() blocks=k }\n"
                           "verify { assert c[1] == 1 }\n";
  const Relations relations = relations_on(agpu_of(3, false), text);
  REQUIRE(!relations.failed);
  CHECK(relations.hold());
  for (const char* source :
       {"Theorem 2.2 (Brent)", "Lemma 3.3", "Lemma 3.4", "Theorem 3.5", "Theorem 3.9"})
    CHECK(sides_of(relations, source) == Sides{"?"});
  CHECK(sides_of(relations, "Lemma 3.6") == Sides{"3 <= 3", "12 <= 192"});
  // s = 2, k = 3, m = b = 4: 12 blocks more.
  CHECK(sides_of(relations, "Theorem 3.8") == Sides{"15 <= 387", "192 <= 384", "12 <= 192"});
  CHECK(relations.runs.size() == 1);
  // On a volatile machine it fails, and there is nothing to relate.
  const Relations failed = relations_on(agpu_of(3), text);
  REQUIRE(failed.failed);
  CHECK(failed.failed->result.stop == Stop::error);
  CHECK(failed.relations.empty());
}

TEST_CASE("relations without data do not depend on words that a machine may keep") {
  const std::string kept = "shared s[b]: int\nmemory c[k*b]: int\n"
                           "kernel get() { s[lane] = lane  c[block*b + lane] = s[lane] }\n"
                           "main { launch get() blocks=k }\nverify { assert c[1] == 1 }\n";
  const Relations with_data = relations_on(agpu_of(3, false), kept);
  CHECK(sides_of(with_data, "Lemma 3.4") == Sides{"3 = 3"});
  const Relations timed = relations_on(agpu_of(3, false), kept, {}, INT64_MAX, true);
  REQUIRE(!timed.failed);
  CHECK(timed.run.counts.agpu.time == with_data.run.counts.agpu.time);
  CHECK(sides_of(timed, "Lemma 3.4") == Sides{"?"});
  CHECK(sides_of(timed, "Theorem 3.8").at(0) == "9 <= 195");
  // On a volatile machine all relations are those of the run with data.
  const Relations all = relations_on(agpu_of(3), growing(7), {}, INT64_MAX, true);
  const Relations computed = relations_on(agpu_of(3), growing(7));
  for (const Relation& relation : computed.relations)
    CHECK(sides_of(all, relation.source) == sides_of(computed, relation.source));
}

TEST_CASE("relations that blocks break by communicating are refuted") {
  // On one multiprocessor block 1 begins when block 0 has ended.
  const Relations relations =
      relations_on(agpu_of(2), "races allowed \"a test\"\nmemory a[2]: int\nkernel k() {\n"
                               "  if block == 0 { a[0] = 0  a[0] = 0  a[0] = 1 }\n  if block == 1 "
                               "and a[0] == 1 { a[1] = 1 }\n}\n"
                               "main { launch k() blocks=2 }\nverify { assert a[0] == 1 }\n");
  CHECK(!relations.hold());
  CHECK(sides_of(relations, "Lemma 3.4") == Sides{"4 = 5"});
  CHECK(relations.run.races.races > 0);
}

TEST_CASE("relations have exact numbers beyond 64 bits, and say what was not run", "[release]") {
  MachineSpec machine = agpu_of(65536);
  machine.shared->capacity = std::int64_t{1} << 40;
  machine.width = machine.threads = 1;
  const std::string text = "memory c[1]: int\nkernel f() { c[0] = 1 }\n"
                           "main { for i = 1 to 128 { launch f() blocks=1 } }\n"
                           "verify { assert c[0] == 1 }\n";
  const Relations relations = relations_on(machine, text);
  // With b = 1 the constant is 2: 2 * 2^7 * 2^16 * 2^40 words.
  CHECK(sides_of(relations, "Theorem 3.8").at(1) == "18446744073709551616 <= 18446744073709551616");
  CHECK(sides_of(relations, "Theorem 3.2") == Sides{"?"});
  const Relations no_memory = relations_on(agpu_of(2), growing(40), {}, 8000);
  CHECK(!no_memory.depth);
  CHECK(sides_of(no_memory, "Theorem 2.2 (Brent)") == Sides{"?"});
  CHECK(!sides_of(no_memory, "Theorem 3.9").empty());
}

TEST_CASE("relations of machines with fewer multiprocessors have at most eight") {
  using Counts = std::vector<std::int64_t>;
  CHECK(fewer_multiprocessors(1).empty());
  CHECK(fewer_multiprocessors(2) == Counts{1});
  CHECK(fewer_multiprocessors(13) == Counts{1, 2, 4, 8});
  CHECK(fewer_multiprocessors(256) == Counts{1, 2, 4, 8, 16, 32, 64, 128});
  CHECK(fewer_multiprocessors(257) == Counts{1, 4, 16, 64, 256});
  CHECK(fewer_multiprocessors(65536).size() <= 8);
}

} // namespace memlane::sweep
