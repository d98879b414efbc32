// The forms of forall: which thread runs which iterations, and the barriers behind them.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;
using enum ir::Scalar;

bool Desugarer::is_extent(const Expr& e) const {
  return std::find(extents_.begin(), extents_.end(), e) != extents_.end();
}

/// The numbers that the indices of a range have: it is empty where the least is above the greatest.
Interval Desugarer::index_bounds(const TRange& range) {
  return {values_.bounds(range.lo).low, values_.bounds(range.hi).high};
}

/// Whether ints can count the iterations of a forall, one step beyond the last included.
bool Desugarer::counts_with_int(const TStatement& s) {
  std::int64_t iterations = 1;
  for (const TRange& range : s.ranges) {
    const Interval of = index_bounds(range);
    if (of.low < INT32_MIN || of.high > most_elements || of.high - of.low > most_elements)
      return false;
    iterations *= std::max<std::int64_t>(1, of.high - of.low);
    if (iterations > most_elements) return false;
  }
  return true; // the last step fits, too: a launch has at most 2^30 threads
}

/// Whether the parameters of the emission leave half of the ints free.
bool Desugarer::fits_int_now(const TStatement& s) {
  std::int64_t most = 1;
  for (const TRange& range : s.ranges) {
    const auto hi = values_.interval(range.hi), lo = values_.interval(range.lo);
    const std::int64_t length =
        hi && lo ? std::max<std::int64_t>(0, hi->high - lo->low) : std::int64_t{INT32_MAX};
    most = std::min<std::int64_t>(most * std::min<std::int64_t>(length, INT32_MAX), INT32_MAX);
  }
  return most <= INT32_MAX / 2;
}

/// Iterations of one range: not negative.
Expr Desugarer::length(const TRange& range, const Expr& low) {
  const Expr high = expr(range.hi), all = low.is(0) ? high : high - low;
  const auto a = values_.interval(range.lo), b = values_.interval(range.hi);
  const bool sure = (a && b && b->low >= a->high) || (low.is(0) && is_extent(high)) ||
                    values_.bounds(range.hi).low >= values_.bounds(range.lo).high;
  if (sure) return all;
  return call("max", {all.type == int64 ? literal("0ll", int64) : integer(0), all}, all.type);
}

/// What a range's bounds read is read once: in `out` they get names, if it is given.
IterationSpace Desugarer::iteration_space(const TStatement& s, Block* out) {
  IterationSpace space;
  space.narrow = !context_->host && counts_with_int(s);
  space.type = s.ranges[0].lo.type.scalar;
  const bool single = s.ranges.size() == 1;
  for (const TRange& range : s.ranges) {
    const std::string index = variable(range.index).name;
    const auto once = [&](Expr code, const TExpr& of, const char* what) {
      if (is_invariant(of) || out == nullptr || (single && !s.chunked)) return code;
      const std::string own = kept_name(fmt::format("{}_{}", index, what));
      return keep(*out, scalar_name(code.type), own, std::move(code));
    };
    space.lows.push_back(once(expr(range.lo), range.lo, "low"));
    space.lengths.push_back(once(length(range, space.lows.back()), range.hi, "length"));
    space.invariant = space.invariant && is_invariant(range.lo) && is_invariant(range.hi);
    space.indices += index;
    space.type = std::max(space.type, range.lo.type.scalar);
    space.count =
        single || space.lengths.size() == 1 ? space.lengths[0] : space.count * space.lengths.back();
  }
  if (space.narrow) space.type = int32;
  if (single || space.narrow || fits_int_now(s) || is_extent(space.count)) return space;
  space.type = int64;
  space.count = cast("long long", space.lengths[0], int64);
  for (std::size_t k = 1; k < space.lengths.size(); ++k)
    space.count = space.count * space.lengths[k];
  return space;
}

