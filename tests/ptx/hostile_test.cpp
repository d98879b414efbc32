// Texts that are no PTX, or PTX that asks for too much: errors with places, in bounded time.
#include "exec/image.hpp"
#include "program.hpp"
#include "support/catch.hpp"

#include "memlane/ptx/module.hpp"
#include "memlane/support/diagnostic.hpp"

#include <string>

namespace memlane::test {

namespace {

const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The errors of a text; empty: it is decoded and lowered.
std::string errors_of(const std::string& text, Limits limits = {}) {
  Sources sources;
  sources.set_limits(std::move(limits));
  const Result<ptx::Module> module = ptx::parse(sources, sources.add("h.ptx", text));
  if (!module) return render(module.errors(), sources);
  ptx::DeviceMemory device;
  ptx::Image image;
  const Status loaded = image.load(*module, device);
  return loaded ? "" : render(loaded.errors(), sources);
}
std::string kernel(const std::string& body) {
  return head + ".visible .entry k(.param .u64 p)\n{\n" + body + "\nret;\n}\n";
}
std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += part;
  return all;
}

} // namespace

TEST_CASE("texts that are no PTX") {
  for (const char* const text :
       {"", "\0\xff\xfe", "{{{{", ".version", ".version 9.0 .entry", "\"", "/*", "@@@@",
        ".version 99.0\n", ".entry k", ".version 8.0\n.entry k({", "}"}) {
    INFO(text);
    const std::string said = errors_of(text);
    CHECK(said.find("error: ") != std::string::npos);
  }
}

TEST_CASE("an unknown opcode is one error, with its line, whatever braces its operands have") {
  const std::string said =
      errors_of(kernel(".loc 1 7 3\n.reg .b32 %r<9>;\n"
                       "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r2, %r3}, [p], %r1;\n"
                       ".loc 1 8 3\nsured.b.add.1d.u32.trap [p, {%r1}], %r2;\n"
                       ".loc 1 9 3\ncp.async.bulk.shared::cta.global [p], [p], 16, [p];\n"
                       "add.u32 %r0, %r1, %r77;") +
                ".file 1 \"own.cu\"\n");
  INFO(said);
  CHECK(said.find("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16, which own.cu:7 needs") !=
        std::string::npos);
  CHECK(said.find("sured.b.add.1d.u32.trap, which own.cu:8 needs") != std::string::npos);
  CHECK(said.find("memlane does not execute cp with .bulk "
                  "(cp.async.bulk.shared::cta.global), which own.cu:9 needs") != std::string::npos);
  for (const char* const way_out :
       {"for -arch=sm_80, libraries use mma and wmma", "give the kernel a pointer to linear memory",
        "memlane explain ptx cp lists its words and types", "compile for -arch=sm_80"})
    CHECK(said.find(way_out) != std::string::npos);
  CHECK(said.find("no register %r77") != std::string::npos);
  std::size_t errors = 0;
  for (std::size_t at = 0; (at = said.find("error: ", at)) != std::string::npos; ++at) ++errors;
  CHECK(errors == 4);
}

