// Each opcode that accesses memory, with all its types, vectors and spaces, against a lane at a
// time: in order and out of order, whole warps and guarded lanes, on every instruction set of this
// processor.
#include "opcode_tests.hpp"
#include "program.hpp"
#include "scalar.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

namespace memlane::test {

using ptx::Opcode;
using ptx::Type;

namespace {

constexpr std::size_t lanes = 32, slot = 32; // bytes of a lane's own memory
using Bytes = std::vector<std::uint8_t>;
struct alignas(slot) Slot {
  std::uint8_t bytes[slot] = {};
};

const std::vector<std::string> spaces{"global", "shared", "local", "generic", "shared::cta"};

std::string suffix_of(const std::string& space) { return space == "generic" ? "" : "." + space; }

/// The lane whose slot a lane accesses, in the second half of the forms.
std::size_t other_lane(std::size_t lane) { return lane * 7 % lanes; }

/// A kernel: 64 bits of address %l4 are the lane's slot of the space, %l5 those of its place in
/// `out`, %p1 holds in lanes that take part. In memory of all spaces, the slot has the lane's bytes
/// of `in`. `body` follows; then the slot is copied to `back`.
std::string kernel_around(const std::string& name, const std::string& space, bool mixed,
                          const std::string& body) {
  const bool local = space == "local";
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 in, .param .u64 out, .param .u64 back, .param .u32 "
      "mask)\n{{\n"
      ".reg .pred %p<4>;\n.reg .b16 %h<12>;\n.reg .b32 %r<40>;\n.reg .b64 %l<24>;\n"
      ".shared .align 32 .b8 words[{}];\n.local .align 32 .b8 own[{}];\n"
      "ld.param.u64 %l0, [in];\nld.param.u64 %l1, [out];\nld.param.u64 %l2, [back];\n"
      "ld.param.u32 %r38, [mask];\nmov.u32 %r30, %tid.x;\nmul.lo.u32 %r31, %r30, 7;\n"
      "and.b32 %r31, %r31, 31;\nshr.u32 %r38, %r38, %r30;\nand.b32 %r38, %r38, 1;\n"
      "setp.ne.u32 %p1, %r38, 0;\nmad.wide.u32 %l0, %r30, {}, %l0;\nmad.wide.u32 %l5, %r30, 64, "
      "%l1;\nmad.wide.u32 %l6, %r30, {}, %l2;\nmul.wide.u32 %l7, %r30, {};\n",
      name, lanes * slot, slot, slot, slot, slot);
  text += local               ? "mov.u64 %l3, own;\n"
          : space == "global" ? "mov.u64 %l3, %l6;\n"
                              : "mov.u64 %l3, words;\nadd.u64 %l3, %l3, %l7;\n";
  if (space == "generic") text += "cvta.shared.u64 %l3, %l3;\n";
  for (std::size_t at = 0; at < slot; at += 4)
    text += fmt::format("ld.global.u32 %r32, [%l0+{}];\nst{}.u32 [%l3+{}], %r32;\n", at,
                        suffix_of(space), at);
  text += "bar.sync 0;\n";
  // Lanes' slots follow each other, except in local memory, where each lane has its own.
  text += mixed && !local
              ? fmt::format("sub.s32 %r33, %r31, %r30;\nmul.wide.s32 %l8, %r33, {};\nadd.s64 %l4, "
                            "%l3, %l8;\n",
                            slot)
              : "mov.u64 %l4, %l3;\n";
  text += body + "bar.sync 0;\n";
  for (std::size_t at = 0; at < slot; at += 4)
    text += fmt::format("ld{}.u32 %r32, [%l3+{}];\nst.global.u32 [%l6+{}], %r32;\n",
                        suffix_of(space), at, at);
  return text + "ret;\n}\n";
}

/// One instruction, and what a lane does with the slot's bytes. `regs`: what it leaves at its
/// place in `out`, of 8 words of 64 bits.
struct MemoryForm {
  std::string body;
  std::string space;
  bool mixed = false;
  int loaded = 0, row_bits = 64; ///< registers that are stored to `out`, 0 in other lanes
  std::function<void(std::uint8_t* at, const std::uint8_t* own, std::uint64_t* regs)> lane;
};

const char* register_of(int bits) { return bits == 64 ? "%l1" : bits == 32 ? "%r1" : "%h1"; }

std::uint64_t extended(const std::uint8_t* at, Type type, int row_bits) {
  std::uint64_t bits = 0;
  const int own = ptx::bits_of(type);
  std::memcpy(&bits, at, static_cast<std::size_t>(own / 8));
  if (ptx::is_signed(type) && own < 64 && (bits >> (own - 1) & 1) != 0) bits |= ~0ull << own;
  return row_bits == 64 ? bits : bits & ((1ull << row_bits) - 1);
}

std::vector<int> vectors_of(Opcode opcode, int bits) {
  std::vector<int> all{1, 2};
  if (bits <= 32 || opcode != Opcode::ldu) all.push_back(4);
  if (bits == 64 && opcode == Opcode::ldu) all.pop_back();
  if (bits == 32 && opcode != Opcode::ldu) all.push_back(8);
  return all;
}

std::string vector_text(int count) { return count == 1 ? "" : fmt::format(".v{}", count); }

/// `%r10` or `{%r10, %r11}`.
std::string registers_text(int count, int row_bits) {
  const char letter = register_of(row_bits)[1];
  const int first = row_bits == 16 ? 1 : 10;
  std::string text = fmt::format("%{}{}", letter, first);
  for (int k = 1; k < count; ++k) text += fmt::format(", %{}{}", letter, first + k);
  return count == 1 ? text : "{" + text + "}";
}
std::string each_register(int count, int row_bits, const std::string& f) {
  const char letter = register_of(row_bits)[1];
  const int first = row_bits == 16 ? 1 : 10;
  std::string text;
  for (int k = 0; k < count; ++k)
    text += fmt::format(fmt::runtime(f), fmt::format("%{}{}", letter, first + k), 8 * k, row_bits);
  return text;
}

/// Loads or stores of one type, with registers as wide as PTX allows.
void add_accesses(std::vector<MemoryForm>& all, const ptx::OpcodeRow& row, Type type,
                  const std::string& space, bool mixed) {
  const int bits = ptx::bits_of(type);
  const bool stores = row.opcode == Opcode::st;
  for (const int count : vectors_of(row.opcode, bits))
    for (const int row_bits : {16, 32, 64}) {
      if (row_bits < bits || (ptx::is_float(type) && row_bits != bits)) continue;
      MemoryForm form;
      form.space = space;
      form.mixed = mixed;
      const std::string name = fmt::format("{}{}{}.{}", row.mnemonic, suffix_of(space),
                                           vector_text(count), ptx::name_of(type));
      const std::string values = registers_text(count, row_bits);
      if (stores)
        form.body = each_register(count, row_bits, "ld.global.b{2} {0}, [%l5+{1}];\n") +
                    fmt::format("@%p1 {} [%l4], {};\n", name, values);
      else
        form.body = each_register(count, row_bits, "mov.b{2} {0}, 0;\n") +
                    fmt::format("@%p1 {} {}, [%l4];\n", name, values) +
                    each_register(count, row_bits, "st.global.b{2} [%l5+{1}], {0};\n");
      form.loaded = stores ? 0 : count;
      form.row_bits = row_bits;
      form.lane = [=](std::uint8_t* at, const std::uint8_t*, std::uint64_t* regs) {
        const auto bytes = static_cast<std::size_t>(bits / 8);
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
          if (stores)
            std::memcpy(at + k * bytes, &regs[k], bytes);
          else
            regs[k] = extended(at + k * bytes, type, row_bits);
        }
      };
      all.push_back(std::move(form));
    }
}

