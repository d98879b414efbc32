// The order of the checks: names first, then what depends on them, then what needs whole calls.
#include "checker.hpp"

#include "memlane/support/machine_names.hpp"

namespace memlane::lang {

Checker::Checker(const Sources& sources, Program program, const CountNames& counts)
    : sources_(sources), counts_(counts), watch_(sources.limits()) {
  checked_.program = std::move(program);
  for (const MachineName& name : machine_names)
    if (name.place == NamePlace::programs)
      builtin_.names[std::string(name.name)] = {EntityKind::letter, -1, {}, {}};
  for (ir::Special special :
       {ir::Special::thread, ir::Special::threads, ir::Special::block, ir::Special::blocks,
        ir::Special::lane, ir::Special::warp, ir::Special::warps}) {
    builtin_.names[std::string(ir::name_of(special))] = {
        EntityKind::special, static_cast<SymbolId>(special), {}, {}};
  }
}

Result<Checked> Checker::run() {
  const Program& program = checked_.program;
  declare_program();
  find_recursive_fns();
  for (std::size_t i = 0; i < program.types.size(); ++i) check_type(static_cast<SymbolId>(i));
  declare_top_arrays();
  for (std::size_t i = 0; i < program.params.size(); ++i) check_param(static_cast<SymbolId>(i));
  for (std::size_t i = 0; i < program.consts.size(); ++i) check_const(static_cast<SymbolId>(i));
  for (std::size_t i = 0; i < program.params.size(); ++i) check_where(static_cast<SymbolId>(i));
  check_top_arrays();
  check_races();
  declare_functions();
  find_recursive_procs();
  for (const HostDecl& host : program.hosts) { // main before verify, which sees its variables
    if (!host.verify) check_host(checked_.main, host);
  }
  for (const HostDecl& host : program.hosts) {
    if (host.verify) check_host(checked_.verify, host);
  }
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    check_kernel(static_cast<SymbolId>(i), program.kernels[i]);
  }
  check_claims();
  check_unused_fns();
  check_hosts_present();
  if (!procs_recursive_ && !watch_.stopped()) {
    check_proc_extents();
    const bool walkable = check_places(checked_, errors_);
    if (walkable) check_uniformity(checked_, sources_, errors_, watch_);
  }
  if (watch_.stopped()) return stopped_while(watch_.stop(), "checking");
  if (!errors_.empty()) return errors_;
  mark_counted(checked_);
  return std::move(checked_);
}

Result<Checked> check(const Sources& sources, Program program, const CountNames& counts) {
  return Checker(sources, std::move(program), counts).run();
}

} // namespace memlane::lang
