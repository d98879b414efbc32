// PTX against machine code: what is said where the counts of loads and stores differ.
#include "fat_files.hpp"

#include "memlane/ptx/audit.hpp"
#include "memlane/ptx/fat_binary.hpp"

#include <fmt/format.h>

namespace memlane::test {

namespace {

using Accesses = std::map<ptx::MachineAccess, std::int64_t>;

/// The audit of kernel k with this body, against machine code with these accesses.
ptx::KernelAudit audited(const std::string& body, Accesses accesses,
                         std::uint32_t architecture = 75,
                         const std::vector<std::string>& functions = {}) {
  Sources sources;
  const auto module = ptx::parse(sources, sources.add("k.ptx", fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.shared .align 16 .b8 words[1024];
.func f(.param .b64 p) {{ .reg .b64 %a; .reg .b32 %x; ld.param.b64 %a, [p]; ld.global.u32 %x, [%a]; ret; }}
.visible .entry k(.param .u64 p) {{
  .reg .b64 %a<4>; .reg .b32 %r<9>; .reg .f32 %f<9>;
  ld.param.u64 %a1, [p];
  {}
  ret;
}}
)",
                                                                           body)));
  INFO((module ? "" : render(module.errors(), sources)));
  REQUIRE(module);
  ptx::Cubin cubin;
  cubin.architecture = architecture;
  cubin.counted = ptx::knows_instructions(architecture);
  cubin.functions = functions;
  ptx::CubinKernel& kernel = cubin.kernels.emplace_back();
  kernel.name = "k";
  kernel.accesses = std::move(accesses);
  const std::int32_t number = ptx::find_function(*module, "k");
  REQUIRE(number >= 0);
  return audit_of(*module, static_cast<std::size_t>(number), cubin, kernel);
}

std::string repeated(int times, const std::string& line) {
  std::string text;
  for (int k = 0; k < times; ++k) text += line;
  return text;
}

const std::string load = "ld.shared.f32 %f1, [words];\n", store = "st.global.u32 [%a1], %r1;\n",
                  read = "ld.global.u32 %r1, [%a1];\n";
using Sentences = std::vector<std::string>;

} // namespace

TEST_CASE("equal counts of loads and stores are no difference") {
  const auto audit = audited(repeated(2, read) + load + store,
                             {{{"LDG", 32}, 2}, {{"LDS", 32}, 1}, {{"STG", 32}, 1}});
  CHECK(audit.differences.empty());
  CHECK(audit.note.empty());
  CHECK(audit.counted);
  REQUIRE(audit.accesses.size() == 3);
  CHECK(name_of(audit.accesses[0].access) == "global load");
  CHECK(audit.accesses[0].ptx == 2);
  CHECK(audit.accesses[0].machine == 2);
  CHECK(audit.accesses[0].bits == 32);
}

TEST_CASE("loads that ptxas merges are told, with their widths") {
  CHECK(audited(repeated(4, load), {{{"LDS", 128}, 1}}).differences ==
        Sentences{
            "4 shared loads of 32 bits became 1 of 128 bits: merged into wider ones, which make "
            "fewer requests"});
  CHECK(audited(repeated(64, load), {{{"LDS", 32}, 32}, {{"LDS", 128}, 8}}).differences ==
        Sentences{"64 shared loads of 32 bits became 32 of 32 bits and 8 of 128 bits: merged into "
                  "wider ones, which make fewer requests"});
  // Of a loop that is unrolled twice.
  CHECK(audited(repeated(4, load), {{{"LDS", 128}, 2}}).differences ==
        Sentences{
            "4 shared loads of 32 bits became 2 of 128 bits: merged into wider ones, which make "
            "fewer requests, and repeated, as by unrolling"});
  // Some loads were removed, too.
  CHECK(audited(repeated(7, load), {{{"LDS", 128}, 1}}).differences ==
        Sentences{
            "7 shared loads of 32 bits became 1 of 128 bits: some were merged into wider ones"});
}

TEST_CASE("repeated loads are told without a claim about what is executed") {
  CHECK(audited(repeated(2, read), {{{"LDG", 32}, 8}}).differences ==
        Sentences{"2 global loads of 32 bits became 8: 4 times each, as by unrolling a loop, which "
                  "does not change how many are executed"});
  // The numbers do not prove which ones were repeated, and why there are fewer not at all.
  CHECK(
      audited(repeated(2, read), {{{"LDG", 32}, 5}}).differences ==
      Sentences{"2 global loads of 32 bits became 5: ptxas repeats instructions, as by unrolling a "
                "loop; the counts do not tell which"});
  CHECK(audited("ld.global.v2.f32 {%f1, %f2}, [%a1];", {{{"LDG", 32}, 2}}).differences ==
        Sentences{"1 global load of 64 bits became 2 of 32 bits: split into narrower ones"});
  CHECK(audited("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%a1];", {{{"LDG", 32}, 2}}).differences ==
        Sentences{"1 global load of 128 bits became 2 of 32 bits: narrower ones, of fewer words in "
                  "all"});
  CHECK(audited(repeated(5, read), {{{"LDG", 32}, 4}}).differences ==
        Sentences{"5 global loads of 32 bits became 4"});
  CHECK(audited(read, {}).differences ==
        Sentences{"1 global load of 32 bits that the machine code does not have"});
}

