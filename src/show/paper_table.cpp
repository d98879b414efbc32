#include "memlane/show/paper_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

constexpr std::size_t longest_cell = 400; ///< columns of a cell

/// What LaTeX writes for a character that its text mode does not have as it is.
struct LatexCharacter {
  std::string_view character, latex;
};
constexpr LatexCharacter latex_characters[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"`", "\\`{}"},
    {"[", "{[}"}, // no argument of the line end before it
    {"…", "\\ldots{}"},
    {"–", "--"},
    {"—", "---"},
    {"×", "$\\times$"},
    {"·", "$\\cdot$"},
    {"±", "$\\pm$"},
    {"≤", "$\\le$"},
    {"≥", "$\\ge$"},
    {"≠", "$\\ne$"},
    {"→", "$\\to$"},
    {"⌊", "$\\lfloor$"},
    {"⌋", "$\\rfloor$"},
    {"⌈", "$\\lceil$"},
    {"⌉", "$\\rceil$"},
    // Greek letters; capitals that look like Latin ones are these.
    {"Α", "A"},
    {"Β", "B"},
    {"Γ", "$\\Gamma$"},
    {"Δ", "$\\Delta$"},
    {"Ε", "E"},
    {"Ζ", "Z"},
    {"Η", "H"},
    {"Θ", "$\\Theta$"},
    {"Ι", "I"},
    {"Κ", "K"},
    {"Λ", "$\\Lambda$"},
    {"Μ", "M"},
    {"Ν", "N"},
    {"Ξ", "$\\Xi$"},
    {"Ο", "O"},
    {"Π", "$\\Pi$"},
    {"Ρ", "P"},
    {"Σ", "$\\Sigma$"},
    {"Τ", "T"},
    {"Υ", "$\\Upsilon$"},
    {"Φ", "$\\Phi$"},
    {"Χ", "X"},
    {"Ψ", "$\\Psi$"},
    {"Ω", "$\\Omega$"},
    {"α", "$\\alpha$"},
    {"β", "$\\beta$"},
    {"γ", "$\\gamma$"},
    {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"},
    {"ζ", "$\\zeta$"},
    {"η", "$\\eta$"},
    {"θ", "$\\theta$"},
    {"ι", "$\\iota$"},
    {"κ", "$\\kappa$"},
    {"λ", "$\\lambda$"},
    {"μ", "$\\mu$"},
    {"ν", "$\\nu$"},
    {"ξ", "$\\xi$"},
    {"ο", "o"},
    {"π", "$\\pi$"},
    {"ρ", "$\\rho$"},
    {"ς", "$\\varsigma$"},
    {"σ", "$\\sigma$"},
    {"τ", "$\\tau$"},
    {"υ", "$\\upsilon$"},
    {"φ", "$\\varphi$"},
    {"χ", "$\\chi$"},
    {"ψ", "$\\psi$"},
    {"ω", "$\\omega$"},
    {"ϕ", "$\\phi$"},
    {"ϵ", "$\\epsilon$"},
    {"µ", "$\\mu$"},
    // Superscripts, and signs of numbers.
    {"⁻", "$^{-}$"},
    {"⁰", "$^{0}$"},
    {"¹", "$^{1}$"},
    {"²", "$^{2}$"},
    {"³", "$^{3}$"},
    {"⁴", "$^{4}$"},
    {"⁵", "$^{5}$"},
    {"⁶", "$^{6}$"},
    {"⁷", "$^{7}$"},
    {"⁸", "$^{8}$"},
    {"⁹", "$^{9}$"},
    {"−", "$-$"},
    {"≈", "$\\approx$"},
    {"∞", "$\\infty$"},
};

std::size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// Letters of Western and Central European names: LaTeX's text fonts have them.
bool is_latin(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  const auto next = character.size() == 2 ? static_cast<unsigned char>(character[1]) : 0;
  return lead == 0xc3 ? next != 0x97 && next != 0xb7 : lead == 0xc4 || lead == 0xc5;
}

std::string markdown_cell(const PaperColumn& column, const std::string& text) {
  if (!column.code || text.empty()) return markdown_text(text);
  std::string inner; // in a code span only the column's own bar is markup
  for (const char c : text) inner += c == '|' ? "\\|" : std::string(1, c);
  std::size_t run = 0, longest = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + inner + fence : fmt::format("{0} {1} {0}", fence, inner);
}

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// The length of `^10`, `^-k` or `^(n - 1)` that the text begins with; 0: with no power.
std::size_t power_length(std::string_view text) {
  if (text.size() < 2 || text.front() != '^') return 0;
  if (text[1] == '(') {
    const std::size_t end = std::min(text.find(')'), text.size());
    const auto is_plain = [](char c) {
      return is_word_character(c) || std::string_view(" +-*/.").find(c) != std::string_view::npos;
    };
    const std::string_view inner = text.substr(2, end - 2);
    const bool is_power = end < text.size() && std::all_of(inner.begin(), inner.end(), is_plain);
    return is_power ? end + 1 : 0;
  }
  std::size_t end = text[1] == '-' ? 2 : 1;
  const std::size_t begin = end;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return end > begin ? end : 0;
}

