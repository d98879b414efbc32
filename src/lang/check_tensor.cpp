// Products of tiles, `tensor c[i, j] += a[i, k] * b[k, j]`: written out as what the lanes of a warp
// do (programs/README.md, "Products of tiles"), so that later passes need not know them.
#include "checker.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace memlane::lang {

/// A tile of s x s elements. Element number t, row by row, is entry t / w of lane t mod w.
struct Checker::Tile {
  SymbolId array = -1;
  bool own = false;           ///< the array is a thread's own and holds these entries
  std::vector<TExpr> indices; ///< of its first element
  Span span;
};

/// None, after an error, if the expression names no tile.
std::optional<Checker::Tile> Checker::tile(const Expr& e) {
  const bool is_name = e.kind == ExprKind::name;
  if (!is_name && (e.kind != ExprKind::element || e.operands[0].kind != ExprKind::name)) {
    error(e.span, "this is no element of an array", {"name a tile by its first element: a[i, j]"});
    return std::nullopt;
  }
  const Entity* const found = lookup(is_name ? e.name : e.operands[0].name);
  const bool is_array = found && found->kind == EntityKind::array;
  const SymbolId id = is_array ? found->id : -1;
  const bool own = is_array && checked_.array(id).kind == ArrayKind::local;
  if (!is_name) {
    Typed first = element(e);
    if (!first) return std::nullopt;
    if (own)
      error(e.span, "a thread's own array holds its entries of one whole tile",
            {"write it without brackets: " + e.operands[0].name});
    else if (first->kind != TExprKind::element)
      error(e.span, "this is a constant of the program", {"a tile lies in an array"});
    else
      return Tile{first->symbol, false, std::move(first->operands), e.span};
  } else if (!found) {
    unknown_name(e.name, e.span);
  } else if (is_array && !own) {
    error(e.span, in_quotes(e.name) + " is a whole array",
          {"name a tile by its first element: " + e.name + "[i, j]"});
  } else if (!is_array && found->kind != EntityKind::poison) {
    error(e.span, in_quotes(e.name) + " is not an array: it has no tiles");
  } else if (own && array_good_[static_cast<std::size_t>(id)]) {
    checked_.array(id).used = true;
    if (checked_.array(id).rank == 1) return Tile{id, true, {}, e.span};
    error(e.span, "the entries of a tile are an array of one dimension",
          {"var " + e.name + "[ceil_div(tensor_size * tensor_size, w)]: int"});
  }
  return std::nullopt;
}

/// Writes the statements of one product.
class TileProduct {
public:
  TileProduct(Checker& checker, Span span, Type type, std::vector<TStatement>& out)
      : checker_(checker), span_(span), type_(type), out_(out), number_(checker.tile_products_++) {}

  void write(AssignOp op, Checker::Tile& c, Checker::Tile& a, Checker::Tile& b);

private:
  using Body = std::vector<TStatement>;

  // Expressions. None of them is an operator that the program writes.
  TExpr number(std::int64_t value) const { return literal(int_type, ir::Value::of(value), span_); }
  TExpr machine(std::string name) {
    checker_.checked_.letters.insert(name);
    TExpr letter = node(TExprKind::letter, int_type, span_);
    letter.text = std::move(name);
    return letter;
  }
  TExpr s() { return machine("tensor_size"); }
  TExpr w() { return machine("w"); }
  TExpr value_of(SymbolId variable) const {
    return node(TExprKind::variable, checker_.checked_.variable(variable).type, span_, {},
                variable);
  }
  TExpr computed(ir::Opcode op, TExpr left, TExpr right) const {
    const Type type = left.type;
    TExpr made = operation(op, type, span_, operands_of(std::move(left), std::move(right)));
    made.implied = true;
    return made;
  }
  TExpr times(TExpr left, TExpr right) const {
    return computed(ir::Opcode::mul, std::move(left), std::move(right));
  }
  TExpr plus(TExpr left, TExpr right) const {
    return computed(ir::Opcode::add, std::move(left), std::move(right));
  }
  TExpr quotient(TExpr left, TExpr right) const {
    return computed(ir::Opcode::div, std::move(left), std::move(right));
  }
  TExpr rest(TExpr left, TExpr right) const {
    return computed(ir::Opcode::rem, std::move(left), std::move(right));
  }
  TExpr compared(ir::Opcode op, TExpr left, TExpr right) const {
    TExpr made = node(TExprKind::comparison, bool_type, span_,
                      operands_of(std::move(left), std::move(right)));
    made.op = op;
    made.implied = true;
    return made;
  }
  TExpr of_warp(ir::Opcode op, std::vector<TExpr> operands) const {
    const Type type = operands[0].type;
    TExpr made = node(TExprKind::of_warp, type, span_, std::move(operands));
    made.op = op;
    made.implied = true;
    return made;
  }
  TExpr entry(SymbolId entries, TExpr at) const {
    return node(TExprKind::element, type_, span_, operands_of(std::move(at)), entries);
  }
  TExpr minus_one(TExpr of) const { return computed(ir::Opcode::sub, std::move(of), number(1)); }
  TExpr last_entry() { return minus_one(computed(ir::Opcode::ceil_div, times(s(), s()), w())); }