TEST_CASE("what is not closed, and what is too large") {
  const auto says = [](const std::string& text, const char* wanted) {
    const std::string said = errors_of(text);
    INFO(said.substr(0, 400));
    CHECK(said.find(wanted) != std::string::npos);
  };
  says(head + ".entry k() {", "is not closed");
  says(head + ".entry k() {" + repeated("{", 100000), "is not closed");
  says(head + ".global .b32 x[99999999999999999999];", "an integer");
  says(head + ".global .b32 x[999999999999][999999999999];", "too large");
  says(head + ".global .b32 x[2] = {1, 2, 3};", "more values than elements");
  says(head + ".global .b32 x[4] = {1, 2, 3,};", "an operand is expected");
  says(head + ".global .b32 x[4] = {};", "an operand is expected");
  says(head + ".global .b32 x[4] = {{1,}, 2};", "an operand is expected");
  says(head + ".global .b32 x[4] = {1, 2;", "',' or '}' is expected here");
  says(head + ".global .align 3 .b32 x;", "power of two");
  says(head + ".global .u64 x = y;", "nothing here has the name y");
  says(head + ".func (.param .b32 a) 5; .global .b32 x[2] = {1, 2, 3};", "a function's name");
  says(head + ".extern .global .b32 x;", "nothing defines x");
  says(kernel(".reg .b32 %r<99999999>;"), "more than 1048576 registers");
  says(kernel(".reg .b32 %r<-5>;"), "registers");
  says(kernel("bra NOWHERE;"), "there is no label NOWHERE");
  says(kernel("A: A: ret;"), "stands twice");
  says(kernel(".reg .b32 %r<3>; add.u32 %r0, %r1;"), "needs more operands");
  says(kernel(".reg .b32 %r<3>; add.u32 %r0, %r1, %r9;"), "no register %r9");
  says(kernel(".reg .b32 %r<3>; add.u32 5, %r1, %r2;"), "is no register");
  says(kernel(".reg .b64 %l<3>; ld.global.v2.u64 {1, %l1}, [%l2];"), "no register");
  says(kernel(".reg .b32 %r<3>; mul.s32 %r0, %r1, %r2;"), ".lo, .hi and .wide");
  says(kernel(".reg .b32 %r<3>; .reg .pred %p<2>; setp.s32 %p1, %r1, %r2;"),
       "needs one comparison");
  says(kernel(".reg .b32 %r<3>; .reg .pred %p<2>; setp.lt.s32 3, %r1, %r2;"), "is no register");
  says(kernel(".reg .b32 %r<3>; .reg .b16 %h<2>; st.global.v2.u8 [p], {%r1, %h1};"),
       "different widths");
  says(kernel(".reg .b64 %l<3>; atom.global.add.b64 %l0, [%l1], %l2;"),
       "no such operation on bits");
  says(kernel(".reg .b64 %l<3>; atom.global.cas.b64 %l0, [%l1], %l2;"), "has a new value");
  says(kernel(".reg .b64 %l<3>; cp.async.ca.shared.global [%l0], [%l1], 5;"), "copies 4, 8 or 16");
  says(kernel(".reg .b128 %q; ld.global.b128 %q, [p];"), "memlane does not execute ld with .b128");
  const std::string of_textures =
      ".reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %l<3>; .reg .b16 %h<3>; ";
  const auto texture_says = [&](const std::string& instruction, const char* wanted) {
    says(kernel(of_textures + instruction), wanted);
  };
  texture_says("tex.2d.v4.f32.f32 {%f0}, [p, {%f1, %f2}];", "an object in a register of 64 bits");
  texture_says("tex.2d.v4.f32.f32 {%f0}, [%l0, {%f1, %f2}];", "needs 4 registers as destination");
  texture_says("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %l1}, [%l0, {%f1, %f2}];", "has 64 bits");
  texture_says("tex.2d.v4.f32.f32 {%f0, %f1, %f2, 1}, [%l0, {%f1, %f2}];", "is no register");
  texture_says("tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f1, %f2}];", "3 registers as coo");
  texture_says("tex.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f1, %f2}];", "needs one shape");
  texture_says("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, %l1, {%f1, %f2}];", "with a sampler");
  texture_says("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f1, %f2}], {%r1, %r2};", "offsets");
  texture_says("tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f1, %f2}];",
               "tex needs 3 registers as coordinates");
  texture_says("tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f1, %f2}];", "is expected");
  texture_says("tld4.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f1, %f2}];", "needs one channel");
  texture_says("txq.b32 %r0, [%l0];", "needs one question");
  texture_says("txq.width.b32 %l1, [%l0];", "has 64 bits");
  texture_says("suld.b.2d.b32 %r0, [%l0, {%r1, %r2}];", ".trap, .clamp or .zero");
  texture_says("suld.b.1d.v4.b64.trap {%l1, %l1, %l1, %l1}, [%l0, %r1];", "at most 128 bits");
  texture_says("suld.b.1d.b16.trap {%f1, %f2}, [%l0, %r1];", "needs 1 register as values");
  texture_says("sust.b.1d.b32.trap [%l0, {%l1}], %r1;", "coordinates");
  texture_says("sust.b.1d.b64.trap [%l0, {%r1}], %r1;", "has 32 bits");
  texture_says("sust.p.1d.b32.trap [%l0, {%r1}], %r1;", "does not execute sust with .p");
  says(head + ".func f(.param .b32 a);\n.entry k() { call f, (); ret; }", "other parameters");
}

TEST_CASE("a variable takes the memory of what is accessed, one that no memory holds is an error") {
  CHECK(errors_of(head + ".global .align 16 .b32 x[1000000000];").empty());
  const std::string said = errors_of(head + ".global .b8 x[1152921504606846976];");
  INFO(said);
  CHECK(said.find("h.ptx:4:") != std::string::npos);
  CHECK(said.find("error: ") != std::string::npos);
}

TEST_CASE("a grid of as many blocks as there can be begins at once and ends at the limit") {
  Program program("large.ptx", kernel(""));
  program.limits.steps = 1000;
  const Launched launched =
      program.launch("k", {2147483647, 65535, 65535}, {32, 1, 1}, std::uint64_t{0});
  CHECK(launched.fault.empty());
  CHECK(launched.result.stop == Stop::steps);
}

TEST_CASE("large code is decoded in bounded time") {
  // Ladders of branches, loops without ends, many registers that live long, calls in circles.
  std::string ladder = ".reg .pred %p<2>;\n";
  for (int k = 0; k < 20000; ++k)
    ladder += "L" + std::to_string(k) + ": @%p1 bra L" + std::to_string(19999 - k) + ";\n";
  CHECK(errors_of(kernel(ladder)).empty());
  std::string loops;
  for (int k = 0; k < 20000; ++k)
    loops += "L" + std::to_string(k) + ": bra L" + std::to_string(k) + ";\n";
  CHECK(errors_of(kernel(loops)).empty());
  std::string live = ".reg .b32 %r<60000>;\n";
  for (int k = 0; k + 1 < 60000; k += 2)
    live += "mov.u32 %r" + std::to_string(k) + ", %r" + std::to_string(59999 - k) + ";\n";
  CHECK(errors_of(kernel(live)).empty());
  std::string functions = head;
  for (int k = 0; k < 3000; ++k) functions += ".func f" + std::to_string(k) + "();\n";
  for (int k = 0; k < 3000; ++k)
    functions += ".func f" + std::to_string(k) + "() { .local .b8 x[16]; call f" +
                 std::to_string((k + 1) % 3000) + "; ret; }\n";
  CHECK(errors_of(functions).empty());
}

TEST_CASE("decoding ends when its caller says so") {
  Limits limits;
  limits.check = [] { return Stop::interrupted; };
  std::string many = head;
  for (int k = 0; k < 2000; ++k) many += ".global .b32 v" + std::to_string(k) + " = 1;\n";
  CHECK(errors_of(many, limits).find("decoding PTX") != std::string::npos);
  Limits memory;
  memory.memory = 1000;
  CHECK(errors_of(head + ".global .b32 x[100000] = {" + repeated("1,", 99999) + "1};", memory)
            .find("decoding PTX") != std::string::npos);
}

} // namespace memlane::test
