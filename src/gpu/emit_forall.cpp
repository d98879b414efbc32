// The forms of forall: which thread runs which iterations, and the barriers behind them.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::gpu {

using namespace lang;

namespace {

std::string factor(const Code& code) {
  return code.level < Code::unary ? "(" + code.text + ")" : code.text;
}

std::string term(const Code& code) {
  return code.level < Code::product ? "(" + code.text + ")" : code.text;
}

bool is_zero(const Code& code) { return code.literal && code.text == "0"; }

} // namespace

bool Emitter::is_extent(const std::string& text) const { return extents_.count(text) > 0; }

/// Iterations of one range: not negative.
Code Emitter::length(const TRange& range) {
  const Code lo = expr(range.lo), hi = expr(range.hi);
  Code all = hi;
  if (!is_zero(lo))
    all = {fmt::format("{} - {}", hi.level < Code::sum ? "(" + hi.text + ")" : hi.text, term(lo)),
           Code::sum, std::max(lo.type, hi.type)};
  const auto a = values_.interval(range.lo), b = values_.interval(range.hi);
  const bool sure = (a && b && b->low >= a->high) || (is_zero(lo) && is_extent(hi.text));
  if (sure) return all;
  return {fmt::format("max({}, {})", all.type == ir::Scalar::int64 ? "0ll" : "0", all.text),
          Code::primary, all.type};
}

/// The loop over the iterations of this thread, the indices declared in it.
void Emitter::forall_loop(const TStatement& s, Writer& out, const std::function<void()>& body) {
  const std::string comment = comments_.behind(s.span);
  std::string thread = "0", step = "1";
  if (!function_->host) {
    function_->specials.insert({ir::Special::thread, ir::Special::threads});
    thread = "thread", step = "threads";
    if (s.forall_kind == ForallKind::grid) {
      function_->specials.insert({ir::Special::block, ir::Special::blocks});
      thread = "block * threads + thread", step = "blocks * threads";
    }
  }
  std::vector<Code> lows, lengths;
  std::string counter;
  bool steady = true;
  for (const TRange& range : s.ranges) {
    lows.push_back(expr(range.lo));
    lengths.push_back(length(range));
    steady = steady && is_steady(range.lo) && is_steady(range.hi);
    counter += checked_.variables[std::size_t(range.index)].name;
  }
  const bool single = s.ranges.size() == 1;
  ir::Scalar type = s.ranges[0].lo.type.scalar;
  // A single range counts by the index itself; several by the number of the iteration.
  Code all = lengths[0];
  if (!single) {
    for (std::size_t k = 1; k < lengths.size(); ++k) {
      all = {fmt::format("{} * {}", term(all), factor(lengths[k])), Code::product,
             ir::Scalar::int32};
      type = std::max(type, s.ranges[k].lo.type.scalar);
    }
    std::int64_t most = 1;
    for (const TRange& range : s.ranges) {
      const auto hi = values_.interval(range.hi), lo = values_.interval(range.lo);
      const std::int64_t long_one =
          hi && lo ? std::max<std::int64_t>(0, hi->high - lo->low) : std::int64_t{INT32_MAX};
      most = std::min<std::int64_t>(most * std::min<std::int64_t>(long_one, INT32_MAX), INT32_MAX);
    }
    if (most > INT32_MAX / 2 && !is_extent(all.text)) {
      type = ir::Scalar::int64;
      all.text = fmt::format("(long long){} * {}", factor(lengths[0]), factor(lengths[1]));
      if (lengths.size() > 2) all.text += " * " + factor(lengths[2]);
    }
  }
  const std::string name = single ? declare(s.ranges[0].index) : fresh_name(counter);
  const bool host = function_->host;
  const bool keeps = (!single && !steady) || s.chunked || (single && !is_steady(s.ranges[0].hi));
  const std::string number = scalar_name(type);
  std::string first, end;
  if (single && !s.chunked) {
    first = is_zero(lows[0]) ? thread
            : thread == "0"  ? lows[0].text
                             : fmt::format("{} + {}", lows[0].text, thread);
    end = text(s.ranges[0].hi, Code::sum);
    if (keeps) {
      const std::string last = kept_name(name + "_end");
      out.line(fmt::format("const {} {} = {};", number, last, end));
      end = last;
    }
  } else {
    first = thread, end = all.text;
    if (keeps) {
      const std::string count = kept_name(name + "_count");
      out.line(fmt::format("const {} {} = {};", number, count, end));
      end = count;
    }
    if (s.chunked && !host) {
      helpers_.insert("ceil_div");
      const std::string chunk = kept_name(name + "_chunk"), from = kept_name(name + "_first");
      out.line(fmt::format("const {0} {1} = ceil_div<{0}>({2}, {3});", number, chunk, end,
                           s.forall_kind == ForallKind::grid ? step : "threads"));
      out.line(fmt::format("const {} {} = ({}) * {};", number, from, thread, chunk));
      first = from, end = fmt::format("min({}, {} + {})", end, from, chunk), step = "1";
      const std::string last = kept_name(name + "_end");
      out.line(fmt::format("const {} {} = {};", number, last, end));
      end = last;
    }
  }
  const bool shifted = single && s.chunked; // counts from 0
  const std::string own = shifted ? fresh_name(name + "_number") : name;
  out.open(fmt::format("for ({} {} = {}; {} < {}; {})", number, own, first, own, end,
                       step == "1" ? "++" + own : fmt::format("{} += {}", own, step)),
           comment);
  if (shifted) out.line(fmt::format("const {} {} = {} + {};", number, name, lows[0].text, own));
  std::optional<Interval> none;
  if (!single) {
    std::string rest = name;
    for (std::size_t k = 0; k < s.ranges.size(); ++k) {
      std::string index = name;
      for (std::size_t j = s.ranges.size() - 1; j > k; --j) index += " / " + factor(lengths[j]);
      if (k > 0) index += " % " + factor(lengths[k]);
      if (!is_zero(lows[k])) index = fmt::format("{} + {}", lows[k].text, index);
      const std::string type_of = scalar_name(s.ranges[k].lo.type.scalar);
      out.line(fmt::format("const {} {} = {};", type_of, declare(s.ranges[k].index), index));
    }
  }
  for (const TRange& range : s.ranges) {
    values_.bind(range.index, none);
    values_.bind_floor(range.index, values_.floor(range.lo));
  }
  body();
  out.close();
}

