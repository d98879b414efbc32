#include "memlane/ir/without_data.hpp"

#include "memlane/ir/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace memlane::ir {

namespace {

/// The place where a register's data is read; -1: the register holds no data.
using Origin = std::int32_t;

/// The registers that hold data.
class Origins {
public:
  Origin of(Register r) const {
    const auto found = known_.find(r);
    return r < 0 || found == known_.end() ? Origin{-1} : found->second;
  }
  void set(Register r, Origin origin) {
    if (origin < 0)
      known_.erase(r);
    else
      known_[r] = origin;
  }
  /// Adds the registers that hold data there; true if some are new.
  bool join(const Origins& more) {
    const std::size_t before = known_.size();
    known_.insert(more.known_.begin(), more.known_.end());
    return known_.size() > before;
  }

private:
  std::map<Register, Origin> known_;
};

struct Source {
  Span at;
  std::int64_t array = -1; ///< the array that is read
};

/// Registers to which nothing is assigned but a constant that is true.
std::set<Register> always_true(const Function& function) {
  std::set<Register> found, others;
  for (const Instruction& in : function.code) {
    if (!has_operand(in, 'd') || in.d < 0) continue;
    const bool holds = in.op == Opcode::constant && in.type == Scalar::boolean && in.immediate != 0;
    (holds ? found : others).insert(in.d);
  }
  for (const Register r : others) found.erase(r);
  return found;
}

/// Follows data through the functions of one program, main first: kernels are given its values.
class DataFlow {
public:
  DataFlow(const Program& program, const Limits& limits) : program_(program), watch_(limits) {}

  Result<Program> remove() {
    Program rest = program_;
    rest.verify = -1;
    for (Array& array : rest.arrays) array.snapshot = false;
    formals_.resize(program_.functions.size());
    if (program_.main >= 0) remove_from(program_.main, rest);
    for (const std::int32_t kernel : program_.kernels) remove_from(kernel, rest);
    if (watch_.stopped()) return stopped_while(watch_.stop(), "following data");
    if (!obstacles_.empty()) return obstacles_;
    return rest;
  }

private:
  void remove_from(std::int32_t index, Program& rest) {
    const Function& function = program_.functions[static_cast<std::size_t>(index)];
    follow(function, formals_[static_cast<std::size_t>(index)]);
    Function& changed = rest.functions[static_cast<std::size_t>(index)];
    for (const Instruction& in : function.code) changed.originals.push_back({in});
    walk(function, [&](std::size_t at, const Origins& registers) {
      if (decided_[at] >= 0) return;
      const Opcode op = function.code[at].op;
      if (op == Opcode::local_load || op == Opcode::local_store)
        changed.originals[at].depends_on_data = registers.of(function.code[at].a) >= 0;
      look_for_obstacles(function, at, registers);
      replace(function, registers, changed, at);
    });
    int depth = 0; // nesting of regions that are left out, one after the other
    for (std::size_t at = 0; at < function.code.size(); ++at) {
      if (decided_[at] < 0) continue;
      const Instruction& in = function.code[at];
      if (depth > 0 && in.statement >= 0) {
        Statement& statement = changed.statements[static_cast<std::size_t>(in.statement)];
        statement.left_out = statement.left_out || statement.first == at;
      }
      // All lanes execute the condition itself.
      changed.originals[at].depends_on_data = depth > 0 || in.op != Opcode::if_;
      depth += nesting(in.op);
      leave_out(function, changed, at); // and its control structure
    }
  }

  /// Finds which registers may hold data at the beginning and end of each branch and loop, and
  /// which code executes depending on data.
  void follow(const Function& function, const std::vector<Origin>& formals) {
    flow_.emplace(function);
    before_.clear();
    looked_at_.clear();
    decided_.assign(function.code.size(), -1);
    locals_.assign(function.locals.size(), -1);
    true_ = always_true(function);
    Origins& first = before_[0];
    for (std::size_t f = 0; f < formals.size(); ++f) first.set(function.formals[f], formals[f]);
    for (std::size_t at = 0; at < function.code.size(); ++at)
      for (const std::size_t next : flow_->after(at))
        if (next != at + 1) joins_.insert(next);
    for (changed_ = true; changed_ && !watch_.stopped();) {
      changed_ = false;
      walk(function,
           [&](std::size_t at, const Origins& registers) { decide(function, at, registers); });
    }
    joins_.clear();
  }

  /// If a condition is data and its region has no visible effect, everything assigned in the region
  /// depends on that data.
  void decide(const Function& function, std::size_t at, const Origins& registers) {
    const Instruction& in = function.code[at];
    if ((in.op != Opcode::if_ && in.op != Opcode::while_) || decided_[at] >= 0) return;
    const Origin condition = registers.of(in.a);
    if (condition < 0 || !looked_at_.insert(at).second) return;
    const Region region = region_of_condition(function, at);
    if (first_visible(function, region)) return; // an obstacle
    for (std::size_t k = region.first; k <= region.last; ++k)
      if (decided_[k] < 0) decided_[k] = condition;
    changed_ = true;
  }