TEST_CASE("local memory that the PTX does not have is that of registers, where nothing is called") {
  CHECK(audited(store, {{{"STG", 32}, 1}, {{"LDL", 32}, 2}, {{"STL", 128}, 1}}).differences ==
        Sentences{
            "2 local loads of 32 bits that the PTX does not have: registers that ptxas keeps in "
            "memory",
            "1 local store of 128 bits that the PTX does not have: registers that ptxas keeps in "
            "memory"});
  CHECK(audited("{ .param .b64 q; st.param.b64 [q], %a1; call f, (q); }",
                {{{"LDG", 32}, 1}, {{"LDL", 32}, 2}})
            .differences == Sentences{"2 local loads of 32 bits that the PTX does not have"});
}

TEST_CASE("atomics are compared by number, those of shared memory that become loops as such") {
  CHECK(audited("red.global.add.u32 [%a1], 1; atom.global.add.u32 %r1, [%a1], 1;",
                {{{"RED", 0}, 1}, {{"ATOMG", 0}, 1}})
            .differences.empty());
  CHECK(audited(load + "red.shared.add.f32 [words], %f1; atom.shared.add.u32 %r1, [words], 1;",
                {{{"LDS", 32}, 2}, {{"ATOMS", 0}, 2}})
            .differences ==
        Sentences{"1 shared atomic became a loop of a load and a compare-and-swap"});
  // An atomic that became several instructions has loads that are none of the PTX's.
  CHECK(audited(repeated(2, load) + "red.add.f32 [%a1], %f1;",
                {{{"LDS", 32}, 4}, {{"ATOM", 0}, 1}, {{"ATOMS", 0}, 1}})
            .differences == Sentences{"2 shared loads of 32 bits became 4",
                                      "1 shared atomic that the PTX does not have"});
}

TEST_CASE("loads of matrices become others, and no reason is claimed for these") {
  const auto audit =
      audited(read + "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r1, %r2}, [%a1], 16;\n",
              {{{"LDG", 32}, 3}});
  CHECK(audit.differences ==
        Sentences{"loads and stores of matrices (wmma) became others, which are counted here",
                  "1 global load of 32 bits became 3"});
}

TEST_CASE("what a comparison does not cover is said") {
  const auto unknown = audited(read, {}, 70);
  CHECK(!unknown.counted);
  CHECK(unknown.accesses.empty());
  CHECK(unknown.differences.empty());
  CHECK(unknown.note == "memlane does not know the instructions of sm_70: none were counted");
  CHECK(audited(read, {{{"LDG", 32}, 1}}, 90).note ==
        "it was made of PTX for another architecture than that which is executed here (sm_75)");
  const std::string call = "{ .param .b64 q; st.param.b64 [q], %a1; call f, (q); }";
  // The function is a part of the kernel's machine code, or stands beside it.
  CHECK(audited(call, {{{"LDG", 32}, 1}}).differences.empty());
  for (const char* const name : {"f", "f$1"}) {
    const auto elsewhere = audited(call, {}, 75, {name});
    CHECK(elsewhere.differences.empty());
    CHECK(elsewhere.note == "without f, whose machine code stands on its own");
  }
  CHECK(!audited(call, {}, 75, {"full"}).differences.empty());
}

TEST_CASE("the kept fat binary's kernels have the accesses of their PTX") {
  const std::string bytes = fat_file("accesses.fatbin");
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  Sources sources;
  const auto module = ptx::parse(sources, sources.add("text", fat_text(bytes, 75)));
  REQUIRE(module);
  const auto& entry = fat->entries[static_cast<std::size_t>(ptx::nearest_cubin(*fat, 75))];
  const auto code = ptx::unpacked(entry, "file");
  REQUIRE(code);
  const auto cubin = ptx::read_cubin(*code, 75, "file");
  REQUIRE(cubin);
  CHECK(cubin->functions.empty());
  int compared = 0;
  for (std::size_t k = 0; k < module->functions.size(); ++k) {
    const ptx::CubinKernel* const machine = cubin->find(module->functions[k].name);
    REQUIRE(machine);
    const auto audit = audit_of(*module, k, *cubin, *machine);
    INFO(machine->name);
    CHECK(audit.differences.empty());
    CHECK(audit.note.empty());
    CHECK(!audit.accesses.empty());
    ++compared;
  }
  CHECK(compared == 8);
}

} // namespace memlane::test