/// Appends `^10` to a text of LaTeX, its base before it within the formula if that is a number or
/// a letter.
void append_power(std::string_view power, std::string& out) {
  std::string_view exponent = power.substr(1);
  if (exponent.front() == '(') exponent = exponent.substr(1, exponent.size() - 2);
  std::size_t begin = out.size();
  while (begin > 0 && is_word_character(out[begin - 1])) --begin;
  const std::string base = out.substr(begin);
  const bool is_number = base.find_first_not_of("0123456789") == base.npos;
  if (base.empty() || (!is_number && base.size() > 1)) {
    out += fmt::format("$^{{{}}}$", exponent);
    return;
  }
  out.resize(begin);
  out += fmt::format("${}^{{{}}}$", base, exponent);
}

std::string escaped_latex(std::string_view text, bool with_powers) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, utf8_length(text.front()));
    const auto* const known =
        std::find_if(std::begin(latex_characters), std::end(latex_characters),
                     [&](const LatexCharacter& c) { return c.character == character; });
    const bool follows = !out.empty() && (is_word_character(out.back()) || out.back() == ')');
    if (const std::size_t power = with_powers && follows ? power_length(text) : 0; power > 0) {
      append_power(text.substr(0, power), out);
      text.remove_prefix(power);
      continue;
    }
    if (text.substr(0, 2) == "--") {
      out += "-{}"; // two of them are no dash
    } else if (known != std::end(latex_characters)) {
      constexpr std::string_view raised = "$^{"; // 10⁻⁶ has one exponent, not two
      std::string_view latex = known->latex;
      if (latex.starts_with(raised) && out.ends_with("}$")) {
        out.resize(out.size() - 2);
        latex.remove_prefix(raised.size());
      }
      out += latex;
    } else if (character.size() == 1 || is_latin(character)) {
      out += character;
    } else {
      out += '?';
    }
    text.remove_prefix(character.size());
  }
  return out;
}

/// Whether its braces match, and nothing in it ends a formula or a line.
bool is_formula(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && ++i < text.size()) continue;
    if (i == text.size() || text[i] == '%' || (text[i] >= 0 && text[i] < ' ')) return false;
    open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (open < 0) return false;
  }
  return open == 0 && text.find_first_not_of(' ') != text.npos;
}

/// Calls with the parts of a label: texts, and formulas without their dollars.
template <class Take>
void each_part(std::string_view label, const Take& take) {
  std::string text; // before the next formula, `\$` as a dollar
  const auto dollar_after = [&](std::size_t at) {
    while (at < label.size() && label[at] != '$') at += label[at] == '\\' ? 2 : 1;
    return at;
  };
  for (std::size_t at = 0; at < label.size(); ++at) {
    const std::size_t end = label[at] == '$' ? dollar_after(at + 1) : label.size();
    if (end < label.size() && is_formula(label.substr(at + 1, end - at - 1))) {
      if (!text.empty()) take(text, false);
      text.clear();
      take(label.substr(at + 1, end - at - 1), true);
      at = end;
      continue;
    }
    if (label.substr(at, 2) == "\\$") ++at;
    text += label[at];
  }
  if (!text.empty()) take(text, false);
}

std::string latex_cell(const PaperColumn& column, const std::string& text) {
  if (!column.code || text.empty()) return column.formulas ? latex_label(text) : latex_text(text);
  return "\\texttt{" + escaped_latex(text, false) + "}";
}

/// The cells of all rows, heading first, each column as wide as its widest cell.
std::vector<std::vector<std::string>> aligned_rows(std::vector<std::vector<std::string>> rows,
                                                   const std::vector<PaperColumn>& columns,
                                                   std::size_t least) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::size_t width = least;
    for (const auto& row : rows) width = std::max(width, display_width(row[k]));
    for (auto& row : rows) {
      const std::string blanks(width - display_width(row[k]), ' ');
      row[k] = columns[k].align == Align::right ? blanks + row[k] : row[k] + blanks;
    }
  }
  return rows;
}

