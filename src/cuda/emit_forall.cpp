// The forms of forall: which thread runs which iterations, and the barriers behind them.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

bool Emitter::is_extent(const std::string& text) const { return extents_.count(text) > 0; }

/// The numbers that the indices of a range have: it is empty where the least is above the greatest.
Interval Emitter::index_bounds(const TRange& range) {
  return {values_.bounds(range.lo).low, values_.bounds(range.hi).high};
}

/// Whether ints can count the iterations of a forall, one step beyond the last included.
bool Emitter::counts_with_int(const TStatement& s) {
  std::int64_t iterations = 1;
  for (const TRange& range : s.ranges) {
    const Interval of = index_bounds(range);
    if (of.low < INT32_MIN || of.high > most_elements || of.high - of.low > most_elements)
      return false;
    iterations *= std::max<std::int64_t>(1, of.high - of.low);
    if (iterations > most_elements) return false;
  }
  return true; // and no launch has more than 2^30 threads
}

/// What is known of a forall's indices in its body; `narrow`: they are ints.
void Emitter::bind_indices(const TStatement& s, bool narrow) {
  for (const TRange& range : s.ranges) {
    values_.bind(range.index, std::optional<Interval>());
    values_.bind_floor(range.index, values_.floor(range.lo));
    const Interval of = index_bounds(range);
    const bool some = narrow && of.low < of.high;
    values_.bind_bounds(range.index,
                        some ? std::optional(Interval{of.low, of.high - 1}) : std::nullopt);
    set_narrow(range.index, narrow);
  }
}

/// Iterations of one range: not negative.
Code Emitter::length(const TRange& range, const Code& lo) {
  const Code hi = expr(range.hi);
  Code all = hi;
  if (!is_number(lo, "0"))
    all = {fmt::format("{} - {}", hi.level < Code::sum ? "(" + hi.text + ")" : hi.text, term(lo)),
           Code::sum, std::max(lo.type, hi.type)};
  const auto a = values_.interval(range.lo), b = values_.interval(range.hi);
  const bool sure = (a && b && b->low >= a->high) || (is_number(lo, "0") && is_extent(hi.text)) ||
                    values_.bounds(range.hi).low >= values_.bounds(range.lo).high;
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
  const bool single = s.ranges.size() == 1;
  for (const TRange& range : s.ranges) {
    const std::string index = checked_.variables[std::size_t(range.index)].name;
    // Evaluated once, as what they read is read once.
    const auto once = [&](const Code& code, bool again, const char* what) -> Code {
      if (!again || (single && !s.chunked)) return code;
      const std::string own = kept_name(fmt::format("{}_{}", index, what));
      out.line(fmt::format("const {} {} = {};", scalar_name(code.type), own, code.text));
      return {own, Code::primary, code.type};
    };
    lows.push_back(once(expr(range.lo), !is_steady(range.lo), "low"));
    lengths.push_back(once(length(range, lows.back()), !is_steady(range.hi), "length"));
    steady = steady && is_steady(range.lo) && is_steady(range.hi);
    counter += index;
  }
  const bool narrow = !function_->host && counts_with_int(s);
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
    if (narrow) {
      type = ir::Scalar::int32;
    } else if (most > INT32_MAX / 2 && !is_extent(all.text)) {
      type = ir::Scalar::int64;
      all.text = fmt::format("(long long){} * {}", factor(lengths[0]), factor(lengths[1]));
      if (lengths.size() > 2) all.text += " * " + factor(lengths[2]);
    }
  }
  if (narrow) type = ir::Scalar::int32;
  const std::string name = single ? declare(s.ranges[0].index) : fresh_name(counter);
  const bool host = function_->host;
  const bool keeps = (!single && !steady) || s.chunked || (single && !is_steady(s.ranges[0].hi));
  const std::string number = scalar_name(type);
  std::string first, end;
  if (single && !s.chunked) {
    first = is_number(lows[0], "0") ? thread
            : thread == "0"         ? lows[0].text
                                    : fmt::format("{} + {}", bracketed(lows[0], Code::sum), thread);
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
  if (shifted)
    out.line(
        fmt::format("const {} {} = {} + {};", number, name, bracketed(lows[0], Code::sum), own));
  if (!single) {
    std::string rest = name;
    for (std::size_t k = 0; k < s.ranges.size(); ++k) {
      std::string index = name;
      for (std::size_t j = s.ranges.size() - 1; j > k; --j) index += " / " + factor(lengths[j]);
      if (k > 0) index += " % " + factor(lengths[k]);
      if (!is_number(lows[k], "0"))
        index = fmt::format("{} + {}", bracketed(lows[k], Code::sum), index);
      const std::string type_of =
          scalar_name(narrow ? ir::Scalar::int32 : s.ranges[k].lo.type.scalar);
      out.line(fmt::format("const {} {} = {};", type_of, declare(s.ranges[k].index), index));
    }
  }
  bind_indices(s, narrow);
  body();
  out.close();
}

void Emitter::emit_forall(const TStatement& s, Writer& out) {
  if (s.forall_kind == ForallKind::sync) return emit_sync(s, out);
  forall_loop(s, out, [&] { block(s.body, out); });
  if (!function_->host && s.forall_kind != ForallKind::grid) out.line("__syncthreads();");
}

} // namespace memlane::cuda