/// An index of the program is an int where ints count the iterations.
std::string Desugarer::declare_index(SymbolId index, bool narrow) {
  const ir::Scalar type = variable(index).type.scalar;
  return declare_variable(index, narrow && type == int64 ? int32 : type);
}

/// The indices of the iteration with a number: the last is fastest.
void Desugarer::decode_indices(const TStatement& s, const IterationSpace& space,
                               const std::string& number, Block& out) {
  for (std::size_t k = 0; k < s.ranges.size(); ++k) {
    Expr index = named(number);
    for (std::size_t j = s.ranges.size() - 1; j > k; --j) index = index / space.lengths[j];
    if (k > 0) index = index % space.lengths[k];
    if (!space.lows[k].is(0)) index = space.lows[k] + index;
    const ir::Scalar type = space.narrow ? int32 : s.ranges[k].lo.type.scalar;
    const SymbolId symbol = s.ranges[k].index;
    const std::string own = declare_index(symbol, space.narrow);
    out.push_back(declare(typed(symbol, "const " + scalar_name(type)), own, std::move(index)));
  }
}

/// What is known of a forall's indices in its body.
void Desugarer::bind_indices(const TStatement& s, const IterationSpace& space) {
  for (const TRange& range : s.ranges) {
    values_.bind(range.index, std::optional<Interval>());
    const Interval of = index_bounds(range);
    if (space.narrow && of.low < of.high)
      values_.bind_bounds(range.index, Interval{of.low, of.high - 1});
    else
      values_.bind_at_least(range.index, of.low);
  }
}

/// The numbers of this thread's iterations: from the first, in steps, below an end.
Desugarer::ThreadRange Desugarer::thread_range(const TStatement& s, const IterationSpace& space,
                                               const std::string& own, Block& out) {
  const bool grid = s.forall_kind == ForallKind::grid;
  Expr thread = special(ir::Special::thread), step = special(ir::Special::threads);
  if (grid && !context_->host) {
    thread = special(ir::Special::block) * step + thread;
    step = special(ir::Special::blocks) * step;
  }
  const auto once = [&](Expr code, const char* what) {
    const std::string wish = kept_name(fmt::format("{}_{}", own, what));
    return keep(out, scalar_name(space.type), wish, std::move(code));
  };
  if (s.ranges.size() == 1 && !s.chunked) {
    Expr end = expr(s.ranges[0].hi);
    if (!is_invariant(s.ranges[0].hi)) end = once(std::move(end), "end");
    return {sum(space.lows[0], std::move(thread)), std::move(end), std::move(step)};
  }
  Expr end = s.chunked || !space.invariant ? once(space.count, "count") : space.count;
  if (!s.chunked || context_->host) return {std::move(thread), std::move(end), std::move(step)};
  const Expr chunk =
      once(call_of("ceil_div", scalar_name(space.type), {end, std::move(step)}), "chunk");
  const Expr first = once(std::move(thread) * chunk, "first");
  return {first, once(call("min", {end, first + chunk}), "end"), integer(1)};
}

/// The loop over the iterations of this thread, the indices declared in it.
void Desugarer::forall_loop(const TStatement& s, Block& out) {
  if (is_triangular(s)) return forall_rows(s, out);
  const std::string comment = comments_.behind(s.span);
  const IterationSpace space = iteration_space(s, &out);
  const bool single = s.ranges.size() == 1;
  const std::string name =
      single ? declare_index(s.ranges[0].index, space.narrow) : names_.fresh(space.indices);
  ThreadRange range = thread_range(s, space, name, out);
  const bool shifted = single && s.chunked; // counts from 0
  const Expr own = named(shifted ? names_.fresh(name + "_number") : name);
  const std::string type = scalar_name(space.type);
  Block body;
  if (shifted)
    body.push_back(declare(typed(s.ranges[0].index, "const " + type), name, space.lows[0] + own));
  if (!single) decode_indices(s, space, name, body);
  bind_indices(s, space);
  std::optional<Expr> more = less(own, std::move(range.end));
  const std::optional<Expr> outer = context_->mask;
  Block masked;
  if (!context_->host && hazards_.needs_mask(s)) {
    const Expr mask = declare_mask(out);
    begin_masked_round(mask, masked, [&] { return *more; });
    context_->mask = mask;
    more.reset();
  }
  block(s.body, body);
  context_->mask = outer;
  body.insert(body.begin(), masked.begin(), masked.end());
  out.push_back(for_loop(declare(type, own.text, std::move(range.first)), std::move(more),
                         range.step.is(1) ? evaluate(unary("++", own))
                                          : assign(own, std::move(range.step), "", "+="),
                         std::move(body), comment));
}

