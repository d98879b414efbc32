#include "race_watch.hpp"

#include <algorithm>
#include <array>

namespace memlane::fast {

namespace {

bool clash(const Accessor& a, const Accessor& b) {
  if (a.warp != b.warp) return true;
  return a.forall != 0 && a.forall == b.forall && a.iteration != b.iteration;
}

/// Keeps, of two accessors of one warp that do not clash, the one that later accesses may clash
/// with.
void replace(Accessor& known, const Accessor& accessor) {
  if (accessor.forall != 0 || known.forall == 0) known = accessor;
}

} // namespace

RaceWords::RaceWords(std::int64_t elements)
    : pages_(static_cast<std::size_t>(elements / page_words + 1)) {}

void RaceWords::hold(std::int64_t elements) {
  const auto pages = static_cast<std::size_t>(elements / page_words + 1);
  if (pages > pages_.size()) pages_.resize(pages);
}

// Words of an earlier interval need no clearing until the numbers wrap around.
void RaceWords::begin_interval() {
  if (++interval_ != 0) return;
  interval_ = 1;
  for (Page& page : pages_) page.reset();
  spare_.clear();
  used_.clear();
}

// Words of an earlier interval need no clearing: they have its number.
void RaceWords::begin_block() {
  for (const std::size_t page : used_) spare_.push_back(std::move(pages_[page]));
  used_.clear();
}

RaceWords::Word& RaceWords::word(std::int64_t element) {
  const auto at = static_cast<std::size_t>(element / page_words);
  if (!pages_[at]) {
    used_.push_back(at);
    if (spare_.empty()) {
      pages_[at] = std::make_unique<Word[]>(static_cast<std::size_t>(page_words));
    } else {
      pages_[at] = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  return pages_[at][static_cast<std::size_t>(element % page_words)];
}

bool RaceWords::add(std::span<const Access> accesses, AccessKind kind) {
  now_.clear();
  for (const Access& access : accesses) {
    now_.push_back(&word(access.element));
    if (conflicts(*now_.back(), access.accessor, kind)) return false;
  }
  for (std::size_t k = 0; k < accesses.size(); ++k) record(*now_[k], accesses[k].accessor, kind);
  return true;
}

bool RaceWords::conflicts(const Word& known, const Accessor& accessor, AccessKind kind) const {
  const bool atomics = kind == AccessKind::atomic && known.atomics;
  if (known.written == interval_ && !atomics && (known.writers || clash(known.writer, accessor)))
    return true;
  return writes(kind) && known.read == interval_ &&
         (known.readers || clash(known.reader, accessor));
}

void RaceWords::record(Word& known, const Accessor& accessor, AccessKind kind) const {
  const bool write = writes(kind);
  if (write)
    known.atomics = kind == AccessKind::atomic && (known.atomics || known.written != interval_);
  std::uint32_t& interval = write ? known.written : known.read;
  Accessor& latest = write ? known.writer : known.reader;
  bool& several = write ? known.writers : known.readers;
  if (interval != interval_) {
    interval = interval_;
    latest = accessor;
    several = false;
  } else if (clash(latest, accessor)) {
    several = true;
  } else {
    replace(latest, accessor);
  }
}

namespace {

/// A longer record of an interval is given up.
constexpr std::size_t most_records = std::size_t{1} << 18;
constexpr std::size_t most_bytes = std::size_t{1} << 25;

} // namespace

void RaceWatch::begin_interval(std::size_t pc) {
  pc_ = pc;
  by_word_ = !unproven_.empty() && unproven_.count(pc) > 0;
  unsure_ = false;
  whole_ = true;
  records_.clear();
  irregular_.clear();
  patterns_.clear();
  bytes_ = 0;
  words_.begin_interval();
}

RaceWatch::Found RaceWatch::add(const WatchedAccess& access, const Shape& shape, const Mask& mask,
                                const LaneSets& sets) {
  if (unsure_) return Found::nothing;
  const Accesses& form = access.closed_form;
  if (!by_word_) {
    const bool atomic = access.kind == AccessKind::atomic;
    last_site_ = static_cast<std::size_t>(form.site);
    proof_.set_shape(shape);
    if (!atomic && proof_.add(form, mask, sets)) {
      if (whole_) note(access, mask, sets);
      return Found::nothing;
    }
    if (const Found found = fail(last_site_); found != Found::nothing) return found;
  }
  const std::uint8_t* active = sets.lanes_if_some(mask);
  return check({*form.elements, *form.iterations, active, sets.part(mask), access.first_warp,
                access.group, access.kind})
             ? Found::nothing
             : Found::conflict;
}

RaceWatch::Found RaceWatch::end_interval() {
  const bool proven = by_word_ || unsure_ || proof_.close();
  return proven ? Found::nothing : fail(last_site_);
}

/// The proof has failed: what is recorded is checked word by word.
RaceWatch::Found RaceWatch::fail(std::size_t site) {
  unproven_.emplace(pc_, site);
  proof_.clear();
  if (!whole_) {
    unsure_ = true;
    return Found::unsure;
  }
  by_word_ = true;
  Register elements, iterations;
  for (const Record& record : records_) {
    const Shape shape{record.warps, record.width};
    bool apart = true;
    if (record.irregular < 0) {
      fill(elements, record.elements);
      fill(iterations, record.iterations);
      std::array<std::uint8_t, few_lanes> active{};
      for (std::size_t i = 0; i < active.size(); ++i) active[i] = record.lanes >> i & 1;
      apart = check({elements, iterations, record.lanes == 0 ? nullptr : active.data(), shape,
                     record.first_warp, record.group, record.kind});
    } else {
      const Irregular& irregular = irregular_[static_cast<std::size_t>(record.irregular)];
      apart = check({irregular.elements, irregular.iterations, irregular.active.data(), shape,
                     record.first_warp, record.group, record.kind});
    }
    if (!apart) return Found::conflict;
  }
  return Found::nothing;
}

bool RaceWatch::is_even(const Register& r) {
  return r.form == Form::uniform || (has_rows(r) && r.rows.even);
}

RaceWatch::EvenRows RaceWatch::even_rows_of(const Register& r) {
  if (r.form == Form::uniform) return {r.value.integer(), 0, 0, -1};
  const Rows& rows = r.rows;
  if (rows.folds == 0) return {rows.first, rows.warp_step, rows.lane_step, -1};
  // Of a loop's accesses, a few patterns take turns.
  constexpr std::size_t latest = 8;
  std::size_t at = patterns_.size();
  for (std::size_t k = 1; k <= std::min(latest, patterns_.size()); ++k)
    if (patterns_[patterns_.size() - k].same(rows)) at = patterns_.size() - k;
  if (at == patterns_.size()) {
    patterns_.push_back(rows);
    bytes_ += sizeof(Pattern);
  }
  return {rows.first, rows.warp_step, 0, static_cast<std::int32_t>(at)};
}

void RaceWatch::fill(Register& r, const EvenRows& rows) const {
  r.rows.set({});
  r.rows.first = rows.first;
  r.rows.warp_step = rows.warp_step;
  r.rows.lane_step = rows.lane_step;
  if (rows.pattern >= 0) r.rows.set(patterns_[static_cast<std::size_t>(rows.pattern)]);
  set_form_of_rows(r);
}

void RaceWatch::note(const WatchedAccess& access, const Mask& mask, const LaneSets& sets) {
  const Shape shape = sets.part(mask);
  const Accesses& form = access.closed_form;
  if (records_.size() >= most_records || bytes_ >= most_bytes) {
    whole_ = false;
    return;
  }
  Record& record = records_.emplace_back();
  record.group = access.group;
  record.first_warp = static_cast<std::int32_t>(access.first_warp);
  record.warps = shape.warps;
  record.width = shape.width;
  record.kind = access.kind;
  const std::uint8_t* active = sets.lanes_if_some(mask);
  if ((!active || shape.lanes() <= few_lanes) && is_even(*form.elements) &&
      is_even(*form.iterations)) {
    for (int i = 0; active && i < shape.lanes(); ++i) record.lanes |= std::uint64_t{active[i]} << i;
    record.elements = even_rows_of(*form.elements);
    record.iterations = even_rows_of(*form.iterations);
    return;
  }
  record.irregular = static_cast<std::int32_t>(irregular_.size());
  Irregular& irregular = irregular_.emplace_back();
  copy_register(*form.elements, shape, irregular.elements);
  copy_register(*form.iterations, shape, irregular.iterations);
  const std::uint8_t* lanes = sets.lanes(mask);
  irregular.active.assign(lanes, lanes + shape.lanes());
  const auto size = [&](const Register& r) {
    return r.form == Form::vector ? 8 * static_cast<std::size_t>(shape.lanes()) : 0;
  };
  bytes_ += sizeof(Irregular) + irregular.active.size() + size(irregular.elements) +
            size(irregular.iterations);
}

void WatchesOfBlocks::begin(std::size_t blocks) {
  if (own_.size() < blocks) own_.resize(blocks);
  for (const auto& own : own_)
    if (own) own->begun = false;
  pcs_.assign(blocks, 0);
}

RaceWatch& WatchesOfBlocks::of(std::size_t block) {
  std::unique_ptr<Own>& own = own_[block];
  if (!own) own = std::make_unique<Own>(Shape{1, width_}, elements_, unproven_);
  if (!own->begun) {
    own->begun = true;
    own->watch.begin_block();
    own->watch.begin_interval(pcs_[block]);
  }
  return own->watch;
}

RaceWatch::Found WatchesOfBlocks::next_interval(std::size_t block, std::size_t pc) {
  pcs_[block] = pc;
  const std::unique_ptr<Own>& own = own_[block];
  if (!own || !own->begun) return RaceWatch::Found::nothing;
  const RaceWatch::Found found = own->watch.end_interval();
  own->watch.begin_interval(pc);
  return found;
}

bool RaceWatch::check(const Lanes& lanes) {
  const Shape& shape = lanes.shape;
  const auto width = static_cast<std::size_t>(shape.width);
  elements_.resize(width);
  iterations_.resize(width);
  for (int k = 0; k < shape.warps; ++k) {
    integers_of_warp(lanes.elements, shape, k, elements_.data());
    integers_of_warp(lanes.iterations, shape, k, iterations_.data());
    const auto warp = static_cast<std::uint32_t>(lanes.first_warp + k);
    const std::uint8_t* const active = lanes.active ? lanes.active + k * shape.width : nullptr;
    accesses_.clear();
    for (std::size_t j = 0; j < width; ++j)
      if (!active || active[j] != 0)
        accesses_.push_back({elements_[j], {warp, lanes.group, iterations_[j]}});
    if (!words_.add(accesses_, lanes.kind)) return false;
  }
  return true;
}

} // namespace memlane::fast
