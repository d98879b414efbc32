// Kernels and their launches.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

void Emitter::emit_launch(const TStatement& s, Writer& out) {
  // The text of `threads` may stand in the size of shared arrays, too.
  if (s.threads && draws(*s.threads)) {
    TStatement own = s;
    own.threads = settled(*s.threads, [&](const std::string& line) { out.line(line); });
    return emit_launch(own, out);
  }
  if (const auto own = settled(s, out)) return emit_launch(*own, out);
  const std::string comment = comments_.behind(s.span);
  const TFunction& function = checked_.functions[std::size_t(s.symbol)];
  // One kernel for all arrays with plain rows, which come as pointers; others are built in.
  std::string key = function.name;
  std::vector<EmittedArray> arrays;
  std::vector<std::string> actuals;
  launching_ = true;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) {
      actuals.push_back(text(*s.actuals[k].value));
      continue;
    }
    EmittedArray array = slice(*s.actuals[k].array);
    const bool plain = has_rows(array.root) && !on_dmm();
    const ArraySymbol& symbol = symbol_of(function.formals[k].symbol);
    if (plain) {
      const bool written = written_in(function).count(function.formals[k].symbol) > 0;
      array.base += written || symbol.element.is_record() ? ".device()" : ".input()";
      actuals.push_back(address(array));
      key += "|*";
    } else {
      key += fmt::format("|{}{}", array.root, array.whole ? "" : ":");
      if (!array.whole) actuals.push_back(array.offset.text);
    }
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d)
      if (symbol.extent_names[d] >= 0 || d > 0) actuals.push_back(array.extents[d]().text);
    array.pointer = plain;
    arrays.push_back(std::move(array));
  }
  launching_ = false;
  if (kernels_.count(key) == 0) write_kernel(function, arrays, key);
  const FunctionText& needs = kernel_texts_[key];
  std::string arguments;
  const auto add = [&](const std::string& argument) { arguments += ", " + argument; };
  const std::set<SymbolId>& written = written_in(function);
  for (const Capture& capture : needs.captures) {
    if (capture.kind != Capture::array) continue;
    if (symbol_of(capture.symbol).kind == ArrayKind::shared) continue;
    const bool record = symbol_of(capture.symbol).element.is_record();
    add(capture.name + (written.count(capture.symbol) > 0 || record ||
                                formals_write(function, arrays, capture.symbol)
                            ? ".device()"
                            : ".input()"));
    if (on_dmm()) add(fmt::format("{}.words()", capture.name));
  }
  for (const std::string& actual : actuals) add(actual);
  for (const Capture& capture : needs.captures) {
    if (capture.kind == Capture::turns) add(capture.name + ".device()");
    if (capture.kind == Capture::scalar) add(capture.name);
  }
  if (on_dmm()) add("cycles()");
  std::string blocks = s.blocks ? text(*s.blocks) : "1";
  if (on_dmm() && blocks != "1") blocks = fmt::format("only_block({})", blocks);
  const std::string threads = launched_threads(s);
  launched_threads_ = "(" + threads + ")";
  const std::string bytes = dynamic_bytes(function, needs);
  launched_threads_.clear();
  out.line(
      fmt::format("launch({}, {}, {}, {}{});", kernels_[key], blocks, threads, bytes, arguments),
      comment);
}

/// Whether a kernel writes an array by way of a formal that was built in.
bool Emitter::formals_write(const TFunction& function, const std::vector<EmittedArray>& arrays,
                            SymbolId root) {
  std::size_t next = 0;
  bool found = false;
  for (const TFormal& formal : function.formals) {
    if (!formal.array) continue;
    const EmittedArray& array = arrays[next++];
    found = found ||
            (array.root == root && !array.pointer && written_in(function).count(formal.symbol) > 0);
  }
  return found;
}

void Emitter::write_kernel(const TFunction& function, const std::vector<EmittedArray>& arrays,
                           const std::string& key) {
  FunctionText* const host = function_;
  const bool dynamic_outside = dynamic_shared_;
  FunctionText needs;
  function_ = &needs;
  check_sized(function);
  dynamic_shared_ = needs_dynamic(function);
  if (dynamic_shared_) helpers_.insert("dynamic");
  meetings_.look_through(function, errors_);
  needs.sizes = sizes_of_launches(&function);
  least_threads_ = needs.sizes.least_threads;
  std::vector<std::string> formals = kernel_formals(function, arrays);
  Writer body;
  const bool all_but_last =
      !function.body.empty() && (function.body.back().kind == TStatementKind::forall ||
                                 function.body.back().kind == TStatementKind::barrier);
  block(function.body, body);
  std::string text = body.text();
  // Nothing comes behind the last barrier; a DMM's frame has one of its own there.
  const std::string barrier = "  __syncthreads();\n";
  const auto ends_with = [&](const std::string& tail) {
    return text.size() >= tail.size() &&
           text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
  };
  if (all_but_last && ends_with(barrier)) text.resize(text.size() - barrier.size());
  std::string before, after;
  dmm_frame(needs, function, arrays, before, after);
  std::string name = top_name(function.name);
  for (int version = 2; std::any_of(kernels_.begin(), kernels_.end(),
                                    [&](const auto& entry) { return entry.second == name; });
       ++version)
    name = fmt::format("{}_{}", top_name(function.name), version);
  std::vector<std::string> all;
  for (const Capture& capture : needs.captures)
    if (capture.kind == Capture::array && symbol_of(capture.symbol).kind == ArrayKind::memory)
      all.push_back(parameter_of_kernel(capture, function, arrays));
  all.insert(all.end(), formals.begin(), formals.end());
  for (const Capture& capture : needs.captures)
    if (capture.kind != Capture::array) all.push_back(parameter(capture, function, true));
  if (on_dmm()) all.push_back("long long* cycles");
  std::string head;
  for (const std::string& comment : comments_.above(function.span)) head += comment + "\n";
  const std::string comment = comments_.behind(function.span);
  head +=
      fmt::format("__global__ void __launch_bounds__({}) {}({}) {{{}{}\n", needs.sizes.most_threads,
                  name, fmt::join(all, ", "), comment.empty() ? "" : "  ", comment);
  device_ += head + opening_of_kernel(needs, before) + text + after + "}\n\n";
  function_ = host;
  dynamic_shared_ = dynamic_outside;
  kernels_[key] = name;
  kernel_texts_[key] = std::move(needs);
}

