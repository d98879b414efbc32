// Kernels, their shared memory and their launches.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

namespace {

/// An array of memory on the device: to be written, or only read.
Expr on_device(Expr array, bool written) {
  return member_call(std::move(array), written ? "device" : "input");
}

} // namespace

/// Evaluates a launch's actuals. One kernel serves all arrays with plain rows, which come as
/// pointers; others are built into a kernel of their own, which `key` tells apart.
std::vector<Expr> Desugarer::launch_actuals(const TStatement& s, std::vector<ArrayRef>& arrays,
                                            std::string& key) {
  const TFunction& function = checked_.function(s.symbol);
  std::vector<Expr> actuals;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) {
      actuals.push_back(expr(*s.actuals[k].value));
      continue;
    }
    const SymbolId formal = function.formals[k].symbol;
    ArrayRef array = slice(*s.actuals[k].array);
    array.pointer = has_rows(array.root) && !on_dmm();
    key += array.pointer ? "|*" : fmt::format("|{}{}", array.root, array.whole ? "" : ":");
    if (array.pointer) {
      const bool written = written_in(function).count(formal) > 0;
      Expr base = on_device(array.base, written || checked_.array(formal).element.is_record());
      actuals.push_back(array.offset.is(0) ? std::move(base) : std::move(base) + array.offset);
    } else if (!array.whole) {
      actuals.push_back(array.offset);
    }
    for (std::size_t d = 0; d < array.extents.size(); ++d)
      if (takes_extent(formal, d)) actuals.push_back(array.extents[d]);
    arrays.push_back(std::move(array));
  }
  return actuals;
}

void Desugarer::launch(const TStatement& s, Block& out) {
  if (const auto own = evaluated_first(s, out)) return launch(*own, out);
  const std::string comment = comments_.behind(s.span);
  const TFunction& function = checked_.function(s.symbol);
  std::string key = function.name;
  std::vector<ArrayRef> arrays;
  std::vector<Expr> actuals = launch_actuals(s, arrays, key);
  if (kernels_.count(key) == 0) kernels_[key] = write_kernel(function, arrays);
  const DeviceFunction& kernel = kernels_[key];
  const std::set<SymbolId> written = written_by(function, arrays);

  Expr blocks = s.blocks ? expr(*s.blocks) : integer(1);
  if (on_dmm() && !blocks.is(1)) blocks = call("only_block", {std::move(blocks)});
  launched_threads_ = launched_threads(s);
  std::vector<Expr> arguments = {named(kernel.name), std::move(blocks), *launched_threads_,
                                 dynamic_bytes(function, kernel.captures)};
  launched_threads_.reset();
  for (const Capture& capture : kernel.captures) {
    if (capture.role != Role::array || checked_.array(capture.symbol).kind == ArrayKind::shared)
      continue;
    const bool record = checked_.array(capture.symbol).element.is_record();
    arguments.push_back(on_device(value_of(capture), record || written.count(capture.symbol) > 0));
    if (on_dmm()) arguments.push_back(member_call(value_of(capture), "words"));
  }
  for (Expr& actual : actuals) arguments.push_back(std::move(actual));
  for (const Capture& capture : kernel.captures) {
    if (capture.role == Role::row_offsets)
      arguments.push_back(member_call(value_of(capture), "device"));
    if (capture.role == Role::run_value) arguments.push_back(value_of(capture));
  }
  if (on_dmm()) arguments.push_back(call("cycles", {}));
  out.push_back(evaluate(call("launch", std::move(arguments)), comment));
}

/// A DMM's kernel copies the whole memory in and out, so that its launches follow each other.
void Desugarer::concurrent(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  Function body;
  body.body = block(s.body);
  if (on_dmm())
    out.push_back(scope(std::move(body.body),
                        comment.empty() ? "// one after the other: they share a memory" : comment));
  else
    out.push_back(evaluate(call("concurrent", {lambda(std::move(body))}), comment));
}