template <class Escape>
std::vector<std::vector<std::string>>
escaped_rows(const std::vector<PaperColumn>& columns,
             const std::vector<std::vector<std::string>>& rows, Escape&& escape) {
  std::vector<std::vector<std::string>> all(1);
  for (const PaperColumn& column : columns)
    all.front().push_back(
        escape(PaperColumn{"", Align::left, false, "", column.formulas}, column.name));
  for (const auto& row : rows) {
    all.emplace_back();
    for (std::size_t k = 0; k < columns.size(); ++k)
      all.back().push_back(escape(columns[k], row[k]));
  }
  return all;
}

std::string as_markdown(const std::string& caption, const std::vector<PaperColumn>& columns,
                        const std::vector<std::vector<std::string>>& rows) {
  const auto cells = aligned_rows(escaped_rows(columns, rows, markdown_cell), columns, 3);
  std::string text = fmt::format("**{}**\n\n", markdown_text(caption));
  for (const auto& row : cells) {
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
    if (&row != &cells.front()) continue;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::string line(display_width(row[k]) + 1, '-');
      text +=
          columns[k].align == Align::right ? fmt::format("|{}:", line) : fmt::format("|:{}", line);
    }
    text += "|\n";
  }
  return text;
}

/// The column holds texts that a page is too narrow for: LaTeX may break them.
bool is_wide(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  constexpr std::size_t widest = 50;
  return std::any_of(rows.begin(), rows.end(), [&](const std::vector<std::string>& row) {
    return display_width(row[column]) > widest;
  });
}

/// `\multicolumn{2}{c}{time}` over the columns that share it, and the lines below; empty: no column
/// has a heading above its own.
std::string over_columns(const std::vector<PaperColumn>& columns) {
  std::vector<std::string> cells, rules;
  bool any = false;
  for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
    const std::string& over = columns[begin].over;
    const bool is_label = columns[begin].formulas;
    for (end = begin + 1; !over.empty() && end < columns.size() && columns[end].over == over;)
      ++end;
    any = any || !over.empty();
    cells.push_back(over.empty() ? ""
                                 : fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", end - begin,
                                               is_label ? latex_label(over) : latex_text(over)));
    if (!over.empty()) rules.push_back(fmt::format("\\cmidrule(lr){{{}-{}}}", begin + 1, end));
  }
  if (!any) return "";
  return fmt::format("    {} \\\\\n    {}\n", fmt::join(cells, " & "), fmt::join(rules, " "));
}

/// `caption`: as LaTeX.
std::string as_latex(const std::string& caption, const std::string& label,
                     const std::vector<PaperColumn>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  const auto cells = aligned_rows(escaped_rows(columns, rows, latex_cell), columns, 0);
  std::size_t wide = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) wide += is_wide(rows, k);
  const double share = std::min(0.3, 0.6 / static_cast<double>(std::max<std::size_t>(1, wide)));
  std::string letters;
  for (std::size_t k = 0; k < columns.size(); ++k)
    letters += columns[k].align == Align::right ? "r"
               : is_wide(rows, k)               ? fmt::format("p{{{:.2g}\\linewidth}}", share)
                                                : "l";
  std::string text = fmt::format(
      "\\begin{{table}} % \\usepackage{{booktabs}}\n  \\centering\\small\n  "
      "\\caption{{{}}}{}\n  \\begin{{tabular}}{{{}}}\n    \\toprule\n{}",
      caption, label.empty() ? "" : "\\label{" + label + "}", letters, over_columns(columns));
  for (const auto& row : cells) {
    text += fmt::format("    {} \\\\\n", fmt::join(row, " & "));
    if (&row == &cells.front()) text += "    \\midrule\n";
  }
  return text + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
}

} // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>|#~$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string latex_text(std::string_view text) { return escaped_latex(text, true); }

std::string latex_label(std::string_view label) {
  std::string out;
  each_part(label, [&](std::string_view part, bool formula) {
    out += formula ? fmt::format("${}$", part) : latex_text(part);
  });
  return out;
}

std::string plain_label(std::string_view label) {
  std::string out;
  each_part(label, [&](std::string_view part, bool) { out += part; });
  return out;
}

void PaperTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = on_one_line(cell, longest_cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string PaperTable::text(Format format) const {
  const std::string caption = on_one_line(caption_, longest_cell);
  if (format != Format::latex) return as_markdown(caption, columns_, rows_);
  return as_latex(formulas_ ? latex_label(caption) : latex_text(caption), label_, columns_, rows_);
}

std::string paper_text(const std::vector<PaperTable>& tables, Format format) {
  std::string text;
  for (const PaperTable& table : tables)
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table.text(format);
  return text;
}

} // namespace memlane