  // Statements.
  std::string name(const std::string& of) const { return fmt::format("_tile{}{}", number_, of); }
  SymbolId let(const std::string& of, TExpr value, Body& into);
  SymbolId declare_entries(const std::string& of);
  TStatement assigned(SymbolId array, std::vector<TExpr> indices, TExpr value, Span span) const;
  /// for index = 0 to last { … }
  template <class F>
  void loop(const std::string& of, TExpr last, Body& into, F body);
  SymbolId element_number(SymbolId e, Body& into);
  TExpr word(const Checker::Tile& tile, SymbolId number);
  /// Adds an assertion.
  void require(TExpr condition, std::string text);
  void fix_indices(Checker::Tile& tile, const std::string& of);
  template <class F>
  void each_entry(const Checker::Tile& tile, F move);
  void load(const Checker::Tile& tile, SymbolId entries);
  void store(const Checker::Tile& tile, SymbolId entries);
  void multiply(SymbolId c, SymbolId a, SymbolId b);

  Checker& checker_;
  Span span_;
  Type type_;
  Body& out_;
  std::int64_t number_; ///< of the statement in the program
};

SymbolId TileProduct::let(const std::string& of, TExpr value, Body& into) {
  const SymbolId variable = checker_.new_variable(name(of), span_, value.type, false);
  TStatement typed = typed_statement(TStatementKind::assign_variable, span_, variable);
  typed.declaration = true;
  typed.implied = true;
  typed.value = std::move(value);
  into.push_back(std::move(typed));
  return variable;
}

SymbolId TileProduct::declare_entries(const std::string& of) {
  const SymbolId id = checker_.add_array({name(of), span_}, ArrayKind::local);
  checker_.array_good_.back() = true;
  TExpr extent = computed(ir::Opcode::ceil_div, times(s(), s()), w());
  ArraySymbol& array = checker_.checked_.array(id);
  array.element = type_;
  array.extents.push_back(std::move(extent));
  array.used = true;
  out_.push_back(typed_statement(TStatementKind::declare_array, span_, id));
  return id;
}

TStatement TileProduct::assigned(SymbolId array, std::vector<TExpr> indices, TExpr value,
                                 Span span) const {
  TStatement typed = typed_statement(TStatementKind::assign_element, span, array);
  typed.indices = std::move(indices);
  typed.implied = true;
  typed.value = std::move(value);
  return typed;
}

template <class F>
void TileProduct::loop(const std::string& of, TExpr last, Body& into, F body) {
  TStatement typed = typed_statement(TStatementKind::for_, span_);
  typed.expressions = operands_of(number(0), std::move(last));
  typed.symbol = checker_.new_variable(name(of), span_, int_type, false);
  body(typed.symbol, typed.body);
  into.push_back(std::move(typed));
}

/// Of the lane's entry number e.
SymbolId TileProduct::element_number(SymbolId e, Body& into) {
  TExpr lane = node(TExprKind::special, int_type, span_);
  lane.special = ir::Special::lane;
  return let("_t", plus(times(value_of(e), w()), std::move(lane)), into);
}

void TileProduct::require(TExpr condition, std::string text) {
  TStatement check = typed_statement(TStatementKind::assert_, span_);
  check.value = std::move(condition);
  check.text = std::move(text);
  out_.push_back(std::move(check));
}

/// Indices are evaluated once, in brackets, where no operator counts.
void TileProduct::fix_indices(Checker::Tile& tile, const std::string& of) {
  const std::function<void(TExpr&)> hide = [&](TExpr& e) {
    e.implied = true;
    for (TExpr& operand : e.operands) hide(operand);
  };
  for (std::size_t k = 0; k < tile.indices.size(); ++k) {
    hide(tile.indices[k]);
    const bool is_literal = tile.indices[k].kind == TExprKind::literal;
    const SymbolId variable = let(fmt::format("{}{}", of, k), std::move(tile.indices[k]), out_);
    tile.indices[k] = value_of(variable);
    if (!is_literal)
      require(compared(ir::Opcode::eq, value_of(variable),
                       of_warp(ir::Opcode::warp_min, operands_of(value_of(variable)))),
              "all lanes of a warp name the same tile");
  }
}

/// The tile's element with this number. The rows of an array of one dimension have s words.
TExpr TileProduct::word(const Checker::Tile& tile, SymbolId number) {
  std::vector<TExpr> indices = tile.indices;
  const auto move = [&](TExpr& index, TExpr by) {
    Typed wide = checker_.coerce(std::move(by), index.type, "an index");
    index = plus(std::move(index), std::move(*wide));
  };
  if (indices.size() == 1) {
    move(indices[0], value_of(number));
  } else {
    move(indices[indices.size() - 2], quotient(value_of(number), s()));
    move(indices.back(), rest(value_of(number), s()));
  }
  return node(TExprKind::element, type_, tile.span, std::move(indices), tile.array);
}