  /// Visits the reachable instructions in order. Registers pass from each to the next, and into
  /// `before_` at the target of a jump.
  template <class Visit>
  void walk(const Function& function, Visit visit) {
    Origins registers;
    bool reached = false;
    for (std::size_t at = 0; at < function.code.size() && watch_.go_on(); ++at) {
      if (reached && joins_.count(at) > 0) join(at, registers);
      if (const auto known = before_.find(at); known != before_.end()) {
        registers = known->second;
        reached = true;
      }
      if (!reached) continue;
      visit(at, std::as_const(registers));
      changed_ = step(function.code[at], decided_[at], registers) || changed_;
      reached = false;
      for (const std::size_t next : flow_->after(at)) {
        if (!takes(function.code[at], next != at + 1)) continue;
        if (next == at + 1)
          reached = true;
        else
          join(next, registers);
      }
    }
  }

  /// Whether a lane may jump here, or go on with the next instruction. A warp takes the other way
  /// of an `exit` or an `again` when none of its lanes is active: they have come there by their own
  /// ways. No lane leaves a `while true` by its condition.
  bool takes(const Instruction& in, bool jump) const {
    if (in.op == Opcode::again) return jump;
    return !jump || (in.op != Opcode::exit && (in.op != Opcode::while_ || true_.count(in.a) == 0));
  }

  void join(std::size_t at, const Origins& more) {
    const auto [known, fresh] = before_.try_emplace(at);
    changed_ = known->second.join(more) || fresh || changed_;
  }

  /// The effect of one instruction on the registers; whether it changed a local array's. `decided`:
  /// the data that decides whether it is executed.
  bool step(const Instruction& in, Origin decided, Origins& registers) {
    if (in.op == Opcode::local_store || (in.op == Opcode::local_new && decided >= 0)) {
      Origin& local = locals_[static_cast<std::size_t>(in.immediate)];
      const Origin stored = decided >= 0 ? decided : operand(in, registers);
      if (local >= 0 || stored < 0) return false;
      local = stored;
      return true;
    }
    if (has_operand(in, 'd') && in.d >= 0)
      registers.set(in.d, decided >= 0 ? decided : result(in, registers));
    return false;
  }

  Origin result(const Instruction& in, const Origins& registers) {
    if (reads_memory(in.op)) return source({in.span, in.immediate});
    if (in.op == Opcode::local_load)
      if (const Origin local = locals_[static_cast<std::size_t>(in.immediate)]; local >= 0)
        return local;
    return operand(in, registers);
  }

  /// The origin of the first operand that is data.
  static Origin operand(const Instruction& in, const Origins& registers) {
    for (const auto& [letter, r] : {std::pair{'a', in.a}, {'b', in.b}, {'c', in.c}}) {
      if (!has_operand(in, letter) || r < 0) continue;
      if (const Origin origin = registers.of(r); origin >= 0) return origin;
    }
    return -1;
  }

  Origin source(const Source& source) {
    const auto [known, fresh] = numbers_.try_emplace(
        {source.at.file, source.at.begin, source.at.end, source.array}, sources_.size());
    if (fresh) sources_.push_back(source);
    return static_cast<Origin>(known->second);
  }

  void look_for_obstacles(const Function& function, std::size_t at, const Origins& registers) {
    const Instruction& in = function.code[at];
    const auto of = [&](Register r) { return registers.of(r); };
    if (makes_request(in.op))
      return obstacle(in, of(in.a),
                      fmt::format("an element of {} is chosen by data", array_name(in.immediate)));
    if (in.op == Opcode::bound || in.op == Opcode::slice) {
      if (!makes_request(next_access(function, at))) return; // the thread's own array, or a table
      const auto site = static_cast<std::size_t>(in.immediate);
      return obstacle(in, operand(in, registers),
                      fmt::format("an index of {} is data", program_.bounds[site].array));
    }
    if (in.op == Opcode::if_)
      obstacle(in, of(in.a), "what is executed here depends on data", first_seen(function, at));
    if (in.op == Opcode::while_)
      obstacle(in, of(in.a), "how often this is executed depends on data",
               first_seen(function, at));
    if (in.op == Opcode::local_new) obstacle(in, of(in.a), "the size of an array is data");
    if (in.op == Opcode::launch) follow_launch(in, registers);
  }

  /// The first instruction of a condition's region that can be seen.
  static const Instruction* first_seen(const Function& function, std::size_t at) {
    const auto seen = first_visible(function, region_of_condition(function, at));
    return seen ? &function.code[*seen] : nullptr;
  }

