#include "device_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace memlane::cuda {
namespace {

constexpr std::size_t comment_column = 64, line_width = 100;

/// How tightly a piece of C++ binds, from the outside in.
enum Level {
  choice = 2, // a conditional expression, and whatever a comma ends
  disjunction,
  conjunction,
  bit_or,
  bit_xor,
  bit_and,
  equality,
  relation,
  shift,
  sum_level,
  product_level,
  prefix,
  primary
};

Level level_of_operator(const std::string& op) {
  static const std::map<std::string, Level> levels = {
      {"||", disjunction},  {"&&", conjunction}, {"|", bit_or},    {"^", bit_xor},
      {"&", bit_and},       {"==", equality},    {"!=", equality}, {"<", relation},
      {"<=", relation},     {">", relation},     {">=", relation}, {"<<", shift},
      {">>", shift},        {"+", sum_level},    {"-", sum_level}, {"*", product_level},
      {"/", product_level}, {"%", product_level}};
  return levels.at(op);
}

bool is_cast_in_brackets(const Expr& e) {
  return e.kind == Expr::cast && e.text.find(' ') != std::string::npos;
}

Level level_of(const Expr& e) {
  switch (e.kind) {
  case Expr::unary: return prefix;
  case Expr::binary: return level_of_operator(e.text);
  case Expr::conditional: return choice;
  case Expr::integer: return e.number < 0 ? prefix : primary;
  case Expr::literal: return e.text[0] == '-' ? prefix : primary;
  case Expr::cast: return is_cast_in_brackets(e) ? prefix : primary;
  case Expr::name:
  case Expr::call:
  case Expr::index:
  case Expr::member:
  case Expr::braces:
  case Expr::lambda: break;
  }
  return primary;
}

/// Two signs side by side would be another operator.
bool begins_with_sign(const Expr& e) {
  return level_of(e) == prefix && (e.kind == Expr::unary ? e.text == "-" : !is_cast_in_brackets(e));
}

class Printer {
public:
  explicit Printer(int depth, std::string source = "")
      : depth_(depth), source_(std::move(source)), elsewhere_(!source_.empty()) {}

  std::string text;

  void block(const Block& body) {
    for (const Statement& s : body) statement(s);
  }
  void function(const Function& function);

private:
  void relate();
  void line(const std::string& code, const std::string& comment = "");
  void nested(const Block& body) {
    ++depth_;
    block(body);
    --depth_;
  }
  void statement(const Statement& s);
  void if_statement(const Statement& s);
  void loop(const Statement& s);
  std::string simple(const Statement& s);
  std::string declaration(const Statement& s);
  std::string expression(const Expr& e);
  std::string access(const Expr& e);
  std::string within(const Expr& e, Level level);
  std::string binary(const Expr& e);
  std::string call(const Expr& e);
  std::string list(const std::vector<Expr>& all, std::size_t from = 0);
  std::string lambda(const Function& function, bool one_line);
  std::string on_one_line(const Block& body);
  std::string on_lines(const Block& body);
  bool is_plain(const Block& body) const;