std::vector<MemoryForm> accesses() {
  std::vector<MemoryForm> all;
  for (const Opcode opcode : {Opcode::ld, Opcode::st, Opcode::ldu}) {
    const ptx::OpcodeRow& row = ptx::row_of(opcode);
    for (const Type type : ptx::types_of(row, 0))
      for (const std::string& space : spaces)
        for (const bool mixed : {false, true}) {
          if (opcode == Opcode::ldu && space != "global") continue;
          add_accesses(all, row, type, space, mixed);
        }
  }
  return all;
}

Bytes random_bytes(std::mt19937_64& random, std::size_t count) {
  Bytes made(count);
  for (std::uint8_t& byte : made)
    byte = static_cast<std::uint8_t>(random() % 3 == 0 ? 0xff : random());
  return made;
}

constexpr std::uint32_t masks[] = {0xffffffff, 0x55555555, 0x0000fff0, 0x80000001};

/// Runs all forms on all instruction sets; a kernel each.
void compare(const std::vector<MemoryForm>& forms) {
  REQUIRE_FALSE(forms.empty());
  std::string text = ".version 8.8\n.target sm_100\n.address_size 64\n";
  for (std::size_t k = 0; k < forms.size(); ++k)
    text += kernel_around(fmt::format("k{}", k), forms[k].space, forms[k].mixed, forms[k].body);
  std::mt19937_64 random(3);
  for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
    Program program("memory.ptx", text, set);
    std::vector<Slot> in(lanes), back(lanes);
    std::vector<std::uint64_t> out(8 * lanes);
    program.give(in), program.give(back), program.give(out);
    for (std::size_t k = 0; k < forms.size(); ++k)
      for (const std::uint32_t mask : masks) {
        const Bytes given = random_bytes(random, lanes * slot);
        std::memcpy(in.data(), given.data(), given.size());
        for (std::uint64_t& word : out) word = random();
        std::vector<std::uint64_t> regs = out;
        Bytes wanted = given;
        for (std::size_t l = 0; l < lanes; ++l) {
          const std::size_t at = forms[k].mixed && forms[k].space != "local" ? other_lane(l) : l;
          std::uint64_t values[8] = {};
          std::copy_n(regs.begin() + static_cast<std::ptrdiff_t>(8 * l), 8, values);
          if ((mask >> l & 1) != 0)
            forms[k].lane(wanted.data() + at * slot, given.data() + l * slot, values);
          else
            std::fill_n(values, forms[k].loaded, 0);
          std::copy_n(values, 8, regs.begin() + static_cast<std::ptrdiff_t>(8 * l));
        }
        const Launched launched =
            program.launch(fmt::format("k{}", k), {1, 1, 1}, {lanes, 1, 1}, in, out, back, mask);
        INFO(set.name << ", " << forms[k].space << ", mask " << std::hex << mask << "\n"
                      << forms[k].body << launched.fault);
        REQUIRE(launched.fault.empty());
        REQUIRE(std::memcmp(wanted.data(), back.data(), wanted.size()) == 0);
        // Registers are stored as wide as they are: other bytes stay.
        const int row_bits = forms[k].row_bits;
        const std::uint64_t all = row_bits == 64 ? ~0ull : (1ull << row_bits) - 1;
        for (std::size_t w = 0; w < out.size(); ++w) REQUIRE(((out[w] ^ regs[w]) & all) == 0);
      }
  }
}

