#include "texts.hpp"

using namespace memlane;
using namespace memlane::lang;

namespace {

/// By appending: g++ 12 warns wrongly of `"(" + string`.
std::string bracketed(std::initializer_list<std::string_view> parts) {
  std::string result = "(";
  for (const std::string_view part : parts) result += part;
  result += ')';
  return result;
}

std::string list(const Expr& e, std::size_t from) {
  std::string result;
  for (std::size_t k = from; k < e.operands.size(); ++k)
    result.append(k > from ? ", " : "").append(shape(e.operands[k]));
  return result;
}

std::string chain(const Expr& e) {
  std::string result = shape(e.operands[0]);
  for (std::size_t k = 0; k < e.comparisons.size(); ++k)
    result.append(" ")
        .append(spelling(e.comparisons[k]))
        .append(" ")
        .append(shape(e.operands[k + 1]));
  return bracketed({result});
}

} // namespace

std::string shape(const Expr& e) {
  const auto operand = [&](std::size_t k) { return shape(e.operands[k]); };
  switch (e.kind) {
  case ExprKind::integer: return std::to_string(e.integer);
  case ExprKind::real: return std::string("real ").append(std::to_string(e.real));
  case ExprKind::boolean: return e.integer ? "true" : "false";
  case ExprKind::name: return e.name;
  case ExprKind::call: return e.name + "(" + list(e, 0) + ")";
  case ExprKind::initial: return std::string("initial").append(bracketed({e.name}));
  case ExprKind::element: return operand(0) + "[" + list(e, 1) + "]";
  case ExprKind::field: return operand(0) + "." + e.name;
  case ExprKind::negate: return bracketed({"-", operand(0)});
  case ExprKind::complement: return bracketed({"~", operand(0)});
  case ExprKind::logical_not: return bracketed({"not ", operand(0)});
  case ExprKind::binary: return bracketed({operand(0), " ", spelling(e.op), " ", operand(1)});
  case ExprKind::comparison: return chain(e);
  case ExprKind::logical_and: return bracketed({operand(0), " and ", operand(1)});
  case ExprKind::logical_or: return bracketed({operand(0), " or ", operand(1)});
  case ExprKind::conditional:
    return bracketed({"if ", operand(0), " then ", operand(1), " else ", operand(2)});
  case ExprKind::atomic:
    return std::string(ir::mnemonic(e.op)) + bracketed({operand(0), ", ", operand(1)});
  }
  return "?";
}

std::string shape_of(const std::string& text) {
  Sources sources;
  const auto file = sources.add("e", text);
  const Result<Expr> parsed = parse_expression(sources, file);
  return parsed ? shape(*parsed) : render(parsed.errors(), sources);
}

const char* const everything = R"(/// Every construct of the language.
/// It need not make sense.

use other
/// How many.
param n: int = 1024 where is_pow2(n) and 0 < n <= 2^20
param q: bool = false // quickly
const table[4]: int = [1, 2, 3, 4]
const half = n / 2
type item = int
type pair = (first: int, second: item)
memory a[n], c[n, 2]: int layout padded(1) = random(-9, 9)
memory f[8]: float = [0.5, 1e3, 2.5e-2, 1, 1, 1, 1, 1]
shared s[w]: int layout rows
var host[4]: long
view lower = a[0 .. half]
view whole = a
fn add(x, y) = x + y
fn identity = 0
proc swap(x[_, k]: int, y: int) { x[0, k - 1] = y }
/// Doubles.
kernel double_all(x[size]: item, by: int) {
  let i = thread; var j: int = -1
  shared t[threads]: int
  view top = x[size/2 .. size]
  forall k in 0..size, m in 1..2 { x[k] = x[k] * by }
  forall grid k in 0..size { x[k] += 1 }
  forall chunked k in 0..size { x[k] -= 1 }
  forall sync k in 0..size - 1 { x[k] *= x[k + 1] }
  forall grid chunked k in 0..size { }
  if i == 0 { j = 1 } else if i == 1 and not q { j = 2 } else { j = 3 }
  while j > 0 { j = j - 1  if j == 3 { break } }
  for r = n downto 1 step /2 { t[thread] = r }
  for r = 1 to n step *2 { }
  for r = 0 to n - 1 step 4 { }
  barrier
  assert i >= 0 "a thread's number"
  swap(c[1, 0..2], 3)
}
main {
  var src = 0
  launch double_all(a, 2) blocks=n/w threads=min(p, w^2)
  concurrent { launch double_all(c[src, 0..n], if q then 1 else 2) }
}
verify { assert a[0].first == initial(a)[0] or table[1] xor 3 == 2 }
claim time == 3*n/w when lockstep and n > 1 on dmm, umm "Theorem 1"
claim time = O(n/w + l) "somewhere"
claim time = Omega(n) on dmm "there"
claim time = Theta(n) when n > 1 "here"
claim t.time <= 2*n "a"
claim double_all.launches >= 1 "b"
claim shared_stages ~ (1 + 3.5)/2 * n on hmm "c"
)";