  int depth_;
  std::string source_;     ///< what the next line is related to; empty: to nothing
  bool elsewhere_ = false; ///< what was printed last is
};

/// The compiler counts lines behind a `#line`, and a statement may take several.
void Printer::relate() {
  if (!source_.empty() || elsewhere_)
    text += (source_.empty() ? own_lines : "#line " + source_) + "\n";
  elsewhere_ = !source_.empty();
}

void Printer::line(const std::string& code, const std::string& comment) {
  std::string whole = std::string(std::size_t(2 * depth_), ' ') + code;
  if (!comment.empty()) {
    const std::size_t blanks =
        whole.size() + 1 < comment_column ? comment_column - whole.size() : 1;
    whole += std::string(blanks, ' ') + comment;
  }
  const bool is_code = code != "}" && code.compare(0, 2, "//") != 0;
  if (is_code || source_.empty()) relate();
  text += whole + "\n";
}

// ---- Expressions ----

/// In brackets if it binds less tightly than what is around it.
std::string Printer::within(const Expr& e, Level level) {
  return level_of(e) < level ? "(" + expression(e) + ")" : expression(e);
}

std::string Printer::list(const std::vector<Expr>& all, std::size_t from) {
  std::string items;
  for (std::size_t k = from; k < all.size(); ++k)
    items += (k == from ? "" : ", ") + expression(all[k]);
  return items;
}

std::string Printer::binary(const Expr& e) {
  const Level own = level_of(e);
  const auto next = Level(own + 1);
  Level left = own, right = next;
  const auto same = [&](const Expr& side) { return level_of(side) == own; };
  if (own == equality || own == relation) {
    left = right = sum_level;
  } else if (own == disjunction || own == conjunction) { // both are associative
    left = same(e.operands[0]) ? own : bit_or;
    right = same(e.operands[1]) ? own : bit_or;
  } else if (own <= bit_and || own == shift) { // where the rules of binding are little known
    left = same(e.operands[0]) ? own : prefix;
    right = prefix;
  }
  return within(e.operands[0], left) + " " + e.text + " " + within(e.operands[1], right);
}

std::string Printer::on_one_line(const Block& body) {
  std::string code;
  for (const Statement& s : body) code += simple(s) + " ";
  return "{ " + code + "}";
}

std::string Printer::on_lines(const Block& body) {
  Printer inner(depth_ + 1, source_);
  inner.block(body);
  inner.relate(); // what is behind it
  return "{\n" + inner.text + std::string(std::size_t(2 * depth_), ' ') + "}";
}

/// Compilers warn of parameters that nothing uses.
std::string parameters_of(const Function& function) {
  std::set<std::string> used;
  add_names(function.body, used);
  std::string text;
  for (const Parameter& parameter : function.parameters)
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ",
                        used.count(parameter.name) == 0 ? "[[maybe_unused]] " : "", parameter.type,
                        parameter.name);
  return text;
}

std::string Printer::lambda(const Function& function, bool one_line) {
  const std::string parameters = parameters_of(function);
  std::string head = "[&]";
  if (!parameters.empty() || !function.result.empty()) head += "(" + parameters + ")";
  if (!function.result.empty()) head += " -> " + function.result;
  return head + " " + (one_line ? on_one_line(function.body) : on_lines(function.body));
}

/// Whether a body has nothing but declarations and returns, without comments or other sources.
bool Printer::is_plain(const Block& body) const {
  return std::all_of(body.begin(), body.end(), [&](const Statement& s) {
    return s.comment.empty() && (s.source.empty() || s.source == source_) &&
           (s.kind == Statement::declare || s.kind == Statement::return_);
  });
}

/// On lines of its own where it is on another line than its statement.
std::string Printer::access(const Expr& e) {
  const bool apart = !e.source.empty() && e.source != source_;
  const std::string outer = source_;
  if (apart) source_ = e.source;
  std::string index = expression(e.operands[1]);
  if (index.starts_with("[")) index = "(" + index + ")"; // `[[` begins an attribute
  const std::string code = within(e.operands[0], primary) + "[" + index + "]";
  source_ = outer;
  if (!apart) return code;
  return fmt::format("\n#line {}\n{}\n{}\n", e.source, code,
                     outer.empty() ? own_lines : "#line " + outer);
}

std::string Printer::expression(const Expr& e) {
  switch (e.kind) {
  case Expr::name: return e.argument.empty() ? e.text : e.text + "<" + e.argument + ">";
  case Expr::integer: return std::to_string(e.number);
  case Expr::literal: return e.text;
  case Expr::unary: {
    const bool signs = e.text == "-" && begins_with_sign(e.operands[0]);
    return e.text + within(e.operands[0], signs ? primary : prefix);
  }
  case Expr::binary: return binary(e);
  case Expr::conditional:
    return within(e.operands[0], disjunction) + " ? " + expression(e.operands[1]) + " : " +
           expression(e.operands[2]);
  case Expr::call: return within(e.operands[0], primary) + "(" + list(e.operands, 1) + ")";
  case Expr::index: return access(e);
  case Expr::member: return within(e.operands[0], primary) + "." + e.text;
  case Expr::cast:
    return is_cast_in_brackets(e) ? "(" + e.text + ")" + within(e.operands[0], prefix)
                                  : e.text + "(" + expression(e.operands[0]) + ")";
  case Expr::braces: return e.text + "{" + list(e.operands) + "}";
  case Expr::lambda: return lambda(e.functions[0], is_plain(e.functions[0].body));
  }
  return {};
}

// ---- Statements ----

