#include "concurrent_generator.hpp"

#include "random_text.hpp"

#include <algorithm>

namespace memlane::test {
namespace {

/// A sum c0 + c1 * (the index of the loop around).
struct Linear {
  std::int64_t constant = 0, factor = 0;

  std::int64_t at(std::int64_t index) const { return constant + factor * index; }
  std::string text(const std::string& index) const {
    return factor == 0 ? std::to_string(constant)
                       : std::to_string(constant) + " + " + std::to_string(factor) + "*" + index;
  }
};

class Concurrent : RandomText {
public:
  explicit Concurrent(std::uint64_t seed) : RandomText(seed, 23) {}

  ConcurrentProgram program() {
    std::string text = "const n = " + std::to_string(words) +
                       "\nmemory a[n], b[n], c[n]: int = index % 7\n"
                       "kernel copy(from[s]: int, into[t]: int, q: int) {\n"
                       "  forall grid i in 0..t { into[i] = 3*into[i] + from[i % s] + q }\n}\n"
                       "kernel bump(x[s]: int, every: int) {\n"
                       "  forall grid i in 0..ceil_div(s, every) { x[i*every] += i + 1 }\n}\n"
                       "kernel first(x[s]: int) { if block == 0 and thread == 0 { x[0] = x[s - 1] "
                       "* 5 } }\n"
                       "proc one(x[s]: int, every: int) { launch bump(x, every) }\n"
                       "proc several(x[s]: int, times: int) {\n"
                       "  for t = 0 to times - 1 { if t % 2 == 0 { one(x, t + 1) } }\n}\n";
    text += "main {\n";
    depth_ = 1;
    apart_ = pick(3) > 0;
    for (std::int64_t k = 0; k <= 1 + pick(4); ++k) text += part();
    text += "}\nverify { assert a[0] + b[0] + c[0] == c[0] + b[0] + a[0] }\n";
    result_.text = text;
    result_.in_order = text;
    const std::string word = "concurrent {";
    for (std::size_t at; (at = result_.in_order.find(word)) != std::string::npos;)
      result_.in_order.replace(at, word.size(), "if true {");
    return std::move(result_);
  }

private:
  static constexpr std::int64_t words = 96;

  std::string part() {
    if (pick(3) == 0) return pick(2) == 0 ? statement() : host();
    std::string text = indent() + "concurrent {\n";
    ++depth_;
    inside_ = true;
    const std::size_t before = result_.launches.size();
    taken_ = pick(8);
    for (std::int64_t k = 0; k <= pick(4); ++k) text += statement();
    inside_ = false;
    --depth_;
    if (result_.launches.size() > before) ++stage_;
    return text + indent() + "}\n";
  }

  std::string host() {
    const std::string at = number(words);
    return indent() + "a[" + at + "] = b[" + at + "] + 1\n";
  }

  std::string statement() {
    switch (pick(5)) {
    case 0: return loop();
    case 1: { // never taken, or always
      const bool taken = pick(3) > 0;
      std::string text = indent() + "if n " + (taken ? "> " : "< ") + number(9) + " {\n";
      ++depth_;
      const bool real = std::exchange(real_, real_ && taken);
      text += launch({}, 0);
      real_ = real;
      --depth_;
      return text + indent() + "}\n";
    }
    default: return launch({}, 0);
    }
  }

  std::string loop() {
    const std::string index = fresh("i");
    const std::int64_t last = pick(4);
    std::string text = indent() + "for " + index + " = 0 to " + std::to_string(last) + " {\n";
    ++depth_;
    text += launch(index, last);
    --depth_;
    return text + indent() + "}\n";
  }