void Desugarer::forall(const TStatement& s, Block& out) {
  if (s.forall_kind == ForallKind::sync) return forall_sync(s, out);
  forall_loop(s, out);
  if (!context_->host && s.forall_kind != ForallKind::grid)
    out.push_back(simple(Statement::sync_block));
}

// forall sync: all iterations read, then all write; between the two, registers hold the words.

namespace {

// Registers of a thread are few: what does not fit lies in its local memory, which is slow.
constexpr std::int64_t most_rounds = 1024;

} // namespace

/// The iterations of a thread, known when it is emitted, and the registers between the phases.
struct Desugarer::SyncLoop {
  struct Store {
    const TStatement* statement;
    Expr value, place; ///< registers of the round
  };
  const TStatement& s;
  IterationSpace space;
  std::int64_t rounds = 1;
  std::string round, name; ///< counters of rounds and of iterations
  Expr start, end;
  bool plain = true; ///< places of words are computed anew: no register holds them
  std::vector<Store> stores = {};

  bool once() const { return rounds == 1; }
  bool single() const { return s.ranges.size() == 1; }
  bool shifted() const { return single() && s.chunked; } ///< compared before the low end is added
};

/// The most iterations that a thread runs, if the emission can tell.
std::optional<std::int64_t> Desugarer::sync_rounds(const TStatement& s) {
  std::int64_t iterations = 1;
  for (const TRange& range : s.ranges) {
    const auto lo = values_.interval(range.lo), hi = values_.interval(range.hi);
    if (!lo || !hi) return std::nullopt;
    const std::int64_t length = std::max<std::int64_t>(0, hi->high - lo->low);
    if (length != 0 && iterations > INT64_MAX / length) return std::nullopt;
    iterations *= length;
  }
  const std::int64_t threads = std::max<std::int64_t>(1, context_->sizes.least_threads);
  return std::max<std::int64_t>(1, iterations / threads + (iterations % threads != 0 ? 1 : 0));
}

/// Whether a forall sync can be written; an error if not.
bool Desugarer::check_rounds(const TStatement& s, std::optional<std::int64_t> rounds) {
  if (is_triangular(s))
    unsupported(s.span,
                "a 'forall sync' whose ranges depend on its indices: each iteration of a thread "
                "needs registers of its own, and how many a thread has depends on where its rows "
                "end",
                {"let the ranges be those of a rectangle, with an 'if' in the body: 'forall sync i "
                 "in 0..n, j in 0..n { if j < i { … } }'",
                 "or let all read, write 'barrier', and let all write"});
  else if (!rounds)
    unsupported(s.span, "a 'forall sync' whose rounds are not known when it is emitted",
                {"let its bounds depend on parameters, constants and variables of 'for' loops "
                 "alone: the parameters are then fixed with -D"});
  else if (*rounds > most_rounds)
    unsupported(
        s.span,
        fmt::format("a 'forall sync' of {} rounds a thread, each with a register of its own",
                    *rounds),
        {fmt::format("at most {} rounds can be emitted: give the parameters other values "
                     "with -D, or take more threads",
                     most_rounds)});
  else
    return true;
  return false;
}

