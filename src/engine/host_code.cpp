#include "host_code.hpp"

namespace memlane {

using ir::Instruction;
using ir::Opcode;

namespace {

/// Steps of an instruction: the end of a loop is a label and takes none.
std::int64_t steps_of(const Instruction& in) {
  return in.op == Opcode::end || in.op == Opcode::endloop ? 0 : 1;
}

} // namespace

/// Translates a function.
class HostCode::Translator {
public:
  /// `stepped`: each instruction is a segment.
  Translator(HostCode& host, const ir::Program& program, bool reads_only, bool stepped)
      : host_(host), program_(program), code_(host.function_.code), reads_only_(reads_only),
        stepped_(stepped) {}

  Code translate() {
    find_segments();
    made_.start.assign(code_.size(), -1);
    for (std::size_t at = 0; at < code_.size();) at += translate(at);
    for (const auto& [op, target] : jumps_)
      made_.ops[op].c = made_.start[target] - static_cast<std::int32_t>(op);
    return std::move(made_);
  }

private:
  /// The target of a control instruction. `else`, `endif` and `endloop` take no step when they are
  /// jumped over.
  std::size_t target(std::size_t at) const {
    const auto place = static_cast<std::size_t>(code_[at].immediate);
    if (code_[at].op == Opcode::again) return place;
    return (code_[at].op == Opcode::break_ ? end_of_loop_[at] : place) + 1;
  }

  static bool jumps(Opcode op) {
    return op == Opcode::if_ || op == Opcode::else_ || op == Opcode::while_ ||
           op == Opcode::again || op == Opcode::break_;
  }

  /// Segments begin at targets of jumps.
  void find_segments() {
    end_of_loop_.resize(code_.size());
    std::vector<std::size_t> ends;
    for (std::size_t at = code_.size(); at-- > 0;) {
      if (code_[at].op == Opcode::endloop) ends.push_back(at);
      if (code_[at].op == Opcode::break_)
        end_of_loop_[at] = ends[ends.size() - 1 - static_cast<std::size_t>(code_[at].immediate)];
      if (code_[at].op == Opcode::loop) ends.pop_back();
    }
    made_.head.assign(code_.size(), stepped_);
    made_.head[0] = true;
    for (std::size_t at = 0; at < code_.size(); ++at)
      if (jumps(code_[at].op)) made_.head[target(at)] = true;
    made_.whole.resize(code_.size());
    for (std::size_t at = code_.size(); at-- > 0;) {
      const bool last = at + 1 == code_.size() || made_.head[at + 1];
      made_.whole[at] = steps_of(code_[at]) + (last ? 0 : made_.whole[at + 1]);
    }
  }

  HostOp& add(std::size_t at, HostRun run) {
    made_.ops.emplace_back().run = run;
    made_.origin.push_back(static_cast<std::int32_t>(at));
    return made_.ops.back();
  }

  void add_jump(HostOp& op, std::size_t at) {
    op.number =
        made_.whole[at] - steps_of(code_[at]); // steps taken for instructions behind the jump
    jumps_.emplace_back(made_.ops.size() - 1, target(at));
  }

  /// Translates an instruction or a pair. Returns how many.
  std::size_t translate(std::size_t at) {
    made_.start[at] = static_cast<std::int32_t>(made_.ops.size());
    if (made_.head[at]) add(at, host_operations::pay()).number = made_.whole[at];
    const Instruction& in = code_[at];
    if (ir::is_control(in.op)) {
      if (jumps(in.op)) {
        const bool asks = in.op == Opcode::if_ || in.op == Opcode::while_;
        HostOp& op = add(at, asks ? host_operations::branch() : host_operations::jump());
        op.a = in.a;
        add_jump(op, at);
      }
      return 1; // its operation only takes a step
    }
    if (at + 1 < code_.size() && !made_.head[at + 1])
      if (const HostRun both = host_operations::neighbours(typed(at), typed(at + 1));
          both && !(reads_only_ && ir::writes_memory(code_[at + 1].op))) {
        translate_pair(at, both);
        return 2;
      }
    translate_one(at);
    return 1;
  }

