// Small programs built by hand for tests of the interpreter: instructions with labels.
#pragma once

#include "memlane/count/simulate.hpp"

#include <string>
#include <vector>

namespace memlane::test {

using ir::Opcode;
using ir::Register;
using ir::Scalar;
using ir::Special;
using ir::Value;

/// One function; registers are taken as they are needed. Each instruction has a line of its own in
/// the source text, so that messages tell them apart.
class Code {
public:
  Code(std::string name, std::int32_t file) : file_(file) { function_.name = std::move(name); }

  Register fresh() { return function_.registers++; }
  Register constant(std::int64_t value) { return emit_d(Opcode::constant, -1, -1, -1, value); }
  Register real(double value) {
    const Register d = emit_d(Opcode::constant, -1, -1, -1, Value::of(value).integer());
    function_.code.back().type = Scalar::float64;
    return d;
  }
  Register special(Special which) {
    return emit_d(Opcode::special, -1, -1, -1, static_cast<std::int64_t>(which));
  }
  /// An operation with a new register for its result.
  Register op(Opcode op, Register a, Register b = -1, Register c = -1) {
    return emit_d(op, a, b, c, 0);
  }
  /// An operation into a register.
  void into(Register d, Opcode op, Register a, Register b = -1) { emit(op, d, a, b, -1, 0); }
  Register load(int array, Register element) {
    return emit_d(Opcode::load, element, -1, -1, array);
  }
  void store(int array, Register element, Register value) {
    emit(Opcode::store, -1, element, value, -1, array);
  }
  void emit(Opcode op, Register d = -1, Register a = -1, Register b = -1, Register c = -1,
            std::int64_t immediate = 0) {
    ir::Instruction in;
    in.op = op;
    in.type = type;
    in.d = d, in.a = a, in.b = b, in.c = c;
    in.immediate = immediate;
    const auto line = static_cast<std::uint32_t>(first_line + static_cast<int>(here()));
    in.span = {file_, 10 * line, 10 * line + 7};
    function_.code.push_back(in);
  }
  void counted() { function_.code.back().counted = true; }

  // Structure: each of these takes bodies that emit code.
  template <class Then>
  void if_then(Register condition, Then then) {
    if_else(condition, then, [] {});
  }
  template <class Then, class Else>
  void if_else(Register condition, Then then, Else otherwise) {
    const std::size_t begin = here();
    emit(Opcode::if_, -1, condition);
    then();
    patch(begin);
    const std::size_t middle = here();
    emit(Opcode::else_);
    otherwise();
    patch(middle);
    emit(Opcode::endif);
  }
  /// `condition()` emits and gives the register that keeps lanes in the loop.
  template <class Condition, class Body>
  void loop_while(Condition condition, Body body) {
    emit(Opcode::loop);
    const std::size_t top = here();
    const Register stays = condition();
    const std::size_t test = here();
    emit(Opcode::while_, -1, stays);
    body();
    emit(Opcode::again, -1, -1, -1, -1, static_cast<std::int64_t>(top));
    patch(test);
    emit(Opcode::endloop);
  }
  /// The lanes' share of `count` iterations, as `forall` deals them; body(i).
  template <class Body>
  void forall(std::int64_t count, Body body, bool barrier = true) {
    const Register n = constant(count);
    const Register threads = special(Special::threads);
    const Register i = special(Special::thread);
    emit(Opcode::forall);
    loop_while([&] { return op(Opcode::lt, i, n); },
               [&] {
                 emit(Opcode::iteration, -1, i);
                 body(i);
                 into(i, Opcode::add, i, threads);
               });
    emit(Opcode::endforall);
    if (barrier) emit(Opcode::barrier);
  }

  ir::Function finish() {
    emit(Opcode::end);
    return function_;
  }
  ir::Function& function() { return function_; }
  std::size_t here() const { return function_.code.size(); }
  /// The jump at `at` goes here.
  void patch(std::size_t at) { function_.code[at].immediate = static_cast<std::int64_t>(here()); }

