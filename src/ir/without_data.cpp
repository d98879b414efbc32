#include "memlane/ir/without_data.hpp"

#include "memlane/ir/flow.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ir {

namespace {

/// Which of the places where data is read a register's value may come from; -1: it is no data.
using Origin = std::int32_t;
using Origins = std::vector<Origin>; ///< by register

struct Source {
  Span at;
  std::int64_t array = -1; ///< that is read
  bool operator==(const Source&) const = default;
};

/// Follows data through the functions of one program, main first: kernels are given its values.
class DataFlow {
public:
  explicit DataFlow(const Program& program) : program_(program) {}

  Result<Program> remove() {
    Program rest = program_;
    rest.verify = -1;
    for (Array& array : rest.arrays) array.snapshot = false;
    formals_.resize(program_.functions.size());
    if (program_.main >= 0) remove_from(program_.main, rest);
    for (const std::int32_t kernel : program_.kernels) remove_from(kernel, rest);
    if (!obstacles_.empty()) return obstacles_;
    return rest;
  }

private:
  void remove_from(std::int32_t index, Program& rest) {
    const Function& function = program_.functions[static_cast<std::size_t>(index)];
    follow(function, formals_[static_cast<std::size_t>(index)]);
    Function& changed = rest.functions[static_cast<std::size_t>(index)];
    for (std::size_t at = 0; at < function.code.size(); ++at) {
      if (!reached_[at]) continue;
      look_for_obstacles(function.code[at], before_[at]);
      replace(function, before_[at], changed, at);
    }
  }