/// `move` gives the statement for each of the lane's entries: of the word in the tile, or of the
/// entry in an array of the thread's own.
template <class F>
void TileProduct::each_entry(const Checker::Tile& tile, F move) {
  loop("_e", last_entry(), out_, [&](SymbolId e, Body& body) {
    if (tile.own) return body.push_back(move(entry(tile.array, value_of(e)), e));
    const SymbolId t = element_number(e, body);
    TStatement inside = typed_statement(TStatementKind::if_, span_);
    inside.value = compared(ir::Opcode::lt, value_of(t), times(s(), s()));
    inside.body.push_back(move(word(tile, t), e));
    body.push_back(std::move(inside));
  });
}

void TileProduct::load(const Checker::Tile& tile, SymbolId entries) {
  each_entry(tile, [&](TExpr from, SymbolId e) {
    const Span span = from.span;
    return assigned(entries, operands_of(value_of(e)), std::move(from), span);
  });
}

void TileProduct::store(const Checker::Tile& tile, SymbolId entries) {
  each_entry(tile, [&](TExpr to, SymbolId e) {
    const Span span = to.span;
    return assigned(tile.array, std::move(to.operands), entry(entries, value_of(e)), span);
  });
}

/// Element t of c is the sum of a[t / s, k] * b[k, t mod s], k rising. Since one of s and w divides
/// the other, all lanes need the same entry of a and of b, each of another lane.
void TileProduct::multiply(SymbolId c, SymbolId a, SymbolId b) {
  loop("_e", last_entry(), out_, [&](SymbolId e, Body& body) {
    const SymbolId t = element_number(e, body);
    const auto row_of = [&](TExpr t) { return times(quotient(std::move(t), s()), s()); };
    const auto column_of = [&](TExpr t) { return rest(std::move(t), s()); };
    const auto first = [&] { return times(value_of(e), w()); }; // of lane 0
    const SymbolId row = let("_row", row_of(value_of(t)), body),
                   column = let("_column", column_of(value_of(t)), body),
                   first_row = let("_first_row", row_of(first()), body),
                   first_column = let("_first_column", column_of(first()), body);
    loop("_k", minus_one(s()), body, [&](SymbolId k, Body& step) {
      const auto got = [&](SymbolId entries, TExpr of_first, TExpr own) {
        return of_warp(ir::Opcode::shuffle,
                       operands_of(entry(entries, quotient(std::move(of_first), w())),
                                   rest(std::move(own), w())));
      };
      const SymbolId below = let("_below", times(value_of(k), s()), step);
      TExpr product =
          times(got(a, plus(value_of(first_row), value_of(k)), plus(value_of(row), value_of(k))),
                got(b, plus(value_of(below), value_of(first_column)),
                    plus(value_of(below), value_of(column))));
      step.push_back(assigned(c, operands_of(value_of(e)),
                              plus(entry(c, value_of(e)), std::move(product)), span_));
    });
  });
  out_.back().tiles = {c, a, b};
}

void TileProduct::write(AssignOp op, Checker::Tile& c, Checker::Tile& a, Checker::Tile& b) {
  require(compared(ir::Opcode::eq, of_warp(ir::Opcode::warp_sum, operands_of(number(1))), w()),
          "tensor takes all lanes of a warp: launch a multiple of w threads, and keep it out of an "
          "if on lanes");
  fix_indices(a, "_a");
  fix_indices(b, "_b");
  fix_indices(c, "_c");
  const auto loaded = [&](const Checker::Tile& tile, const std::string& of) {
    if (tile.own) return tile.array;
    const SymbolId entries = declare_entries(of);
    load(tile, entries);
    return entries;
  };
  const SymbolId left = loaded(a, "_a"), right = loaded(b, "_b");
  // A new array is zero.
  const bool in_place = c.own && op == AssignOp::add && c.array != left && c.array != right;
  const SymbolId sums = in_place ? c.array : declare_entries("_c");
  if (!in_place && op == AssignOp::add) load(c, sums);
  multiply(sums, left, right);
  TExpr timed = of_warp(ir::Opcode::tensor, operands_of(entry(sums, number(0))));
  out_.push_back(assigned(sums, operands_of(number(0)), std::move(timed), span_));
  out_.back().implied = false; // the one statement that a program writes
  if (!in_place) store(c, sums);
}

void Checker::tensor(const Statement& s, std::vector<TStatement>& out) {
  std::optional<Tile> c = tile(*s.place), a = tile(s.expressions[0]), b = tile(s.expressions[1]);
  if (!c || !a || !b) return;
  const Type type = checked_.array(c->array).element;
  if (!is_number(type)) {
    error(c->span, "a tile holds numbers, this array " + name_of(type));
    return;
  }
  for (const Tile* of : {&*a, &*b})
    if (const Type other = checked_.array(of->array).element; other != type) {
      error(of->span, fmt::format("the tiles of a product have one type: this is {}, {} is {}",
                                  name_of(other), in_quotes(text(c->span)), name_of(type)));
      return;
    }
  TileProduct(*this, s.span, type, out).write(s.assign_op, *c, *a, *b);
}

} // namespace memlane::lang