  /// What can be seen of an instruction.
  std::string what_is_seen(const Instruction& in) const {
    if (makes_request(in.op))
      return fmt::format("this {} {}", writes_memory(in.op) ? "writes" : "reads",
                         array_name(in.immediate));
    if (in.op == Opcode::call) return "this call is counted";
    if (in.op == Opcode::launch) return "this launch takes time";
    if (in.op == Opcode::random) return "the random numbers drawn after this one depend on it";
    return in.counted ? "this operator is counted" : "this waits for other threads";
  }

  /// The kind of the access that an index is checked for.
  static Opcode next_access(const Function& function, std::size_t at) {
    for (; at < function.code.size(); ++at) {
      const Opcode op = function.code[at].op;
      if (operands(op).find_first_of("AFU") != std::string_view::npos) return op;
    }
    return Opcode::end;
  }

  const std::string& array_name(std::int64_t array) const {
    return program_.arrays[static_cast<std::size_t>(array)].name;
  }

  void follow_launch(const Instruction& in, const Origins& registers) {
    const LaunchSite& site = program_.launches[static_cast<std::size_t>(in.immediate)];
    const auto of = [&](Register r) { return registers.of(r); };
    obstacle(in, of(site.blocks), "the number of blocks is data");
    obstacle(in, of(site.threads), "the number of threads is data");
    std::vector<Origin>& formals = formals_[static_cast<std::size_t>(site.kernel)];
    formals.resize(site.actuals.size(), -1);
    for (std::size_t f = 0; f < formals.size(); ++f)
      if (formals[f] < 0) formals[f] = of(site.actuals[f]);
  }

  /// `seen`: of a condition, what it decides about.
  void obstacle(const Instruction& in, Origin origin, const std::string& what,
                const Instruction* seen = nullptr) {
    if (origin < 0 || obstacles_.size() == most_obstacles) return;
    // An access adds nothing to an error of its index check.
    for (const Diagnostic& known : obstacles_)
      if (known.span.file == in.span.file && known.span.begin >= in.span.begin &&
          known.span.end <= in.span.end)
        return;
    Diagnostic error = error_at(in.span, what + ": the time of this run depends on it",
                                {"run it without --timing-only: then the data is computed, too"});
    const Source& from = sources_[static_cast<std::size_t>(origin)];
    error.notes.push_back(
        note_at(from.at, fmt::format("array {} is read here", array_name(from.array))));
    if (seen) error.notes.push_back(note_at(seen->span, what_is_seen(*seen)));
    obstacles_.push_back(std::move(error));
  }

  /// Replaces data by constants; requests and control remain.
  void replace(const Function& function, const Origins& registers, Function& changed,
               std::size_t at) {
    const Instruction& in = function.code[at];
    Instruction& now = changed.code[at];
    if (makes_request(in.op)) return;           // it remains; who reads what it read gets 0
    const bool prints = in.op == Opcode::print; // its text is not known
    const bool checks = in.op == Opcode::assert_ || prints;
    const bool writes = has_operand(in, 'd') && in.d >= 0;
    const Origin data = writes ? result(in, registers) : operand(in, registers);
    if ((data < 0 && !prints) || (!writes && !checks)) return;
    now.op = Opcode::constant;
    if (compares(in.op)) now.type = Scalar::boolean;
    if (checks) {
      if (changed.registers == function.registers) ++changed.registers;
      now.d = function.registers; // no instruction reads it
    }
    now.a = now.b = now.c = -1;
    now.immediate = 0;
  }

  /// Replaces an instruction that has no visible effect.
  static void leave_out(const Function& function, Function& changed, std::size_t at) {
    if (changed.registers == function.registers) ++changed.registers;
    const Instruction& in = function.code[at];
    Instruction nothing;
    nothing.op = Opcode::constant;
    nothing.d = function.registers; // not read
    nothing.span = in.span;
    nothing.mark = in.mark;
    nothing.statement = in.statement;
    changed.code[at] = nothing;
  }

  static constexpr std::size_t most_obstacles = 1000; ///< more than are shown

  const Program& program_;
  Watch watch_;
  std::vector<Source> sources_;
  std::map<std::tuple<std::int32_t, std::uint32_t, std::uint32_t, std::int64_t>, std::size_t>
      numbers_;                              ///< numbers of the sources
  std::vector<std::vector<Origin>> formals_; ///< indexed by function
  // Of the present function:
  std::optional<FlowGraph> flow_;
  std::map<std::size_t, Origins> before_; ///< keyed by instruction that is jumped to
  std::set<std::size_t> joins_;           ///< while `follow` runs: all of those
  std::set<std::size_t> looked_at_;       ///< conditions that are data
  std::vector<Origin> decided_; ///< the data that decides whether an instruction is executed
  bool changed_ = false;
  std::vector<Origin> locals_;
  std::set<Register> true_; ///< always_true
  Diagnostics obstacles_;
};

} // namespace

Result<Program> without_data(const Program& program, const Limits& limits) {
  return DataFlow(program, limits).remove();
}

} // namespace memlane::ir