  /// A launch in each round of a loop with this index from 0 to `last`, or one alone.
  std::string launch(const std::string& index, std::int64_t last) {
    const std::int64_t size = 1 + pick(index.empty() ? 24 : 12);
    const Linear from = place(size, last), into = place(size, last);
    const std::string x = array(), y = other(x);
    const std::string target = slice(y, into, size, index), source = slice(x, from, size, index);
    const std::string blocks = pick(3) == 0 ? " blocks=" + std::to_string(1 + pick(3)) : "";
    const std::int64_t every = 1 + pick(3);
    const std::int64_t kind = pick(5);
    std::string text = indent();
    if (kind <= 1)
      text += "launch copy(" + source + ", " + target + ", " + number(9) + ")" + blocks;
    if (kind == 2) text += "launch bump(" + target + ", " + std::to_string(every) + ")" + blocks;
    if (kind == 3) text += "launch first(" + target + ")" + blocks;
    if (kind == 4) text += "several(" + target + ", " + std::to_string(every) + ")";
    for (std::int64_t i = 0; i <= last; ++i) {
      const std::int64_t f = from.at(i), t = into.at(i);
      if (kind <= 1) know(words_of(x, f, size, 1), words_of(y, t, size, 1), true);
      if (kind == 2) know({}, words_of(y, t, size, every), true);
      if (kind == 3) know({{y, t + size - 1}}, {{y, t}}, false);
      for (std::int64_t time = 0; kind == 4 && time < every; time += 2)
        know({}, words_of(y, t, size, time + 1), true);
    }
    return text + "\n";
  }

  std::string array() { return std::string(1, static_cast<char>('a' + pick(3))); }
  std::string other(const std::string& name) {
    return std::string(1, static_cast<char>('a' + (name[0] - 'a' + 1 + pick(2)) % 3));
  }

  /// Where parts of `size` words begin. In most programs parts of one `concurrent` seldom meet.
  Linear place(std::int64_t size, std::int64_t last) {
    Linear at;
    at.factor = last == 0 ? 0 : apart_ || pick(4) > 0 ? size : pick(size + 1);
    const std::int64_t room = words - at.factor * last - size;
    at.constant = apart_ && inside_ ? std::min(room, taken_) : pick(room + 1);
    taken_ += at.factor * last + size;
    return at;
  }

  static std::string slice(const std::string& name, Linear at, std::int64_t size,
                           const std::string& index) {
    return name + "[" + at.text(index) + ".." + Linear{at.constant + size, at.factor}.text(index) +
           "]";
  }

  static std::set<ArrayWord> words_of(const std::string& name, std::int64_t first,
                                      std::int64_t size, std::int64_t every) {
    std::set<ArrayWord> all;
    for (std::int64_t k = 0; k < size; k += every) all.insert({name, first + k});
    return all;
  }

  /// `updates`: it reads what it writes.
  void know(std::set<ArrayWord> reads, std::set<ArrayWord> writes, bool updates) {
    if (!real_) return;
    if (updates) reads.insert(writes.begin(), writes.end());
    result_.launches.push_back({stage_, std::move(reads), std::move(writes)});
    if (!inside_) ++stage_;
  }

  ConcurrentProgram result_;
  std::int64_t stage_ = 0; ///< of the next launch
  std::int64_t taken_ = 0; ///< words of this `concurrent` so far
  bool inside_ = false;    ///< a `concurrent`
  bool real_ = true;       ///< what is written now is executed
  bool apart_ = true;
};

} // namespace

bool ConcurrentProgram::race_at(std::size_t first, std::size_t second,
                                const ArrayWord& word) const {
  const KnownLaunch &x = launches[first], &y = launches[second];
  const auto has = [&](const std::set<ArrayWord>& all) { return all.count(word) > 0; };
  return x.stage == y.stage &&
         ((has(x.writes) && (has(y.reads) || has(y.writes))) || (has(x.reads) && has(y.writes)));
}

bool ConcurrentProgram::races() const {
  for (std::size_t y = 0; y < launches.size(); ++y)
    for (std::size_t x = 0; x < y; ++x)
      for (const std::set<ArrayWord>* all : {&launches[x].reads, &launches[x].writes})
        if (std::any_of(all->begin(), all->end(),
                        [&](const ArrayWord& word) { return race_at(x, y, word); }))
          return true;
  return false;
}

ConcurrentProgram concurrent_program(std::uint64_t seed) { return Concurrent(seed).program(); }

} // namespace memlane::test