// --- updates

/// What an update makes of the old value; `b`: its source, `c`: the new value of cas.
std::uint64_t updated(const std::string& what, Type type, std::uint64_t old, std::uint64_t b,
                      std::uint64_t c) {
  const int bits = ptx::bits_of(type);
  const std::uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  if (what == "exch") return b;
  if (what == "cas") return old == b ? c : old;
  if (what == "and") return old & b;
  if (what == "or") return old | b;
  if (what == "xor") return old ^ b;
  if (what == "inc") return old >= b ? 0 : old + 1;
  if (what == "dec") return old == 0 || old > b ? b : old - 1;
  ptx::Operation op;
  op.opcode = what == "min" ? Opcode::min : what == "max" ? Opcode::max : Opcode::add;
  op.type = type;
  return scalar_result(op, {old, b, 0, 0, false}).d & all;
}

struct Update {
  std::string what;
  std::vector<Type> types;
  bool has_red = true;
};
const std::vector<Update>& updates() {
  static const std::vector<Update> all{
      {"add",
       {Type::u32, Type::s32, Type::u64, Type::f32, Type::f64, Type::f16, Type::f16x2, Type::bf16,
        Type::bf16x2}},
      {"min", {Type::u32, Type::s32, Type::u64, Type::s64}},
      {"max", {Type::u32, Type::s32, Type::u64, Type::s64}},
      {"inc", {Type::u32}},
      {"dec", {Type::u32}},
      {"and", {Type::b32, Type::b64}},
      {"or", {Type::b32, Type::b64}},
      {"xor", {Type::b32, Type::b64}},
      {"exch", {Type::b32, Type::b64}, false},
      {"cas", {Type::b16, Type::b32, Type::b64}, false},
  };
  return all;
}

