#include "memlane/ir/concurrent.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace memlane::ir {

namespace {

/// Where a kernel first reads and first writes an array.
struct KernelUse {
  const Instruction* read = nullptr;
  const Instruction* write = nullptr;
};
using KernelUses = std::map<std::int64_t, KernelUse>; ///< keyed by array

KernelUses uses_of(const Function& kernel) {
  KernelUses uses;
  for (const Instruction& in : kernel.code) {
    if (!makes_request(in.op)) continue;
    KernelUse& use = uses[in.immediate];
    if (reads_memory(in.op) && !use.read) use.read = &in;
    if (writes_memory(in.op) && !use.write) use.write = &in;
  }
  return uses;
}

class ConcurrentCheck {
public:
  ConcurrentCheck(const Program& program, const Function& host) : program_(program), host_(host) {}

  Diagnostics run() {
    for (at_ = 0; at_ < host_.code.size(); ++at_) step(host_.code[at_]);
    return std::move(errors_);
  }

private:
  /// A launch and the access of its kernel.
  struct Use {
    const Instruction* launch = nullptr;
    const Instruction* access = nullptr;
  };
  /// The first launch of the block that may read, and that may write, an array.
  struct ArrayUse {
    Use read, write;
  };
  using Uses = std::map<std::int64_t, ArrayUse>; ///< keyed by array
  struct Branch {
    Uses before, then;
  };

  void step(const Instruction& in) {
    if (in.op == Opcode::concurrent) inside_ = true;
    if (!inside_) return;
    if (makes_request(in.op)) return access(in);
    switch (in.op) {
    case Opcode::endconcurrent:
      inside_ = false;
      uses_.clear();
      break;
    case Opcode::launch: add_launch(in, uses_); break;
    case Opcode::loop: add_loop(); break;
    case Opcode::if_: branches_.push_back({uses_, {}}); break;
    case Opcode::else_:
      branches_.back().then = std::exchange(uses_, branches_.back().before);
      break;
    case Opcode::endif:
      join(branches_.back().then);
      branches_.pop_back();
      break;
    default: break;
    }
  }

  void add_launch(const Instruction& in, Uses& to) {
    const std::int32_t kernel = program_.launches[static_cast<std::size_t>(in.immediate)].kernel;
    const auto [known, fresh] = kernels_.try_emplace(kernel);
    if (fresh) known->second = uses_of(program_.functions[static_cast<std::size_t>(kernel)]);
    for (const auto& [array, use] : known->second) {
      ArrayUse& mine = to[array];
      if (use.read && !mine.read.launch) mine.read = {&in, use.read};
      if (use.write && !mine.write.launch) mine.write = {&in, use.write};
    }
  }

  /// A round follows the launches of earlier ones.
  void add_loop() {
    int depth = 0;
    for (std::size_t k = at_; k < host_.code.size(); ++k) {
      const Instruction& in = host_.code[k];
      depth += in.op == Opcode::loop ? 1 : in.op == Opcode::endloop ? -1 : 0;
      if (depth == 0) break;
      if (in.op == Opcode::launch) add_launch(in, uses_);
    }
  }

  void join(const Uses& other) {
    for (const auto& [array, use] : other) {
      ArrayUse& mine = uses_[array];
      if (!mine.read.launch) mine.read = use.read;
      if (!mine.write.launch) mine.write = use.write;
    }
  }

  void access(const Instruction& in) {
    const auto known = uses_.find(in.immediate);
    if (known == uses_.end()) return;
    const bool write = writes_memory(in.op);
    const ArrayUse& use = known->second;
    if (use.write.launch)
      fail(in, write, use.write, true);
    else if (write && use.read.launch)
      fail(in, write, use.read, false);
  }

  /// `written`: by the launch; else it only reads.
  void fail(const Instruction& in, bool write, const Use& use, bool written) {
    for (const Diagnostic& error : errors_)
      if (error.span == in.span) return; // `+=` reads and writes; records have several arrays
    const std::string& name = program_.arrays[static_cast<std::size_t>(in.immediate)].name;
    const char* does = !write ? "have written" : written ? "write, too" : "read";
    Diagnostic error = error_at(
        in.span,
        fmt::format("host code {} {}, which a launch of the same `concurrent` may {}",
                    write ? "writes" : "reads", name, does),
        {fmt::format("only the end of a `concurrent` waits for its launches: {} {} behind it{}",
                     write ? "write" : "read", name, write ? ", or before its launches" : "")});
    error.notes.push_back(note_at(use.launch->span, "it is launched here"));
    error.notes.push_back(
        note_at(use.access->span,
                fmt::format("its kernel {} {} here", written ? "writes" : "reads", name)));
    errors_.push_back(std::move(error));
  }

  const Program& program_;
  const Function& host_;
  std::map<std::int32_t, KernelUses> kernels_; ///< keyed by function
  bool inside_ = false;
  std::size_t at_ = 0;
  Uses uses_; ///< what launches of this `concurrent` use before instruction at_
  std::vector<Branch> branches_;
  Diagnostics errors_;
};

} // namespace

std::vector<bool> written_together(const Program& program, const Function& host,
                                   std::size_t begin) {
  std::vector<bool> written(program.arrays.size());
  std::vector<bool> seen(program.functions.size());
  for (std::size_t at = begin; host.code[at].op != Opcode::endconcurrent; ++at) {
    const Instruction& in = host.code[at];
    if (in.op != Opcode::launch) continue;
    const auto kernel =
        static_cast<std::size_t>(program.launches[static_cast<std::size_t>(in.immediate)].kernel);
    if (seen[kernel]) continue;
    seen[kernel] = true;
    for (const Instruction& access : program.functions[kernel].code)
      if (writes_memory(access.op)) written[static_cast<std::size_t>(access.immediate)] = true;
  }
  return written;
}

Diagnostics check_concurrent(const Program& program, const Function& host) {
  return ConcurrentCheck(program, host).run();
}

} // namespace memlane::ir
