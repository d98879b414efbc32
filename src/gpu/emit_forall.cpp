// The forms of forall: which thread runs which iterations, and the barriers behind them.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::gpu {

using namespace lang;

bool Emitter::is_extent(const std::string& text) const { return extents_.count(text) > 0; }

/// Iterations of one range: not negative.
Code Emitter::length(const TRange& range) {
  const Code lo = expr(range.lo), hi = expr(range.hi);
  Code all = hi;
  if (!is_number(lo, "0"))
    all = {fmt::format("{} - {}", hi.level < Code::sum ? "(" + hi.text + ")" : hi.text, term(lo)),
           Code::sum, std::max(lo.type, hi.type)};
  const auto a = values_.interval(range.lo), b = values_.interval(range.hi);
  const bool sure = (a && b && b->low >= a->high) || (is_number(lo, "0") && is_extent(hi.text));
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
    first = is_number(lows[0], "0") ? thread
            : thread == "0"         ? lows[0].text
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
      if (!is_number(lows[k], "0")) index = fmt::format("{} + {}", lows[k].text, index);
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

} // namespace memlane::gpu