Desugarer::SyncLoop Desugarer::sync_loop(const TStatement& s, std::int64_t rounds, Block& out) {
  SyncLoop loop{s, iteration_space(s, nullptr), rounds, names_.fresh("round"), {}, {}, {}};
  const std::string type = scalar_name(loop.space.type), counter = loop.space.indices;
  const bool single = loop.single();
  loop.name = single ? declare_index(s.ranges[0].index, loop.space.narrow) : names_.fresh(counter);
  loop.end = single && !s.chunked ? expr(s.ranges[0].hi) : loop.space.count;
  if (s.chunked || !single || !is_invariant(s.ranges[0].hi))
    loop.end = keep(out, type, names_.fresh(counter + "_end"), loop.end);
  const Expr thread = special(ir::Special::thread), threads = special(ir::Special::threads);
  loop.start = thread;
  Expr step = named(loop.round);
  if (s.chunked) {
    const std::string wish = names_.fresh(counter + "_chunk");
    const Expr chunk = keep(out, type, wish, call_of("ceil_div", type, {loop.end, threads}));
    loop.end =
        keep(out, type, wish + "_own", call("min", {loop.end, (thread + integer(1)) * chunk}));
    loop.start = thread * chunk;
  } else {
    step = std::move(step) * threads;
  }
  if (single && !s.chunked) loop.start = sum(loop.space.lows[0], loop.start);
  if (!loop.once()) loop.start = loop.start + std::move(step);
  bind_indices(s, loop.space);
  return loop;
}

/// Statements for each round of a thread.
Block Desugarer::each_round(const SyncLoop& loop, Block body) {
  if (loop.once()) return body;
  Statement rounds = count_to(loop.round, integer(loop.rounds), std::move(body));
  rounds.unrolled = true;
  return {std::move(rounds)};
}

/// Statements for each iteration of a thread, with its indices.
Block Desugarer::each_iteration(const SyncLoop& loop, const std::function<void(Block&)>& add) {
  const std::string type = scalar_name(loop.space.type);
  Block body, inside;
  const Expr own = keep(
      body, type, loop.shifted() ? names_.fresh(loop.name + "_number") : loop.name, loop.start);
  if (loop.shifted())
    inside.push_back(declare(typed(loop.s.ranges[0].index, "const " + type), loop.name,
                             loop.space.lows[0] + own));
  if (!loop.single()) decode_indices(loop.s, loop.space, loop.name, inside);
  add(inside);
  body.push_back(if_else(less(own, loop.end), std::move(inside)));
  return each_round(loop, std::move(body));
}

/// Each store keeps its value until all have read; and its place, where that is not known anew.
void Desugarer::declare_registers(SyncLoop& loop, Block& out) {
  std::vector<const TStatement*> stores;
  each_statement(loop.s.body, [&](const TStatement& inner) {
    loop.plain = loop.plain && inner.kind == TStatementKind::assign_element &&
                 std::none_of(inner.indices.begin(), inner.indices.end(),
                              [](const TExpr& index) { return reads_arrays(index); });
    if (inner.kind == TStatementKind::assign_element) stores.push_back(&inner);
  });
  const std::optional<Expr> many = loop.once() ? std::nullopt : std::optional(integer(loop.rounds));
  const auto of_round = [&](const std::string& own) {
    return loop.once() ? named(own) : indexed(named(own), named(loop.round));
  };
  for (const TStatement* store : stores) {
    const std::string suffix = stores.size() == 1 ? "" : std::to_string(loop.stores.size() + 1);
    const std::string value = names_.fresh("value" + suffix), at = names_.fresh("at" + suffix);
    loop.stores.push_back({store, of_round(value), of_round(at)});
    out.push_back(declare_array(names_.type(store->value->type), value, many, braces("", {})));
    out.back().direct = true;
    if (loop.plain) continue;
    out.push_back(
        declare_array("int", at, many, loop.once() ? std::optional(integer(-1)) : std::nullopt));
    if (loop.once()) continue;
    out.push_back(count_to(loop.round, integer(loop.rounds), {assign(of_round(at), integer(-1))}));
    out.back().brief = true;
  }
}