/// The arrays that a kernel writes, by name or by way of a formal that is built in.
std::set<SymbolId> Desugarer::written_by(const TFunction& kernel,
                                         const std::vector<ArrayRef>& arrays) {
  std::set<SymbolId> written = written_in(kernel);
  std::size_t next = 0;
  for (const TFormal& formal : kernel.formals) {
    if (!formal.array) continue;
    const ArrayRef& array = arrays[next++];
    if (!array.pointer && written.count(formal.symbol) > 0) written.insert(array.root);
  }
  return written;
}

DeviceFunction Desugarer::write_kernel(const TFunction& function,
                                       const std::vector<ArrayRef>& arrays) {
  check_sized(function);
  check_capacity(function);
  FunctionContext own;
  own.dynamic_shared = needs_dynamic(function);
  own.sizes = sizes_of_launches(function);
  FunctionContext* const host = std::exchange(context_, &own);
  const std::set<SymbolId> written = written_by(function, arrays);
  Function kernel;
  std::vector<Parameter> formals = formals_of(function, arrays);
  kernel.body = block(function.body);
  // Nothing comes behind the last barrier; a DMM's frame has one of its own there.
  if (!kernel.body.empty() && kernel.body.back().kind == Statement::sync_block &&
      kernel.body.back().comment.empty())
    kernel.body.pop_back();
  const Needs needs = open(kernel, [&](const std::set<Capture>& captures, Block& body) {
    return kernel_frame(captures, written, body);
  });
  std::set<Capture> captured_arrays, others;
  for (const Capture& capture : needs.captures)
    (capture.role == Role::array ? captured_arrays : others).insert(capture);
  kernel.parameters = captured(captured_arrays, written, true);
  for (std::vector<Parameter>& part : std::vector{std::move(formals), captured(others, {}, true)})
    kernel.parameters.insert(kernel.parameters.end(), part.begin(), part.end());
  if (on_dmm()) kernel.parameters.push_back({"long long*", "cycles"});
  context_ = host;

  const std::string wish = names_.top(function.name);
  kernel.name = wish;
  const auto taken = [&](const auto& entry) { return entry.second.name == kernel.name; };
  for (int version = 2; std::any_of(kernels_.begin(), kernels_.end(), taken); ++version)
    kernel.name = names_.fresh(fmt::format("{}_{}", wish, version));
  kernel.result = fmt::format("__global__ void __launch_bounds__({})", own.sizes.most_threads);
  kernel.comments = comments_.above(function.span);
  kernel.comment = comments_.behind(function.span);
  file_.kernels.push_back(kernel);
  return {kernel.name, needs.captures};
}

/// What the launches have in common that come to a kernel or proc. A block has at most p threads.
LaunchSizes Desugarer::sizes_of_launches(const TFunction& function) {
  const std::int64_t p = request_.machine.threads;
  std::optional<Interval> threads, blocks;
  const auto add = [&](std::optional<Interval>& all, Interval more, std::int64_t most) {
    more = {std::clamp<std::int64_t>(more.low, 1, most),
            std::clamp<std::int64_t>(more.high, 1, most)};
    all = all ? Interval{std::min(all->low, more.low), std::max(all->high, more.high)} : more;
  };
  each_launch([&](const TStatement& s) {
    bool reaches = false;
    each_reached(checked_.function(s.symbol),
                 [&](const TFunction& reached) { reaches = reaches || &reached == &function; });
    if (!reaches) return;
    add(threads, s.threads ? values_.bounds(*s.threads) : Interval{p, p}, p);
    add(blocks, s.blocks ? values_.bounds(*s.blocks) : Interval{1, 1}, most_elements);
  });
  LaunchSizes sizes;
  if (!threads) return sizes;
  sizes.least_threads = threads->low, sizes.most_threads = threads->high;
  if (threads->low == threads->high) sizes.threads = threads->low;
  if (blocks->low == blocks->high) sizes.blocks = blocks->low;
  return sizes;
}