std::uint64_t value_for(Type type, std::mt19937_64& random) {
  const auto half = [&] { return half_of(static_cast<double>(random() % 64) / 4 - 8); };
  const auto brain = [&] { return 0x3f80u + (random() % 256) + (random() % 2 << 15); };
  switch (type) {
  case Type::f32: {
    const float value = static_cast<float>(random() % 4096) / 16 - 128;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  case Type::f64: {
    const double value = static_cast<double>(random() % 4096) / 3 - 500;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  case Type::f16: return half();
  case Type::f16x2: return half() | static_cast<std::uint64_t>(half()) << 16;
  case Type::bf16: return brain();
  case Type::bf16x2: return brain() | brain() << 16;
  default: {
    const std::uint64_t bits = random() % 2 == 0 ? random() % 6 : random();
    const int width = ptx::bits_of(type);
    return width == 64 ? bits : bits & ((1ull << width) - 1);
  }
  }
}

/// A kernel in which lanes update word `lane % 5` of a space with 2 sources each.
std::string update_kernel(const std::string& name, const std::string& opcode, const Update& update,
                          Type type, const std::string& space) {
  const int bits = ptx::bits_of(type);
  const char letter = register_of(bits)[1];
  const bool atom = opcode == "atom",
             half = bits == 16 || type == Type::f16x2 || type == Type::bf16x2;
  const std::string form =
      fmt::format("{}{}.{}{}.{}", opcode, suffix_of(space), update.what,
                  half && update.what == "add" ? ".noftz" : "", ptx::name_of(type));
  return fmt::format(
      ".visible .entry {0}(.param .u64 in, .param .u64 out, .param .u64 back, .param .u32 mask)\n"
      "{{\n.reg .pred %p<4>;\n.reg .b16 %h<12>;\n.reg .b32 %r<40>;\n.reg .b64 %l<24>;\n"
      ".shared .align 8 .b8 words[64];\nld.param.u64 %l10, [in];\nld.param.u64 %l11, [out];\n"
      "ld.param.u64 %l12, [back];\nld.param.u32 %r20, [mask];\nmov.u32 %r21, %tid.x;\n"
      "shr.u32 %r20, %r20, %r21;\nand.b32 %r20, %r20, 1;\nsetp.ne.u32 %p1, %r20, 0;\n"
      "mad.wide.u32 %l10, %r21, 16, %l10;\nmad.wide.u32 %l11, %r21, 8, %l11;\n"
      "rem.u32 %r22, %r21, 5;\nmul.wide.u32 %l13, %r22, 8;\nadd.u64 %l12, %l12, %l13;\n"
      "ld.global.u64 %l14, [%l12];\nmov.u64 %l15, words;\nadd.u64 %l15, %l15, %l13;\n"
      "st.shared.u64 [%l15], %l14;\nbar.sync 0;\nmov.u64 %l16, {1};\n{2}"
      "ld.global.b{3} %{4}1, [%l10];\nld.global.b{3} %{4}2, [%l10+8];\nmov.b{3} %{4}3, 0;\n"
      "@%p1 {5} {6}[%l16], %{4}1{7};\nst.global.b{3} [%l11], %{4}3;\nbar.sync 0;\n{8}ret;\n}}\n",
      name, space == "global" ? "%l12" : "%l15",
      space == "generic" ? "cvta.shared.u64 %l16, %l16;\n" : "", bits, letter, form,
      atom ? fmt::format("%{}3, ", letter) : "",
      update.what == "cas" ? fmt::format(", %{}2", letter) : "",
      space == "global" ? "" : "ld.shared.u64 %l14, [%l15];\nst.global.u64 [%l12], %l14;\n");
}

void compare_update(Program& program, const std::string& kernel, const Update& update, Type type,
                    bool atom, std::uint32_t mask, std::mt19937_64& random) {
  std::vector<std::uint64_t> in(2 * lanes), out(lanes), back(8);
  program.give(in), program.give(out), program.give(back);
  for (std::uint64_t& word : in) word = value_for(type, random);
  for (std::uint64_t& word : back) word = value_for(type, random);
  if (update.what == "cas") // that many of them find what they compare with
    for (std::size_t l = 0; l < lanes; ++l) in[2 * l] = l < 10 ? back[l % 5] : in[2 * (l - 5) + 1];
  std::vector<std::uint64_t> words = back, olds(lanes, 0);
  for (std::size_t l = 0; l < lanes; ++l) {
    if ((mask >> l & 1) == 0) continue;
    std::uint64_t& word = words[l % 5];
    if (atom) olds[l] = word;
    word = updated(update.what, type, word, in[2 * l], in[2 * l + 1]);
  }
  const Launched launched = program.launch(kernel, {1, 1, 1}, {lanes, 1, 1}, in, out, back, mask);
  INFO(update.what << " " << ptx::name_of(type) << " " << std::hex << mask << launched.fault);
  REQUIRE(launched.fault.empty());
  REQUIRE(back == words);
  REQUIRE(out == olds);
}

} // namespace

const std::vector<Opcode>& memory_opcodes() {
  static const std::vector<Opcode> all{Opcode::ld, Opcode::ldu, Opcode::st, Opcode::atom,
                                       Opcode::red, Opcode::cp, Opcode::ldmatrix, Opcode::cvta,
                                       Opcode::isspacep,
                                       // stack_test.cpp
                                       Opcode::alloca, Opcode::stacksave, Opcode::stackrestore};
  return all;
}

TEST_CASE("loads and stores of all types agree with a lane at a time") { compare(accesses()); }

TEST_CASE("updates of memory of all types agree with a lane at a time") {
  std::mt19937_64 random(9);
  for (const ptx::InstructionSet& set : ptx::instruction_sets())
    for (const Update& update : updates())
      for (const Type type : update.types)
        for (const std::string space : {"global", "shared", "generic"})
          for (const std::string opcode : {"atom", "red"}) {
            if (opcode == "red" && !update.has_red) continue;
            Program program("update.ptx",
                            ".version 8.8\n.target sm_100\n.address_size 64\n" +
                                update_kernel("k", opcode, update, type, space),
                            set);
            for (const std::uint32_t mask : masks)
              compare_update(program, "k", update, type, opcode == "atom", mask, random);
          }
}

TEST_CASE("asynchronous copies of all sizes agree with a lane at a time") {
  std::vector<MemoryForm> forms;
  for (const char* const space : {"shared", "shared::cta"})
    for (const bool mixed : {false, true})
      for (const int bytes : {4, 8, 16})
        for (int source = -1; source <= bytes; source += source < 4 ? 1 : 4) {
          MemoryForm form;
          form.space = space;
          form.mixed = mixed;
          const std::string count = source < 0 ? "" : fmt::format(", {}", source);
          form.body =
              fmt::format("@%p1 cp.async.{}.{}.global [%l4], [%l0+{}], {}{};\n"
                          "cp.async.commit_group;\ncp.async.wait_group 0;\n"
                          "cp.async.wait_all;\n",
                          bytes == 16 ? "cg" : "ca", space, bytes == 16 ? 16 : bytes, bytes, count);
          const auto copied = static_cast<std::size_t>(source < 0 ? bytes : source);
          const auto whole = static_cast<std::size_t>(bytes);
          form.lane = [=](std::uint8_t* at, const std::uint8_t* own, std::uint64_t*) {
            std::memset(at, 0, whole);
            std::memcpy(at, own + whole, copied);
          };
          forms.push_back(std::move(form));
        }
  compare(forms);
}

TEST_CASE("matrices of eight times eight are loaded as their rows say") {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const auto kernel = [](int count, bool turned, const std::string& space) {
    const std::string regs = count == 1   ? "{%r1}"
                             : count == 2 ? "{%r1, %r2}"
                                          : "{%r1, %r2, %r3, %r4}";
    return fmt::format(
        ".visible .entry k{0}{1}{2}(.param .u64 in, .param .u64 out)\n{{\n.reg .b32 %r<12>;\n"
        ".reg .b64 %l<9>;\n.shared .align 16 .b8 words[512];\nld.param.u64 %l0, [in];\n"
        "ld.param.u64 %l1, [out];\nmov.u32 %r9, %tid.x;\nmul.wide.u32 %l2, %r9, 16;\n"
        "add.u64 %l0, %l0, %l2;\nadd.u64 %l1, %l1, %l2;\nmov.u64 %l3, words;\n"
        "add.u64 %l4, %l3, %l2;\nld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%l0];\n"
        "st.shared.v4.u32 [%l4], {{%r1, %r2, %r3, %r4}};\nbar.sync 0;\n"
        // Rows in another order than they lie.
        "xor.b32 %r9, %r9, 5;\nmul.wide.u32 %l2, %r9, 16;\nadd.u64 %l4, %l3, %l2;\n{3}"
        "ldmatrix.sync.aligned.m8n8.x{0}{4}{5}.b16 {6}, [%l4];\n"
        "st.global.v4.u32 [%l1], {{%r1, %r2, %r3, %r4}};\nret;\n}}\n",
        count, turned ? "t" : "", space == "shared" ? "" : "g",
        space == "shared" ? "" : "cvta.shared.u64 %l4, %l4;\n", turned ? ".trans" : "",
        suffix_of(space), regs);
  };
  for (const int count : {1, 2, 4})
    for (const bool turned : {false, true})
      for (const char* const space : {"shared", "generic"}) text += kernel(count, turned, space);
  std::vector<std::uint16_t> in(8 * lanes), out(8 * lanes);
  std::mt19937_64 random(4);
  for (std::uint16_t& one : in) one = static_cast<std::uint16_t>(random());
  for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
    Program program("matrices.ptx", text, set);
    program.give(in), program.give(out);
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{4}})
      for (const bool turned : {false, true})
        for (const bool generic : {false, true}) {
          const std::string name =
              fmt::format("k{}{}{}", count, turned ? "t" : "", generic ? "g" : "");
          std::vector<std::uint16_t> wanted = in; // registers that are not loaded
          for (std::size_t m = 0; m < count; ++m)
            for (std::size_t l = 0; l < lanes; ++l)
              for (std::size_t k = 0; k < 2; ++k) {
                std::size_t row = l / 4, column = 2 * (l % 4) + k;
                if (turned) std::swap(row, column);
                wanted[8 * l + 2 * m + k] = in[8 * ((8 * m + row) ^ 5) + column];
              }
          const Launched launched = program.launch(name, {1, 1, 1}, {lanes, 1, 1}, in, out);
          INFO(name << " on " << set.name << "\n" << launched.fault);
          REQUIRE(launched.fault.empty());
          REQUIRE(out == wanted);
        }
  }
}