void Emitter::emit_forall(const TStatement& s, Writer& out) {
  if (s.forall_kind == ForallKind::sync) return emit_sync(s, out);
  forall_loop(s, out, [&] { block(s.body, out); });
  if (!function_->host && s.forall_kind != ForallKind::grid) out.line("__syncthreads();");
}

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
  for (std::size_t k = 0; k < s.ranges.size(); ++k) {
    lows.push_back(expr(s.ranges[k].lo));
    lengths.push_back(length(s.ranges[k]));
    counter += checked_.variables[std::size_t(s.ranges[k].index)].name;
    type = std::max(type, s.ranges[k].lo.type.scalar);
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
  const bool from_low = single && !is_zero(lows[0]);
  const bool shifted = single && s.chunked; // compared before the low end is added
  std::string start = from_low && !shifted ? fmt::format("{} + {}", lows[0].text, first) : first;
  if (!once) start += " + " + step;
  const auto each_round = [&](const std::function<void()>& body) {
    if (!once) {
      out.line("#pragma unroll");
      out.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", round, *rounds));
    }
    const std::string own = shifted ? fresh_name(name + "_number") : name;
    out.line(fmt::format("const {} {} = {};", number, own, start));
    out.open(fmt::format("if ({} < {})", own, end));
    if (shifted) out.line(fmt::format("const {} {} = {} + {};", number, name, lows[0].text, own));
    if (!single) {
      for (std::size_t k = 0; k < s.ranges.size(); ++k) {
        std::string index = name;
        for (std::size_t j = s.ranges.size() - 1; j > k; --j) index += " / " + factor(lengths[j]);
        if (k > 0) index += " % " + factor(lengths[k]);
        if (!is_zero(lows[k])) index = fmt::format("{} + {}", lows[k].text, index);
        out.line(fmt::format("const {} {} = {};", scalar_name(s.ranges[k].lo.type.scalar),
                             declare(s.ranges[k].index), index));
      }
    }
    body();
    out.close();
    if (!once) out.close();
  };
  for (const TRange& range : s.ranges) {
    values_.bind(range.index, std::optional<Interval>());
    values_.bind_floor(range.index, values_.floor(range.lo));
  }

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
          std::string place = fmt::format("{}[{}]", array.base, at);
          const Type element = symbol_of(inner.symbol).element;
          if (element.is_record() && inner.field >= 0)
            place = fmt::format("{}.{}[{}]", array.base,
                                top_name(checked_.records[std::size_t(element.record)]
                                             .fields[std::size_t(inner.field)]
                                             .name),
                                at);
          std::string value = text(*inner.value);
          if (inner.assign_op != AssignOp::set)
            value = fmt::format("{} {} {}", place,
                                inner.assign_op == AssignOp::add   ? "+"
                                : inner.assign_op == AssignOp::sub ? "-"
                                                                   : "*",
                                text(*inner.value, Code::unary));
          out.line(fmt::format("{}{} = {};", value_of[&inner], at_round, value),
                   comments_.behind(inner.span));
          if (!plain) out.line(fmt::format("{}{} = {};", place_of[&inner], at_round, at));
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

} // namespace memlane::gpu