/// The threads of a launch; where they may exceed what the kernel was compiled for, with a check.
Expr Desugarer::launched_threads(const TStatement& s) {
  if (!s.threads) return machine_letter(request_.machine.model == Model::agpu ? "b" : "p");
  Expr threads = expr(*s.threads);
  const std::int64_t most = sizes_of_launches(checked_.function(s.symbol)).most_threads;
  if (values_.bounds(*s.threads).high <= most) return threads;
  return call("up_to", {integer(most), std::move(threads)});
}

// A kernel's shared memory: what it takes, and a DMM's arrays in it.

/// Whether an extent uses `threads`, so that each launch has its own.
bool Desugarer::sized_by_launch(SymbolId shared) const {
  const auto& extents = checked_.array(shared).extents;
  return std::any_of(extents.begin(), extents.end(), mentions_threads);
}

/// Whether the launch says how much shared memory a block has.
bool Desugarer::needs_dynamic(const TFunction& function) {
  if (on_dmm() || shared_bytes(function) > most_static_bytes) return true;
  const std::set<SymbolId> shared = shared_of(function);
  return std::any_of(shared.begin(), shared.end(),
                     [&](SymbolId id) { return sized_by_launch(id); });
}

/// Words of an array, all fields of its records.
std::int64_t Desugarer::all_words(SymbolId shared) {
  return words_now(shared) *
         std::int64_t(scalars_of(checked_, checked_.array(shared).element).size());
}

/// The shared arrays have to fit the machine, as in a run. What a launch sizes is not known here.
void Desugarer::check_capacity(const TFunction& function) {
  const auto& memory = request_.machine.shared;
  if (!memory || !memory->capacity) return;
  std::int64_t words = 0;
  SymbolId largest = -1;
  for (const SymbolId id : shared_of(function)) {
    if (sized_by_launch(id)) continue;
    words += all_words(id);
    if (largest < 0 || all_words(id) > all_words(largest)) largest = id;
  }
  if (words <= *memory->capacity) return;
  const ArraySymbol& array = checked_.array(largest);
  errors_.push_back(error_at(
      array.span,
      fmt::format(
          "{} needs {} shared words, more than the machine's capacity of {}; {} of them are "
          "those of {}",
          function.name, words, *memory->capacity, all_words(largest), array.name),
      {fmt::format("make the arrays smaller, or change the machine: --set {}={}",
                   on_dmm() ? "capacity" : "shared.capacity", words)}));
}

/// Layouts whose tables are made before main begins.
void Desugarer::check_sized(const TFunction& function) {
  for (const SymbolId id : shared_of(function)) {
    const ArraySymbol& array = checked_.array(id);
    if (!sized_by_launch(id) || (!array.layout_word && !has_row_offsets(id))) continue;
    unsupported(
        array.span,
        fmt::format("the layout {} of {}, whose extents are known at each launch only",
                    array.layout, array.name),
        {"take rows, padded(k), diagonal, swizzle(B, M, S), bits(…) or strides(…), or extents "
         "of params and consts"});
  }
}

std::int64_t Desugarer::shared_bytes(const TFunction& function) {
  std::int64_t bytes = 0;
  for (const SymbolId id : shared_of(function)) {
    if (sized_by_launch(id)) continue;
    for (const ir::Scalar scalar : scalars_of(checked_, checked_.array(id).element))
      bytes += words_now(id) * ir::size_of(scalar);
  }
  return bytes;
}

/// The shared arrays that a kernel reaches.
std::set<SymbolId> Desugarer::shared_of(const TFunction& function) const {
  std::set<SymbolId> found;
  const auto note = [&](SymbolId id) {
    const SymbolId root = root_array(checked_, id);
    if (checked_.array(root).kind == ArrayKind::shared) found.insert(root);
  };
  each_statement_of(function, [&](const TStatement& s) {
    if (s.kind == TStatementKind::declare_array) note(s.symbol);
    each_passed(checked_, s, [&](SymbolId, const ArraySlice& slice) { note(slice.array); });
    for (const ElementAccess& access : effects_of(s).accesses) note(access.array);
  });
  return found;
}