  Scalar type = Scalar::int32;
  int first_line = 0;

private:
  Register emit_d(Opcode op, Register a, Register b, Register c, std::int64_t immediate) {
    const Register d = fresh();
    emit(op, d, a, b, c, immediate);
    return d;
  }

  ir::Function function_;
  std::int32_t file_;
};

/// A program with one kernel that main launches once.
struct Setup {
  Setup() {
    // Lines of ten bytes, `line 000\n`-like, a hundred for the kernel, a hundred for the host.
    std::string text;
    for (int line = 1; line <= 400; ++line) {
      std::string number = std::to_string(line);
      text += "line " + std::string(4 - number.size(), '0') + number + "\n";
    }
    sources.add("test.lane", text);
    main.first_line = 200;
    verify.first_line = 300;
  }

  void input(const std::string& array, std::vector<ir::Value> values) {
    options.inputs[array] = std::make_shared<const std::vector<ir::Value>>(std::move(values));
  }

  int array(std::string name, std::vector<std::int64_t> extents,
            ir::Space space = ir::Space::memory, Scalar type = Scalar::int32) {
    ir::Array a;
    a.name = std::move(name);
    a.extents = std::move(extents);
    a.space = space;
    a.type = type;
    a.span = {0, 0, 4};
    program.arrays.push_back(a);
    const int index = static_cast<int>(program.arrays.size()) - 1;
    if (space == ir::Space::shared) kernel.function().shared.push_back(index);
    options.outputs.push_back(program.arrays.back().name);
    if (space == ir::Space::shared) options.outputs.pop_back();
    return index;
  }
  std::int32_t add(ir::Function function) {
    program.functions.push_back(std::move(function));
    return static_cast<std::int32_t>(program.functions.size()) - 1;
  }
  std::int64_t message(std::string text) {
    program.messages.push_back(std::move(text));
    return static_cast<std::int64_t>(program.messages.size()) - 1;
  }

  /// Runs with a launch of `threads` threads; main's code so far comes before the launch.
  RunResult run(std::int64_t threads, std::int64_t blocks = 1) {
    ir::LaunchSite site;
    site.kernel = add(kernel.finish());
    program.kernels.push_back(site.kernel);
    if (threads >= 0) site.threads = main.constant(threads);
    site.blocks = main.constant(blocks);
    program.launches.push_back(site);
    main.emit(Opcode::launch);
    program.main = add(main.finish());
    if (verify.here() > 0) program.verify = add(verify.finish());
    Observer nobody;
    return simulate(program, machine, options, sources, nobody);
  }

  static MachineSpec umm(std::int64_t width, std::int64_t latency, std::int64_t threads) {
    MachineSpec spec;
    spec.model = Model::umm;
    spec.width = width;
    spec.threads = threads;
    spec.global = UnitSpec{UnitKind::unified, Cycles{latency}, 1, std::nullopt};
    return spec;
  }
  static MachineSpec dmm(std::int64_t width, std::int64_t latency, std::int64_t threads) {
    MachineSpec spec = umm(width, latency, threads);
    spec.model = Model::dmm;
    spec.shared = UnitSpec{UnitKind::discrete, Cycles{latency}, 1, std::nullopt};
    spec.global.reset();
    return spec;
  }

  ir::Program program;
  Sources sources;
  RunOptions options;
  MachineSpec machine = umm(4, 5, 16);
  Code kernel{"k", 0};
  Code main{"main", 0};
  Code verify{"verify", 0};
};

/// The integers of an output array.
inline std::vector<std::int64_t> integers(const RunResult& result, const std::string& array) {
  std::vector<std::int64_t> numbers;
  const auto found = result.outputs.find(array);
  if (found == result.outputs.end()) return numbers;
  for (Value value : found->second) numbers.push_back(value.integer());
  return numbers;
}

/// All messages of a run as the user sees them.
inline std::string text_of(const RunResult& result, const Sources& sources) {
  return render(result.errors, sources);
}

} // namespace memlane::test
