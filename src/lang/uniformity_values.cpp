// How far values may differ between threads, and ranges of a `forall`, which may not.
#include "uniformity.hpp"

#include <algorithm>

namespace memlane::lang {

// How far the value of an expression may differ between threads.

Level join(const Level& a, const Level& b) { return a.uniformity < b.uniformity ? b : a; }

void UniformityChecker::raise(Levels& levels, SymbolId id, const Level& level) {
  Level& known = levels[id];
  if (known.uniformity >= level.uniformity) return;
  known = level;
  ++rises_;
}

Level UniformityChecker::of_special(const TExpr& e) const {
  std::string name = in_quotes(ir::name_of(e.special));
  switch (e.special) {
  case ir::Special::threads:
  case ir::Special::blocks:
  case ir::Special::warps: return {Uniformity::launch, e.span, name + " belongs to the launch"};
  case ir::Special::block: return {Uniformity::block, e.span, name + " differs between blocks"};
  case ir::Special::thread:
  case ir::Special::lane:
  case ir::Special::warp:
  case ir::Special::index: break;
  }
  return {Uniformity::thread, e.span, name + " differs between the threads of a block"};
}

/// An element at an index that is the same for all threads of a block is the same for all: a
/// different value would be a race.
Level UniformityChecker::of_element(const TExpr& e) {
  Level level;
  for (const TExpr& index : e.operands) level = join(level, of(index));
  SymbolId root = root_array(checked_, e.symbol, formals_);
  if (checked_.array(root).kind == ArrayKind::local) {
    return join(level, arrays_[root]);
  }
  if (host_) return join(level, {Uniformity::launch, e.span, "an element of memory"});
  return join(level, {Uniformity::block, e.span, "an element may differ between blocks"});
}

Level UniformityChecker::of(const TExpr& e) {
  for (const auto& [variable, value] : e.bindings) {
    variables_[variable] = of(value);
    VariableSymbol& symbol = checked_.variable(variable);
    symbol.uniformity = std::max(symbol.uniformity, variables_[variable].uniformity);
  }
  switch (e.kind) {
  case TExprKind::special: return of_special(e);
  case TExprKind::element:
  case TExprKind::initial: return of_element(e);
  case TExprKind::atomic:
    for (const TExpr& operand : e.operands) of(operand);
    return {Uniformity::thread, e.span, "the old value of an atomic differs between threads"};
  case TExprKind::of_warp:
    for (const TExpr& operand : e.operands) of(operand);
    return {Uniformity::thread, e.span, "an operation of a warp differs between warps"};
  case TExprKind::variable: return variables_[e.symbol];
  case TExprKind::random: return {Uniformity::launch, e.span, "a random number"};
  default: break;
  }
  if (!e.block.empty()) return of_block(e.block);
  Level level;
  for (const TExpr& operand : e.operands) level = join(level, of(operand));
  return level;
}

/// The level of the value that a fn's block returns. A block has no barriers, so divergent threads
/// may call it.
Level UniformityChecker::of_block(const std::vector<TStatement>& block) {
  std::vector<const TStatement*> loops;
  Control skipped, returned;
  Level result;
  const auto swap_state = [&] {
    std::swap(loops_, loops);
    std::swap(skipped_, skipped);
    std::swap(returned_, returned);
    std::swap(result_, result);
  };
  swap_state();
  walk(block, {});
  swap_state();
  return result;
}

// Ranges of a `forall` must be the same for all threads that share its iterations.

namespace {

bool mentions(const TExpr& e, SymbolId variable) {
  return contains(e, [&](const TExpr& part) {
    return part.kind == TExprKind::variable && part.symbol == variable;
  });
}

bool depends_on(const TRange& range, const TRange& row) {
  return mentions(range.lo, row.index) || mentions(range.hi, row.index);
}

/// The index itself, perhaps converted.
bool is_index(const TExpr& e, const TRange& row) {
  if (e.kind == TExprKind::convert) return is_index(e.operands[0], row);
  return e.kind == TExprKind::variable && e.symbol == row.index;
}

/// The index, or the index + 1.
bool is_index_or_next(const TExpr& e, const TRange& row) {
  if (e.kind == TExprKind::convert) return is_index_or_next(e.operands[0], row);
  const bool next = e.kind == TExprKind::operation && e.op == ir::Opcode::add &&
                    is_index(e.operands[0], row) && e.operands[1].kind == TExprKind::literal &&
                    e.operands[1].value.integer() == 1;
  return next || is_index(e, row);
}

/// `hi - 1`, for the end of a `for`.
std::string last_before(const std::string& hi) {
  const bool number = hi.find_first_not_of("0123456789") == std::string::npos && hi.size() < 18;
  if (number && hi != "0") return std::to_string(std::stoll(hi) - 1);
  const std::string plus_one = " + 1";
  if (hi.size() > plus_one.size() &&
      hi.compare(hi.size() - plus_one.size(), plus_one.size(), plus_one) == 0)
    return hi.substr(0, hi.size() - plus_one.size());
  return hi + " - 1";
}

} // namespace

/// The source of a place in one line, for advice; "…" where it is long.
std::string UniformityChecker::text(Span span) const {
  const std::string_view whole = sources_.text(span.file);
  if (!span.known() || span.end > whole.size() || span.end - span.begin > 60) return "…";
  std::string part(whole.substr(span.begin, span.end - span.begin));
  if (part.find_first_of("\r\n") != std::string::npos) return "…";
  return part.compare(0, 3, "if ") == 0 ? "(" + part + ")" : part;
}

const std::string& UniformityChecker::name_of(const TRange& range) const {
  return checked_.variable(range.index).name;
}

/// Ways to write a `forall` over rows whose ranges depend on the row.
std::vector<std::string> UniformityChecker::idioms(ForallKind kind, const TRange& row,
                                                   const TRange& range) const {
  const std::string forall = kind == ForallKind::grid   ? "forall grid "
                             : kind == ForallKind::sync ? "forall sync "
                                                        : "forall ";
  const std::string i = name_of(row), j = name_of(range);
  const std::string rows = text(row.lo.span) + ".." + text(row.hi.span);
  const std::string last_row = last_before(text(row.hi.span));
  const std::string lo = text(range.lo.span), hi = text(range.hi.span);
  std::vector<std::string> ways = {"one " + i + " after the other: for " + i + " = " +
                                   text(row.lo.span) + " to " + last_row + " { " + forall + j +
                                   " in " + lo + ".." + hi + " { … } }"};
  if (kind != ForallKind::sync) // a `forall sync` holds no loops
    ways.insert(ways.begin(), "a thread for each " + i + ": " + forall + i + " in " + rows +
                                  " { for " + j + " = " + lo + " to " + last_before(hi) +
                                  " { … } }");
  const std::string rectangle = "all pairs, and an if: " + forall + i + " in " + rows + ", " + j;
  const bool upper = is_index(range.lo, row) && !mentions(range.hi, row.index);
  const bool lower = is_index_or_next(range.hi, row) && !mentions(range.lo, row.index);
  if (upper)
    ways.push_back(rectangle + " in " + text(row.lo.span) + ".." + hi + " { if " + j + " >= " + lo +
                   " { … } }");
  if (lower)
    ways.push_back(rectangle + " in " + lo + ".." + text(row.hi.span) + " { if " + j + " < " + hi +
                   " { … } }");
  return ways;
}

/// For a `forall` inside another whose index its range depends on; else empty.
std::vector<std::string> UniformityChecker::idioms_of_nested(const TStatement& s) const {
  const bool single =
      s.kind == TStatementKind::forall && s.ranges.size() == 1 && forall_->ranges.size() == 1;
  if (!single || !depends_on(s.ranges[0], forall_->ranges[0])) return {};
  return idioms(forall_->forall_kind, forall_->ranges[0], s.ranges[0]);
}

/// A sum of multiples of the indices, whose other parts are the same for all threads.
bool UniformityChecker::check_affine(const TExpr& e, const std::vector<SymbolId>& indices,
                                     Uniformity most) {
  const auto has_index = [&](const TExpr& part) {
    return std::any_of(indices.begin(), indices.end(),
                       [&](SymbolId index) { return mentions(part, index); });
  };
  if (!has_index(e)) {
    require(e, most, "a part of a range's bound");
    return !reads_arrays(e);
  }
  if (e.kind == TExprKind::variable) return true;
  const auto is_affine = [&](const TExpr& part) { return check_affine(part, indices, most); };
  if (e.kind == TExprKind::convert)
    return ir::is_integer(e.operands[0].type.scalar) && is_affine(e.operands[0]);
  if (e.kind != TExprKind::operation) return false;
  using enum ir::Opcode;
  const bool product = e.op == mul && !(has_index(e.operands[0]) && has_index(e.operands[1]));
  return (e.op == add || e.op == sub || e.op == neg || product) &&
         std::all_of(e.operands.begin(), e.operands.end(), is_affine);
}

bool UniformityChecker::check_affine(const TStatement& s, std::size_t k, Uniformity most) {
  std::vector<SymbolId> indices;
  for (std::size_t j = 0; j < k; ++j) indices.push_back(s.ranges[j].index);
  const bool lo = check_affine(s.ranges[k].lo, indices, most);
  return check_affine(s.ranges[k].hi, indices, most) && lo;
}

void UniformityChecker::check_ranges(const TStatement& s) {
  const bool grid = s.forall_kind == ForallKind::grid;
  for (std::size_t k = 0; k < s.ranges.size(); ++k) {
    const TRange& range = s.ranges[k];
    if (const std::vector<std::size_t> rows = ranges_before(s, k); !rows.empty()) {
      if (check_affine(s, k, grid ? Uniformity::launch : Uniformity::block)) continue;
      const TRange& row = s.ranges[rows.front()];
      const VariableSymbol& index = checked_.variable(row.index);
      error(mentions(range.lo, row.index) ? range.lo.span : range.hi.span,
            "the range of " + in_quotes(name_of(range)) + " is no affine function of " +
                in_quotes(index.name) +
                ": a sum of multiples of earlier indices and of values that "
                "read no array",
            {note_at(index.span, in_quotes(index.name) + " is an index of the same `forall`")},
            s.ranges.size() == 2 ? idioms(s.forall_kind, row, range) : std::vector<std::string>{});
      continue;
    }
    if (forall_) continue; // refused as a whole
    for (const TExpr* e : {&range.lo, &range.hi}) {
      require(*e, grid ? Uniformity::launch : Uniformity::block,
              grid ? "the range of a `forall grid`" : "the range of a `forall`");
    }
  }
}

} // namespace memlane::lang