  /// What each register may hold before each instruction.
  void follow(const Function& function, const Origins& formals) {
    const FlowGraph flow(function);
    before_.assign(function.code.size(),
                   Origins(static_cast<std::size_t>(function.registers), Origin{-1}));
    reached_.assign(function.code.size(), false);
    locals_.assign(function.locals.size(), -1);
    for (std::size_t f = 0; f < formals.size(); ++f)
      before_[0][static_cast<std::size_t>(function.formals[f])] = formals[f];
    reached_[0] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t at = 0; at < function.code.size(); ++at) {
        if (!reached_[at]) continue;
        Origins behind = before_[at];
        changed |= step(function.code[at], behind);
        for (const std::size_t next : flow.after(at)) changed |= join(next, behind);
      }
    }
  }

  bool join(std::size_t at, const Origins& more) {
    bool changed = !reached_[at];
    reached_[at] = true;
    for (std::size_t r = 0; r < more.size(); ++r) {
      Origin& known = before_[at][r];
      if (known >= 0 || more[r] < 0) continue;
      known = more[r];
      changed = true;
    }
    return changed;
  }

  /// The effect of one instruction on the registers; whether it changed a local array's.
  bool step(const Instruction& in, Origins& registers) {
    if (in.op == Opcode::local_store) {
      Origin& local = locals_[static_cast<std::size_t>(in.immediate)];
      const Origin stored = operand(in, registers);
      if (local >= 0 || stored < 0) return false;
      local = stored;
      return true;
    }
    if (has_operand(in, 'd') && in.d >= 0)
      registers[static_cast<std::size_t>(in.d)] = result(in, registers);
    return false;
  }

  Origin result(const Instruction& in, const Origins& registers) {
    switch (in.op) {
    case Opcode::load: return source({in.span, in.immediate});
    case Opcode::local_load:
      if (const Origin local = locals_[static_cast<std::size_t>(in.immediate)]; local >= 0)
        return local;
      break;
    default: break;
    }
    return operand(in, registers);
  }

  /// Of the first operand that is data.
  static Origin operand(const Instruction& in, const Origins& registers) {
    for (const auto& [letter, r] : {std::pair{'a', in.a}, {'b', in.b}, {'c', in.c}}) {
      if (!has_operand(in, letter) || r < 0) continue;
      if (const Origin origin = registers[static_cast<std::size_t>(r)]; origin >= 0) return origin;
    }
    return -1;
  }

  Origin source(const Source& source) {
    const auto known = std::find(sources_.begin(), sources_.end(), source);
    const auto at = known - sources_.begin();
    if (known == sources_.end()) sources_.push_back(source);
    return static_cast<Origin>(at);
  }

  void look_for_obstacles(const Instruction& in, const Origins& registers) {
    const auto of = [&](Register r) {
      return r < 0 ? Origin{-1} : registers[static_cast<std::size_t>(r)];
    };
    switch (in.op) {
    case Opcode::load:
    case Opcode::store:
    case Opcode::defer:
      return obstacle(in, of(in.a),
                      fmt::format("an element of {} is chosen by data", array_name(in.immediate)));
    case Opcode::bound:
    case Opcode::slice:
      return obstacle(in, operand(in, registers),
                      fmt::format("an index of {} is data",
                                  program_.bounds[static_cast<std::size_t>(in.immediate)].array));
    case Opcode::if_: return obstacle(in, of(in.a), "what is executed here depends on data");
    case Opcode::while_:
      return obstacle(in, of(in.a), "how often this is executed depends on data");
    case Opcode::local_new: return obstacle(in, of(in.a), "the size of an array is data");
    case Opcode::launch: return follow_launch(in, registers);
    default: return;
    }
  }

  const std::string& array_name(std::int64_t array) const {
    return program_.arrays[static_cast<std::size_t>(array)].name;
  }

  void follow_launch(const Instruction& in, const Origins& registers) {
    const LaunchSite& site = program_.launches[static_cast<std::size_t>(in.immediate)];
    const auto of = [&](Register r) {
      return r < 0 ? Origin{-1} : registers[static_cast<std::size_t>(r)];
    };
    obstacle(in, of(site.blocks), "the number of blocks is data");
    obstacle(in, of(site.threads), "the number of threads is data");
    Origins& formals = formals_[static_cast<std::size_t>(site.kernel)];
    formals.resize(site.actuals.size(), -1);
    for (std::size_t f = 0; f < formals.size(); ++f)
      if (formals[f] < 0) formals[f] = of(site.actuals[f]);
  }

  void obstacle(const Instruction& in, Origin origin, const std::string& what) {
    if (origin < 0) return;
    // An access behind the check of its index has nothing new to say.
    for (const Diagnostic& known : obstacles_)
      if (known.span.file == in.span.file && known.span.begin >= in.span.begin &&
          known.span.end <= in.span.end)
        return;
    Diagnostic error = error_at(in.span, what + ": the time of this run depends on it",
                                {"without --timing-only the data is computed, too"});
    const Source& from = sources_[static_cast<std::size_t>(origin)];
    Diagnostic note;
    note.severity = Severity::note;
    note.span = from.at;
    note.message = fmt::format("array {} is read here", array_name(from.array));
    error.notes.push_back(std::move(note));
    obstacles_.push_back(std::move(error));
  }

  /// Puts constants in the place of data. Requests and control stay.
  void replace(const Function& function, const Origins& registers, Function& changed,
               std::size_t at) {
    const Instruction& in = function.code[at];
    Instruction& now = changed.code[at];
    if (in.op == Opcode::load) return;          // it asks; what it reads is 0 to everybody
    const bool prints = in.op == Opcode::print; // what it would show is not known
    const bool checks = in.op == Opcode::assert_ || prints;
    const bool writes = has_operand(in, 'd') && in.d >= 0;
    const Origin data = writes ? result(in, registers) : operand(in, registers);
    if ((data < 0 && !prints) || (!writes && !checks)) return;
    now.op = Opcode::constant;
    if (in.op >= Opcode::eq && in.op <= Opcode::logical_not) now.type = Scalar::boolean;
    if (checks) {
      if (changed.registers == function.registers) ++changed.registers;
      now.d = function.registers; // which nobody reads
    }
    now.a = now.b = now.c = -1;
    now.immediate = 0;
  }

  const Program& program_;
  std::vector<Source> sources_;
  std::vector<Origins> formals_; ///< by function
  std::vector<Origins> before_;  ///< by instruction of the present function
  std::vector<bool> reached_;
  std::vector<Origin> locals_;
  Diagnostics obstacles_;
};

} // namespace

Result<Program> without_data(const Program& program) { return DataFlow(program).remove(); }

} // namespace memlane::ir
