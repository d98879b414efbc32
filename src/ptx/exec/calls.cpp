// Calls of functions: their frames, parameters and local memory.
#include "builtins.hpp"
#include "run_warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace memlane::ptx {

namespace {

/// A warp with more nested calls has lost its way.
constexpr std::int32_t most_calls = 1 << 10;

} // namespace

/// A path of its own for the function's lanes; `parent` waits for its end.
void WarpRun::enter(const Code& code, std::uint32_t lanes, std::int32_t parent) {
  auto place =
      std::find_if(calls_.begin(), calls_.end(), [](const Activation& one) { return !one.used; });
  if (place == calls_.end()) place = calls_.emplace(calls_.end());
  selected_ = -1;
  Activation& made = *place;
  made.code = &code;
  made.lanes = lanes;
  made.used = true;
  made.depth = 0;
  made.local_base = 0;
  if (parent >= 0) {
    const Activation& from =
        calls_[static_cast<std::size_t>(paths_[static_cast<std::size_t>(parent)].activation)];
    made.depth = from.depth + 1;
    made.local_base = from.local_end();
  }
  made.stack.fill(code.local_bytes);
  made.counts = counts_ ? counts_[code.number] : nullptr;
  if (round_.open) end_round(RoundEvent::counts);
  made.frame.assign(static_cast<std::size_t>(code.frame.bytes) + scratch_bytes + 64, 0);
  made.params.assign(static_cast<std::size_t>(code.param_bytes) * warp_lanes, 0);
  if (parent < 0 && code.addresses_params) {
    const Memories& memories = *warp_.memories;
    const auto bytes =
        static_cast<std::size_t>(std::min(code.param_bytes, memories.kernel_param_bytes));
    for (int l = 0; l < warp_lanes; ++l)
      std::memcpy(made.params.data() + l * code.param_bytes, memories.kernel_params, bytes);
  }
  Path path;
  path.meets = static_cast<std::int32_t>(code.steps.size());
  path.lanes = lanes;
  path.parent = parent;
  path.activation = static_cast<std::int32_t>(place - calls_.begin());
  path.begins_call = true;
  add_path(path);
  current_ = -1;
}

void WarpRun::copy_params(const Activation& from, Activation& to,
                          const std::vector<std::int32_t>& sources,
                          const std::vector<std::int32_t>& targets, std::uint32_t lanes) {
  for (std::size_t k = 0; k < std::min(sources.size(), targets.size()); ++k) {
    const auto source = static_cast<std::size_t>(sources[k]),
               target = static_cast<std::size_t>(targets[k]);
    const std::int64_t bytes = std::min(from.code->function->variables[source].bytes,
                                        to.code->function->variables[target].bytes);
    for (int l = 0; l < warp_lanes; ++l)
      if ((lanes >> l & 1) != 0)
        std::memcpy(to.params.data() + l * to.code->param_bytes + to.code->offsets[target],
                    from.params.data() + l * from.code->param_bytes + from.code->offsets[source],
                    static_cast<std::size_t>(bytes));
  }
}

/// The path has gone behind the call, where it waits. True: it goes on at once, since the function
/// is one of memlane's own.
bool WarpRun::call(const Step& step) {
  const Call& call = activation().code->function->calls[static_cast<std::size_t>(step.target)];
  std::int32_t function = call.function;
  const std::uint32_t lanes = warp_.mask;
  if (function < 0) {
    const auto* const address = source<std::uint64_t>(warp_, step.a);
    const std::uint64_t first = address[std::countr_zero(lanes)];
    function = image_->function_at(first);
    std::uint32_t same = 0;
    for (int l = 0; l < warp_lanes; ++l)
      if ((lanes >> l & 1) != 0 && address[l] == first) same |= std::uint32_t{1} << l;
    if (same != lanes) {
      // Lanes that call different functions do so one after the other: each part comes back to
      // this step.
      const std::int32_t at = now().at - 1;
      const Part parts[] = {{at, lanes & ~same}, {at, same}};
      part(at + 1, parts);
      return false;
    }
  }
  if (function < 0) return fail(FaultKind::no_function, step, lanes, "an address of no function");
  const Code& code = image_->code(function);
  if (!code.function->defined) return call_builtin(*code.function, call, step);
  const Activation& caller = activation();
  if (caller.depth >= most_calls ||
      caller.local_end() + code.local_bytes > warp_.memories->local_bytes)
    return fail(FaultKind::too_deep, step, lanes, "in a call of " + code.function->name);
  enter(code, lanes, current_ < 0 ? 0 : current_);
  Activation& callee = calls_[static_cast<std::size_t>(paths_.back().activation)];
  copy_params(caller, callee, call.arguments, code.function->parameters, lanes);
  return false;
}

bool WarpRun::call_builtin(const Function& function, const Call& call, const Step& step) {
  const Activation& caller = activation();
  const std::vector<Variable>& variables = caller.code->function->variables;
  const auto place = [&](std::int32_t variable) {
    return ParamPlace{
        warp_.memories->params + caller.code->offsets[static_cast<std::size_t>(variable)],
        caller.code->param_bytes, variables[static_cast<std::size_t>(variable)].bytes};
  };
  BuiltinCall made{function.name, {}, {}};
  for (const std::int32_t variable : call.arguments) made.arguments.push_back(place(variable));
  for (const std::int32_t variable : call.results) made.results.push_back(place(variable));
  const std::uint32_t mask = warp_.mask;
  if (round_.open) end_round(RoundEvent::counts);
  const bool good = execute_builtin(warp_, step, made);
  warp_.mask = mask;
  if (!good) state_ = WarpState::faulted;
  return good;
}

/// The function has ended for all its lanes; `caller` stands behind the call.
void WarpRun::leave(std::int32_t ended, const Path& caller) {
  Activation& done = calls_[static_cast<std::size_t>(ended)];
  Activation& to = calls_[static_cast<std::size_t>(caller.activation)];
  const Step& step = to.code->steps[static_cast<std::size_t>(caller.at - 1)];
  const Call& call = to.code->function->calls[static_cast<std::size_t>(step.target)];
  copy_params(done, to, done.code->function->results, call.results, done.lanes & live_);
  unwritten_.leave(ended);
  if (warp_.memories->reads) warp_.memories->reads->leave(ended);
  done.used = false;
}

} // namespace memlane::ptx