TEST_CASE("addresses in spaces, and which space an address is of") {
  Program program(
      "spaces.ptx",
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b32 g[4];\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
      ".reg .b64 %l<12>;\n.shared .align 4 .b32 s[4];\n.local .align 4 .b8 o[16];\n"
      "ld.param.u64 %l0, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %l0, %r0, 64, %l0;\n"
      "mov.u64 %l1, g;\ncvta.global.u64 %l2, %l1;\nmov.u64 %l3, s;\ncvta.shared.u64 %l4, %l3;\n"
      "mov.u64 %l5, o;\ncvta.local.u64 %l6, %l5;\ncvta.to.shared.u64 %l7, %l4;\n"
      "cvta.to.local.u64 %l8, %l6;\ncvta.to.global.u64 %l9, %l2;\n" +
          [] {
            std::string text;
            int at = 0;
            for (const char* const space : {"global", "shared", "local"})
              for (const char* const address : {"%l2", "%l4", "%l6"}) {
                text += fmt::format("isspacep.{} %p1, {};\nselp.u32 %r1, 1, 0, %p1;\n"
                                    "st.global.u32 [%l0+{}], %r1;\n",
                                    space, address, at);
                at += 4;
              }
            int line = 36;
            for (const char* const pair : {"%l1, %l9", "%l3, %l7", "%l5, %l8"}) {
              text += fmt::format("setp.eq.u64 %p1, {};\nselp.u32 %r1, 1, 0, %p1;\n"
                                  "st.global.u32 [%l0+{}], %r1;\n",
                                  pair, line);
              line += 4;
            }
            return text;
          }() +
          "ret;\n}\n");
  std::vector<std::uint32_t> out(16 * lanes);
  program.give(out);
  const Launched launched = program.launch("k", {1, 1, 1}, {lanes, 1, 1}, out);
  INFO(launched.fault);
  REQUIRE(launched.fault.empty());
  const std::vector<std::uint32_t> wanted{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  for (std::size_t l = 0; l < lanes; ++l)
    for (std::size_t k = 0; k < wanted.size(); ++k) CHECK(out[16 * l + k] == wanted[k]);
}

} // namespace memlane::test