std::string Emitter::parameter_of_kernel(const Capture& capture, const TFunction& function,
                                         const std::vector<EmittedArray>& arrays) {
  std::string text = parameter(capture, function, true);
  // What a formal that was built in writes is no constant.
  if (formals_write(function, arrays, capture.symbol) && text.rfind("const ", 0) == 0)
    text = text.substr(6);
  return text;
}

std::string Emitter::opening_of_kernel(const FunctionText& needs, const std::string& before) {
  FunctionText specials = needs, lambdas;
  specials.lambdas.clear();
  lambdas.lambdas = needs.lambdas;
  return opening(specials, "") + before + opening(lambdas, "");
}

/// The kernel's formals; those that are built in become their array, with where it begins.
std::vector<std::string> Emitter::kernel_formals(const TFunction& function,
                                                 const std::vector<EmittedArray>& arrays) {
  const bool plain = std::all_of(arrays.begin(), arrays.end(),
                                 [](const EmittedArray& array) { return array.pointer; });
  if (plain) return formals_of(function);
  std::vector<std::string> formals;
  std::size_t next = 0;
  const std::vector<std::string> as_pointers = formals_of(function);
  std::size_t at = 0;
  for (const TFormal& formal : function.formals) {
    if (!formal.array) {
      formals.push_back(as_pointers[at++]);
      continue;
    }
    const EmittedArray& given = arrays[next++];
    EmittedArray own = arrays_[formal.symbol];
    const std::string pointer = as_pointers[at++];
    if (given.pointer) {
      formals.push_back(pointer);
    } else {
      capture_array(given.root);
      EmittedArray built = resolve(given.root);
      built.extents = own.extents;
      built.whole = given.whole;
      if (!given.whole) {
        const std::string first = fresh_name(symbol_of(formal.symbol).name + "_first");
        formals.push_back(fmt::format("int {}", first));
        built.offset = {first, Code::primary, ir::Scalar::int32};
      }
      arrays_[formal.symbol] = built;
    }
    const ArraySymbol& symbol = symbol_of(formal.symbol);
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d)
      if (symbol.extent_names[d] >= 0 || d > 0) formals.push_back(as_pointers[at++]);
  }
  return formals;
}

/// Of the launches of one kernel, or, without one, of all. A block has at most p threads.
LaunchSizes Emitter::sizes_of_launches(const TFunction* function) {
  const std::int64_t p = request_.machine.threads;
  std::optional<Interval> threads, blocks;
  const auto add = [&](std::optional<Interval>& all, Interval more, std::int64_t most) {
    more = {std::clamp<std::int64_t>(more.low, 1, most),
            std::clamp<std::int64_t>(more.high, 1, most)};
    all = all ? Interval{std::min(all->low, more.low), std::max(all->high, more.high)} : more;
  };
  const auto look = [&](const TStatement& s) {
    if (s.kind != TStatementKind::launch) return;
    if (function && &checked_.functions[std::size_t(s.symbol)] != function) return;
    add(threads, s.threads ? values_.bounds(*s.threads) : Interval{p, p}, p);
    add(blocks, s.blocks ? values_.bounds(*s.blocks) : Interval{1, 1}, most_elements);
  };
  for (const SymbolId id : {checked_.main, checked_.verify}) {
    if (id < 0) continue;
    each_reached(checked_.functions[std::size_t(id)],
                 [&](const TFunction& reached) { each_statement(reached.body, look); });
  }
  LaunchSizes sizes;
  if (!threads) return sizes;
  sizes.least_threads = threads->low, sizes.most_threads = threads->high;
  if (threads->low == threads->high) sizes.threads = threads->low;
  if (blocks->low == blocks->high) sizes.blocks = blocks->low;
  return sizes;
}

/// The threads of a launch, held against what its kernel was compiled for where they may be more.
std::string Emitter::launched_threads(const TStatement& s) {
  if (!s.threads) return machine_letter("p");
  const std::string threads = text(*s.threads);
  const std::int64_t most =
      sizes_of_launches(&checked_.functions[std::size_t(s.symbol)]).most_threads;
  return values_.bounds(*s.threads).high <= most ? threads
                                                 : fmt::format("up_to({}, {})", most, threads);
}

} // namespace memlane::cuda