std::string Printer::declaration(const Statement& s) {
  std::string code = s.text + " " + s.name;
  if (s.target) code += "[" + expression(*s.target) + "]";
  if (!s.value) return code;
  if (s.direct)
    return code + (s.value->kind == Expr::braces ? expression(*s.value)
                                                 : "(" + expression(*s.value) + ")");
  if (s.value->kind == Expr::lambda) { // a long one takes several lines
    const Function& function = s.value->functions[0];
    const bool one_line = function.body.size() == 1 && is_plain(function.body);
    const std::string short_one = code + " = " + lambda(function, one_line);
    return one_line && short_one.size() >= line_width && short_one.find('\n') == std::string::npos
               ? code + " = " + lambda(function, false)
               : short_one;
  }
  return code + " = " + expression(*s.value);
}

/// A statement of one line.
std::string Printer::simple(const Statement& s) {
  switch (s.kind) {
  case Statement::comment_line: return s.text;
  case Statement::declare: return declaration(s) + ";";
  case Statement::assign:
    return expression(*s.target) + " " + s.text + " " + expression(*s.value) + ";";
  case Statement::evaluate: return expression(*s.value) + ";";
  case Statement::break_: return "break;";
  case Statement::continue_: return "continue;";
  case Statement::return_: return "return " + expression(*s.value) + ";";
  case Statement::sync_warp: return "__syncwarp(" + (s.value ? expression(*s.value) : "") + ");";
  case Statement::sync_block: return "__syncthreads();";
  case Statement::fence: return "__threadfence();";
  case Statement::if_:
  case Statement::loop:
  case Statement::scope: break;
  }
  return {};
}

void Printer::if_statement(const Statement& s) {
  const std::string head = "if (" + expression(*s.value) + ")";
  if (s.brief) return line(head + " " + simple(s.body[0]), s.comment);
  line(head + " {", s.comment);
  const Statement* last = &s;
  nested(last->body);
  while (last->alternative.size() == 1 && last->alternative[0].kind == Statement::if_ &&
         !last->alternative[0].brief) {
    last = &last->alternative[0];
    if (!last->source.empty()) source_ = last->source;
    line("} else if (" + expression(*last->value) + ") {", last->comment);
    nested(last->body);
  }
  if (!last->alternative.empty()) {
    line("} else {");
    nested(last->alternative);
  }
  line("}");
}

void Printer::loop(const Statement& s) {
  const std::string condition = s.value ? expression(*s.value) : "";
  std::string head = s.value ? "while (" + condition + ")" : "for (;;)";
  if (!s.head.empty()) {
    const std::string advance = simple(s.head[1]);
    head =
        fmt::format("for ({}{}; {})", simple(s.head[0]), condition.empty() ? "" : " " + condition,
                    advance.substr(0, advance.size() - 1));
  }
  if (s.unrolled) line("#pragma unroll");
  if (s.brief) return line(head + " " + simple(s.body[0]), s.comment);
  line(head + " {", s.comment);
  nested(s.body);
  line("}");
}

void Printer::statement(const Statement& s) {
  const std::string outer = source_;
  if (!s.source.empty()) source_ = s.source;
  if (s.kind == Statement::if_) {
    if_statement(s);
  } else if (s.kind == Statement::loop) {
    loop(s);
  } else if (s.kind == Statement::scope) {
    line("{", s.comment);
    nested(s.body);
    line("}");
  } else {
    line(simple(s), s.comment);
  }
  source_ = outer;
}

void Printer::function(const Function& function) {
  for (const std::string& comment : function.comments) line(comment);
  const std::string parameters = parameters_of(function);
  const std::string head = fmt::format("{} {}({})", function.result, function.name, parameters);
  if (function.body.size() == 1 && function.body[0].kind == Statement::return_ &&
      is_plain(function.body)) {
    const std::string whole = head + " " + on_one_line(function.body);
    if (whole.size() <= line_width || whole.find('\n') != std::string::npos) return line(whole);
  }
  line(head + " {" + (function.comment.empty() ? "" : "  " + function.comment));
  nested(function.body);
  line("}");
}

} // namespace

std::string print(const Block& body, int depth) {
  Printer printer(depth);
  printer.block(body);
  return printer.text;
}

std::string print(const Function& function, int depth) {
  Printer printer(depth);
  printer.function(function);
  return printer.text;
}

} // namespace memlane::cuda