  void translate_one(std::size_t at) {
    const Instruction& in = code_[at];
    const ir::OpcodeGroup group = ir::group_of(in.op);
    if (group == ir::OpcodeGroup::parallel || group == ir::OpcodeGroup::call)
      return; // no effect on a single lane
    const bool refused = reads_only_ && ir::writes_memory(in.op);
    HostOp& op = add(at, refused ? host_operations::halt() : host_operations::operation(typed(at)));
    op.d = in.d, op.a = in.a, op.b = in.b, op.c = in.c;
    give_immediate(op, in);
  }

  void translate_pair(std::size_t at, HostRun both) {
    const Instruction &first = code_[at], &second = code_[at + 1];
    HostOp& op = add(at, both);
    op.d = first.d, op.a = first.a, op.b = first.b;
    if (first.op == Opcode::bound) {
      op.d = second.d;
      if (second.op == Opcode::store || second.op == Opcode::local_store)
        op.b = second.b, op.c = first.b;
      give_immediate(op, second);
    } else if (jumps(second.op)) {
      add_jump(op, at + 1);
    }
  }

  /// The instruction with the type that its array has.
  Instruction typed(std::size_t at) const {
    Instruction in = code_[at];
    if (ir::makes_request(in.op) || in.op == Opcode::initial)
      in.type = program_.arrays[static_cast<std::size_t>(in.immediate)].type;
    return in;
  }

  void give_immediate(HostOp& op, const Instruction& in) {
    const auto index = static_cast<std::size_t>(in.immediate);
    if (ir::makes_request(in.op)) {
      op.array = &host_.arrays_[index];
    } else if (in.op == Opcode::initial) {
      op.array = &host_.snapshots_[index];
    } else if (in.op == Opcode::local_load || in.op == Opcode::local_store) {
      op.array = &host_.locals_[index];
    } else if (in.op == Opcode::lookup) {
      op.table = &program_.tables[index];
    } else if (in.op == Opcode::constant || in.op == Opcode::convert) {
      op.number = in.immediate;
    } else { // a rare one
      op.number = static_cast<std::int64_t>(in.op) << 8 | static_cast<std::int64_t>(in.type);
    }
  }

  HostCode& host_;
  const ir::Program& program_;
  const std::vector<Instruction>& code_;
  bool reads_only_, stepped_;
  std::vector<std::size_t> end_of_loop_; ///< each break's end of its loop
  std::vector<std::pair<std::size_t, std::size_t>>
      jumps_; ///< operations and their target instructions
  Code made_;
};

HostCode::HostCode(const ir::Program& program, const ir::Function& function, Memory& memory,
                   Lanes& lanes, bool reads_only)
    : function_(function), lanes_(lanes), locals_(function.locals.size()) {
  for (ArrayState& array : memory.arrays) {
    arrays_.push_back({array.words.data(), array.elements});
    snapshots_.push_back({array.snapshot.data(), array.elements});
  }
  refresh_arrays();
  code_ = Translator(*this, program, reads_only, false).translate();
  stepped_ = Translator(*this, program, reads_only, true).translate();
}

void HostCode::refresh_arrays() {
  for (std::size_t k = 0; k < locals_.size(); ++k) {
    const auto [values, elements] = lanes_.own_array(k);
    locals_[k] = {values, elements};
  }
}

std::optional<std::int32_t> HostCode::run(std::int32_t at, Budget& budget) {
  for (;;) {
    const auto place = static_cast<std::size_t>(at);
    if (function_.code[place].op == Opcode::end) return at;
    const std::int64_t before = budget.steps;
    std::int64_t given = budget.unasked();
    if (given == 0) { // `step` must be called for this instruction
      if (!budget.step(function_.code[place].span)) return std::nullopt;
      given = 1 + budget.unasked();
    }
    if (code_.start[place] < 0) given = 1; // the end of a pair: whole segments again from here
    const Code& code = code_.start[place] >= 0 && code_.whole[place] <= given ? code_ : stepped_;
    state_.paid = given - (code.head[place] ? 0 : code.whole[place]);
    const HostOp* op = &code.ops[static_cast<std::size_t>(code.start[place])];
    while (op) op = op->run(op, lanes_.row(0), state_);
    at = code.origin[static_cast<std::size_t>(state_.at - code.ops.data())] + state_.behind;
    if (!state_.unpaid) { // the step of the lane's instruction is taken
      const auto left = static_cast<std::size_t>(at);
      state_.paid += code.whole[left] - steps_of(function_.code[left]);
    }
    budget.steps = before + given - state_.paid;
    if (!state_.unpaid) return at;
  }
}

} // namespace memlane