/// Bytes of shared memory that the launch asks for.
Expr Desugarer::dynamic_bytes(const TFunction& function, const std::set<Capture>& captures) {
  Expr bytes = integer(0);
  if (!needs_dynamic(function)) return bytes;
  const auto add = [&](SymbolId id, const Expr& words) {
    const Type element = checked_.array(id).element;
    for (const ir::Scalar scalar : scalars_of(checked_, element))
      bytes = sum(std::move(bytes),
                  call_of("bytes_of", element.is_record() ? word_name(scalar) : scalar_name(scalar),
                          {words}));
  };
  for (const Capture& capture : captures)
    if (on_dmm() && capture.role == Role::array &&
        checked_.array(capture.symbol).kind == ArrayKind::memory)
      add(capture.symbol, member_call(value_of(capture), "words"));
  for (const SymbolId id : shared_of(function)) add(id, words_of(id));
  return bytes;
}

/// Takes an array from the block's shared memory; `copied`: it is in global memory, and goes back
/// there behind `body` if it is written.
void Desugarer::take_array(const Capture& capture, bool copied, bool written, Block& before,
                           Block& body) {
  const ArraySymbol& symbol = checked_.array(capture.symbol);
  const Expr words = copied ? named(words_name(capture)) : words_of(capture.symbol);
  const auto one = [&](const std::string& type, const std::string& own, const Expr& global) {
    before.push_back(declare("volatile " + type + "* const", own,
                             call_of("take", type, {named("memory"), words})));
    const auto copy = [&](const Expr& to, const Expr& from) {
      return evaluate(call_of("copy_words", type, {to, from, words}));
    };
    if (copied) before.push_back(copy(named(own), global));
    if (copied && written) body.push_back(copy(global, named(own)));
  };
  const Expr global = named(global_name(capture));
  if (!symbol.element.is_record())
    return one(names_.declared_type(symbol.span, symbol.element), capture.name, global);
  std::vector<Expr> fields;
  for (const RecordField& field : checked_.fields(symbol.element)) {
    fields.push_back(named(names_.fresh(fmt::format("{}_{}", capture.name, field.name))));
    one(word_name(field.type), fields.back().text, member_of(global, names_.field(field.name)));
  }
  before.push_back(construct(fmt::format("const {}_words", names_.type(symbol.element)),
                             capture.name, braces("", std::move(fields))));
}

/// What stands before a kernel's statements, and behind them in `body`: its arrays in dynamic
/// shared memory. On a DMM those of memory are there while the kernel runs, and the clock counts
/// from when they are.
Block Desugarer::kernel_frame(const std::set<Capture>& captures, const std::set<SymbolId>& written,
                              Block& body) {
  Block before;
  const Expr clock = call("clock64", {});
  if (on_dmm()) {
    body.push_back(simple(Statement::sync_block));
    body.push_back(brief_if(binary(named("threadIdx.x"), "==", integer(0), ir::Scalar::boolean),
                            assign(unary("*", named("cycles")), clock - named("start"), "", "+=")));
  }
  if (context_->dynamic_shared)
    before.push_back(evaluate(call("DYNAMIC_SHARED", {named("memory")})));
  for (const Capture& capture : captures) {
    if (capture.role != Role::array) continue;
    const bool shared = checked_.array(capture.symbol).kind == ArrayKind::shared;
    if (shared || on_dmm())
      take_array(capture, !shared, written.count(capture.symbol) > 0, before, body);
  }
  if (on_dmm()) {
    before.push_back(simple(Statement::sync_block));
    before.push_back(declare("const long long", "start", clock));
  }
  return before;
}

} // namespace memlane::cuda
