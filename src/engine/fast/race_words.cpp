#include "race_words.hpp"

namespace memlane::fast {

namespace {

bool clash(const Accessor& a, const Accessor& b) {
  if (a.warp != b.warp) return true;
  return a.forall != 0 && a.forall == b.forall && a.iteration != b.iteration;
}

/// Of two of one warp that do not clash, the one that later accesses may clash with.
void replace(Accessor& known, const Accessor& who) {
  if (who.forall != 0 || known.forall == 0) known = who;
}

} // namespace

bool RaceWords::conflicts(std::int64_t element, const Phases& phases, const Accessor& who,
                          bool write) const {
  const Word& word = words_[static_cast<std::size_t>(element)];
  if (other_block(word.written, phases)) return true;
  if (word.written == phases.now && (word.writers || clash(word.writer, who))) return true;
  if (!write) return false;
  if (other_block(word.read, phases) || (!shared_ && word.other_reader == phases.launch))
    return true;
  return word.read == phases.now && (word.readers || clash(word.reader, who));
}

void RaceWords::record(std::int64_t element, const Phases& phases, const Accessor& who,
                       bool write) {
  Word& word = words_[static_cast<std::size_t>(element)];
  if (write) {
    if (word.written == phases.now) {
      word.writers = word.writers || clash(word.writer, who);
      return replace(word.writer, who);
    }
    word.written = phases.now;
    word.writer = who;
    word.writers = false;
    return;
  }
  if (word.read == phases.now) {
    if (clash(word.reader, who)) {
      word.readers = true;
    } else {
      replace(word.reader, who);
    }
    return;
  }
  if (other_block(word.read, phases)) word.other_reader = phases.launch;
  word.read = phases.now;
  word.reader = who;
  word.readers = false;
}

} // namespace memlane::fast