void Desugarer::sync_reads(const SyncLoop& loop, const std::vector<TStatement>& body, Block& out) {
  for (const TStatement& inner : body) {
    if (inner.kind == TStatementKind::assign_element) {
      sync_read(loop, inner, out);
    } else if (inner.kind == TStatementKind::if_) {
      Expr condition = expr(*inner.value);
      const std::string comment = comments_.behind(inner.span);
      const std::size_t first = out.size();
      Block yes, no;
      sync_reads(loop, inner.body, yes);
      sync_reads(loop, inner.alternative, no);
      out.push_back(if_else(std::move(condition), std::move(yes), std::move(no), comment));
      relate(inner.span, out, first);
    } else {
      statement(inner, out);
    }
  }
}

void Desugarer::sync_read(const SyncLoop& loop, const TStatement& s, Block& out) {
  const auto store = std::find_if(loop.stores.begin(), loop.stores.end(),
                                  [&](const auto& one) { return one.statement == &s; });
  const ArrayRef array = resolve(s.symbol);
  const Expr at = word(array, s.indices), index = loop.plain ? at : store->place;
  Expr value = expr(*s.value);
  if (s.assign_op != AssignOp::set) // the index is computed once, as it may read arrays
    value =
        binary(place(array, s.symbol, s.field, index), operator_of(s.assign_op), std::move(value));
  const std::size_t first = out.size();
  if (!loop.plain) out.push_back(assign(index, at));
  out.push_back(assign(store->value, std::move(value), comments_.behind(s.span)));
  relate(s.span, out, first);
}

void Desugarer::sync_writes(const SyncLoop& loop, Block& out) {
  for (const SyncLoop::Store& store : loop.stores) {
    const TStatement& s = *store.statement;
    const ArrayRef array = resolve(s.symbol);
    if (loop.plain)
      out.push_back(this->store(array, s, word(array, s.indices), store.value));
    else
      out.push_back(brief_if(binary(store.place, ">=", integer(0), ir::Scalar::boolean),
                             this->store(array, s, store.place, store.value)));
    relate(s.span, out, out.size() - 1);
  }
}

void Desugarer::forall_sync(const TStatement& s, Block& out) {
  const std::optional<std::int64_t> rounds = context_->host ? std::nullopt : sync_rounds(s);
  if (!check_rounds(s, rounds)) return;
  const std::string comment = comments_.behind(s.span);
  Block all;
  SyncLoop loop = sync_loop(s, *rounds, all);
  declare_registers(loop, all);
  const auto reads = [&](Block& inside) { sync_reads(loop, s.body, inside); };
  const auto writes = [&](Block& inside) { sync_writes(loop, inside); };
  const auto phase = [&](Block body) {
    // Scoped, so that both phases may name the index alike.
    all.push_back(scope(std::move(body)));
    all.push_back(simple(Statement::sync_block));
  };
  if (loop.once() && loop.plain && loop.single() && !s.chunked) {
    const Expr own = keep(all, scalar_name(loop.space.type), loop.name, loop.start);
    Block inside, after;
    reads(inside);
    all.push_back(if_else(less(own, loop.end), std::move(inside)));
    all.push_back(simple(Statement::sync_block));
    writes(after);
    all.push_back(if_else(less(own, loop.end), std::move(after)));
    all.push_back(simple(Statement::sync_block));
  } else {
    phase(each_iteration(loop, reads));
    if (loop.plain) {
      phase(each_iteration(loop, writes));
    } else {
      Block stores;
      writes(stores);
      phase(each_round(loop, std::move(stores)));
    }
  }
  out.push_back(scope(std::move(all), comment));
}

} // namespace memlane::cuda
