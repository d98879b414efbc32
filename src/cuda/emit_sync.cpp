// forall sync: all iterations read, then all write; between the two, registers hold the words.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

namespace {

// Registers of a thread are few: what does not fit lies in its local memory, which is slow.
constexpr std::int64_t most_rounds = 1024;

} // namespace

/// The most iterations that a thread runs, if the emission can tell.
std::optional<std::int64_t> Emitter::sync_rounds(const TStatement& s) {
  std::int64_t iterations = 1;
  for (const TRange& range : s.ranges) {
    const auto lo = values_.interval(range.lo), hi = values_.interval(range.hi);
    if (!lo || !hi) return std::nullopt;
    const std::int64_t length = std::max<std::int64_t>(0, hi->high - lo->low);
    if (length != 0 && iterations > INT64_MAX / length) return std::nullopt;
    iterations *= length;
  }
  const std::int64_t threads = std::max<std::int64_t>(1, least_threads_);
  return std::max<std::int64_t>(1, iterations / threads + (iterations % threads != 0 ? 1 : 0));
}

void Emitter::emit_sync(const TStatement& s, Writer& out) {
  if (function_->host)
    return unsupported(s.span, "a 'forall sync' in host code", {"call the proc from a kernel"});
  const std::optional<std::int64_t> rounds = sync_rounds(s);
  if (!rounds || *rounds > most_rounds) {
    const std::string what =
        rounds
            ? fmt::format("a 'forall sync' of {} rounds a thread, each with a register of its own",
                          *rounds)
            : std::string("a 'forall sync' whose rounds are not known when it is emitted");
    unsupported(s.span, what,
                {rounds ? fmt::format("at most {} rounds can be emitted: give the parameters other "
                                      "values with -D, or take more threads",
                                      most_rounds)
                        : std::string("let its bounds depend on parameters, constants and "
                                      "variables of 'for' loops alone: the parameters are then "
                                      "fixed with -D")});
    return;
  }
  const bool once = *rounds == 1;
  const std::string comment = comments_.behind(s.span);
  function_->specials.insert(ir::Special::thread);
  if (!once || s.chunked) function_->specials.insert(ir::Special::threads);
  out.open("", comment);

  std::vector<Code> lows, lengths;
  std::string counter;
  Code all{"1", Code::primary, ir::Scalar::int32, true};
  ir::Scalar type = ir::Scalar::int32;
  const bool narrow = counts_with_int(s);
  for (std::size_t k = 0; k < s.ranges.size(); ++k) {
    lows.push_back(expr(s.ranges[k].lo));
    lengths.push_back(length(s.ranges[k], lows.back()));
    counter += checked_.variables[std::size_t(s.ranges[k].index)].name;
    if (!narrow) type = std::max(type, s.ranges[k].lo.type.scalar);
    all = k == 0 ? lengths[0] : Code{term(all) + " * " + factor(lengths[k]), Code::product, type};
  }
  const bool single = s.ranges.size() == 1;
  const std::string round = fresh_name("round"), number = scalar_name(type);
  const std::string name = single ? declare(s.ranges[0].index) : fresh_name(counter);
  std::string end = single && !s.chunked ? text(s.ranges[0].hi, Code::sum) : all.text;
  const std::string last = fresh_name(counter + "_end");
  const bool kept = s.chunked || !is_steady(s.ranges[0].hi) || !single;
  if (kept) {
    out.line(fmt::format("const {} {} = {};", number, last, end));
    end = last;
  }
  std::string first = "thread", step = fmt::format("{} * threads", round);
  if (s.chunked) {
    helpers_.insert("ceil_div");
    const std::string chunk = fresh_name(counter + "_chunk");
    out.line(fmt::format("const {0} {1} = ceil_div<{0}>({2}, threads);", number, chunk, last));
    first = fmt::format("thread * {}", chunk), step = round;
    out.line(fmt::format("const {0} {1}_own = min({2}, (thread + 1) * {1});", number, chunk, last));
    end = chunk + "_own";
  }
  const bool from_low = single && !is_number(lows[0], "0");
  const bool shifted = single && s.chunked; // compared before the low end is added
  std::string start =
      from_low && !shifted ? fmt::format("{} + {}", bracketed(lows[0], Code::sum), first) : first;
  if (!once) start += " + " + step;
  const auto each_round = [&](const std::function<void()>& body) {
    if (!once) {
      out.line("#pragma unroll");
      out.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", round, *rounds));
    }
    const std::string own = shifted ? fresh_name(name + "_number") : name;
    out.line(fmt::format("const {} {} = {};", number, own, start));
    out.open(fmt::format("if ({} < {})", own, end));
    if (shifted)
      out.line(
          fmt::format("const {} {} = {} + {};", number, name, bracketed(lows[0], Code::sum), own));
    if (!single) {
      for (std::size_t k = 0; k < s.ranges.size(); ++k) {
        std::string index = name;
        for (std::size_t j = s.ranges.size() - 1; j > k; --j) index += " / " + factor(lengths[j]);
        if (k > 0) index += " % " + factor(lengths[k]);
        if (!is_number(lows[k], "0"))
          index = fmt::format("{} + {}", bracketed(lows[k], Code::sum), index);
        out.line(fmt::format("const {} {} = {};",
                             scalar_name(narrow ? ir::Scalar::int32 : s.ranges[k].lo.type.scalar),
                             declare(s.ranges[k].index), index));
      }
    }
    body();
    out.close();
    if (!once) out.close();
  };
  bind_indices(s, narrow);

  // Each store keeps its value until all have read; and its place, where that is not known anew.
  std::vector<const TStatement*> stores;
  std::map<const TStatement*, std::string> value_of, place_of;
  bool plain = true;
  each_statement(s.body, [&](const TStatement& inner) {
    if (inner.kind == TStatementKind::assign_element) stores.push_back(&inner);
    if (inner.kind != TStatementKind::assign_element) plain = false;
    for (const TExpr& index : inner.indices) plain = plain && !reads_arrays(index);
  });
  const std::string many = once ? "" : fmt::format("[{}]", *rounds);
  const std::string at_round = once ? "" : fmt::format("[{}]", round);
  std::vector<std::string> fresh;
  for (const TStatement* store : stores) {
    const std::string suffix = stores.size() == 1 ? "" : std::to_string(value_of.size() + 1);
    value_of[store] = fresh_name("value" + suffix);
    out.line(fmt::format("{} {}{}{};", type_name(store->value->type), value_of[store], many, "{}"));
    if (plain) continue;
    place_of[store] = fresh_name("at" + suffix);
    out.line(fmt::format("int {}{}{};", place_of[store], many, once ? " = -1" : ""));
    if (!once) out.line(fmt::format("for (int& none : {}) none = -1;", place_of[store]));
  }
  const std::function<void(const std::vector<TStatement>&)> read =
      [&](const std::vector<TStatement>& body) {
        for (const TStatement& inner : body) {
          if (inner.kind == TStatementKind::if_) {
            out.open(fmt::format("if ({})", text(*inner.value)), comments_.behind(inner.span));
            read(inner.body);
            if (!inner.alternative.empty()) {
              out.unindent();
              out.line("} else {");
              out.indent();
              read(inner.alternative);
            }
            out.close();
            continue;
          }
          if (inner.kind != TStatementKind::assign_element) {
            statement(inner, out);
            continue;
          }
          const EmittedArray array = resolve(inner.symbol);
          const std::string at = word(array, inner.indices).text;
          // The index is computed once, as it may read arrays.
          const std::string index = plain ? at : place_of[&inner] + at_round;
          std::string place = fmt::format("{}[{}]", array.base, index);
          const Type element = symbol_of(inner.symbol).element;
          if (element.is_record() && inner.field >= 0)
            place = fmt::format("{}.{}[{}]", array.base,
                                top_name(checked_.records[std::size_t(element.record)]
                                             .fields[std::size_t(inner.field)]
                                             .name),
                                index);
          std::string value = text(*inner.value);
          if (inner.assign_op != AssignOp::set)
            value = fmt::format("{} {} {}", place,
                                inner.assign_op == AssignOp::add   ? "+"
                                : inner.assign_op == AssignOp::sub ? "-"
                                                                   : "*",
                                text(*inner.value, Code::unary));
          if (!plain) out.line(fmt::format("{} = {};", index, at));
          out.line(fmt::format("{}{} = {};", value_of[&inner], at_round, value),
                   comments_.behind(inner.span));
        }
      };
  const auto write = [&](const TStatement& inner) {
    const EmittedArray array = resolve(inner.symbol);
    const Type element = symbol_of(inner.symbol).element;
    const std::string value = value_of[&inner] + at_round;
    const std::string at = plain ? word(array, inner.indices).text : place_of[&inner] + at_round;
    std::string store = fmt::format("{}[{}] = {};", array.base, at, value);
    if (element.is_record() && inner.field < 0)
      store = fmt::format("{}.put({}, {});", array.base, at, value);
    if (element.is_record() && inner.field >= 0)
      store = fmt::format(
          "{}.{}[{}] = {};", array.base,
          top_name(
              checked_.records[std::size_t(element.record)].fields[std::size_t(inner.field)].name),
          at, value);
    out.line(plain ? store : fmt::format("if ({} >= 0) {}", at, store));
  };
  if (once && plain && single && !s.chunked) {
    out.line(fmt::format("const {} {} = {};", number, name, start));
    out.open(fmt::format("if ({} < {})", name, end));
    read(s.body);
    out.close();
    out.line("__syncthreads();");
    out.open(fmt::format("if ({} < {})", name, end));
    for (const TStatement* store : stores) write(*store);
    out.close();
    out.line("__syncthreads();");
    return out.close();
  }
  // Scoped, so that both phases may name the index alike.
  out.open("");
  each_round([&] { read(s.body); });
  out.close();
  out.line("__syncthreads();");
  out.open("");
  if (plain) {
    each_round([&] {
      for (const TStatement* store : stores) write(*store);
    });
  } else {
    if (!once) {
      out.line("#pragma unroll");
      out.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", round, *rounds));
    }
    for (const TStatement* store : stores) write(*store);
    if (!once) out.close();
  }
  out.close();
  out.line("__syncthreads();");
  out.close();
}

} // namespace memlane::cuda
