#include "store_output.hpp"

#include "store_bytes.hpp"
#include "tree_delta.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace memlane::sweep {
namespace {

constexpr int most_output_depth = 64;
constexpr std::size_t most_of_a_shape = 24, most_recent = 192, most_kept = 128;
constexpr std::uint64_t most_output_bytes = std::uint64_t{1} << 28;
/// Larger outputs are not kept for the next ones that are based on them.
constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;
enum : std::uint64_t { whole_output = 0, based_output = 1 };

const Bytef* zlib_bytes(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

std::uint32_t crc_of(std::string_view text) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), zlib_bytes(text), text.size()));
}

std::string packed_whole(std::string_view json) {
  std::string bytes;
  append_number(bytes, whole_output);
  append_number(bytes, json.size());
  const std::size_t header = bytes.size();
  uLongf size = compressBound(static_cast<uLong>(json.size()));
  bytes.resize(header + size);
  compress2(reinterpret_cast<Bytef*>(bytes.data() + header), &size, zlib_bytes(json),
            static_cast<uLong>(json.size()), Z_BEST_COMPRESSION);
  bytes.resize(header + size);
  return bytes;
}

std::optional<std::string> unpacked_whole(std::string_view packed, std::uint64_t size) {
  // zlib packs at most 1032 times.
  if (size > most_output_bytes || size / 1100 > packed.size()) return std::nullopt;
  std::string json(static_cast<std::size_t>(size), '\0');
  uLongf unpacked = static_cast<uLongf>(size);
  const int status = uncompress(reinterpret_cast<Bytef*>(json.data()), &unpacked,
                                zlib_bytes(packed), static_cast<uLong>(packed.size()));
  if (status != Z_OK || unpacked != size) return std::nullopt;
  return json;
}

} // namespace

OutputReader::OutputReader(SQLite::Database& database)
    : read_(database, "SELECT content FROM outputs WHERE id = ?") {}

const OutputReader::Output* OutputReader::output(std::int64_t id) {
  // From the output back to one that is kept or whole, then forwards again.
  struct Step {
    std::int64_t id;
    std::string delta;
    std::uint64_t size;
    std::uint32_t crc;
  };
  std::vector<Step> steps;
  std::int64_t at = id;
  if (kept_.size() > most_kept) kept_.clear();
  if (large_ != id) kept_.erase(large_);
  while (kept_.count(at) == 0) {
    read_.bind(1, at);
    std::string content = read_.executeStep() ? read_.getColumn(0).getString() : std::string();
    read_.reset();
    ByteReader bytes(content);
    const std::uint64_t kind = bytes.number();
    const auto lag = kind == based_output ? static_cast<std::int64_t>(bytes.number()) : 0;
    const std::uint64_t size = bytes.number();
    if (kind == whole_output && bytes.ok()) {
      auto json = unpacked_whole(bytes.text(bytes.left()), size);
      if (!json) return nullptr;
      kept_[at] = {json_tree(std::move(*json)), 0};
      break;
    }
    std::uint32_t crc = 0;
    for (char c : bytes.text(4)) crc = crc << 8 | static_cast<unsigned char>(c);
    if (!bytes.ok() || kind != based_output || lag <= 0 || lag > at || size > most_output_bytes ||
        steps.size() > static_cast<std::size_t>(most_output_depth))
      return nullptr;
    steps.push_back({at, std::string(bytes.text(bytes.left())), size, crc});
    at -= lag;
  }
  for (; !steps.empty(); steps.pop_back()) {
    const Step& step = steps.back();
    const Output& base = kept_[at];
    if (base.tree.nodes.empty()) return nullptr;
    auto tree = patched(base.tree, step.delta, step.size);
    if (!tree || tree->text.size() != step.size || crc_of(tree->text) != step.crc) return nullptr;
    const int depth = base.depth + 1;
    kept_[step.id] = {std::move(*tree), depth};
    if (base.tree.text.size() > most_kept_bytes) kept_.erase(at);
    at = step.id;
  }
  const Output* const found = &kept_[id];
  if (found->tree.text.size() > most_kept_bytes) large_ = id;
  return found;
}

std::optional<std::string> OutputReader::json(std::int64_t id) {
  const Output* found = output(id);
  return found ? std::optional(found->tree.text) : std::nullopt;
}

void OutputReader::forget() {
  read_.tryReset();
  kept_.clear();
}

OutputWriter::OutputWriter(SQLite::Database& database)
    : reader_(database), last_(database, "SELECT max(id) FROM outputs"),
      insert_(database, "INSERT INTO outputs (id, content) VALUES (?, ?)") {}

void OutputWriter::forget() {
  for (SQLite::Statement* statement : {&last_, &insert_}) statement->tryReset();
  reader_.forget();
  recent_.clear();
  recent_count_ = 0;
  knows_last_ = false;
}

void OutputWriter::remember(std::int64_t id, OutputReader::Output output) {
  if (output.tree.nodes.empty()) return;
  if (recent_count_ >= most_recent) {
    recent_.clear();
    recent_count_ = 0;
  }
  std::deque<Recent>& list = recent_[shape_of(output.tree)];
  list.push_back({id, std::move(output)});
  ++recent_count_;
  if (list.size() <= most_of_a_shape) return;
  list.pop_front();
  --recent_count_;
}

/// Those that were stored last, before this writer began.
void OutputWriter::remember_last() {
  if (knows_last_) return;
  knows_last_ = true;
  last_.executeStep();
  const std::int64_t last = last_.getColumn(0).getInt64();
  last_.reset();
  for (std::int64_t id = std::max<std::int64_t>(1, last - 31); id <= last; ++id)
    if (const OutputReader::Output* output = reader_.output(id)) remember(id, *output);
  reader_.forget();
}

std::string OutputWriter::content_of(std::int64_t id, const JsonTree& tree, int& depth) {
  depth = 0;
  const auto list = recent_.find(shape_of(tree));
  if (list == recent_.end()) return packed_whole(tree.text);
  const std::deque<Recent>& known = list->second;
  const Recent* best = nullptr;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto consider = [&](std::size_t lag) {
    const Recent& other = known[known.size() - 1 - lag];
    if (other.output.depth >= most_output_depth) return;
    const std::int64_t cost = delta_cost(tree, other.output.tree, least);
    if (cost >= least) return;
    least = cost;
    best = &other;
    best_lag_ = lag;
  };
  // The best of last time first: the others are given up early then.
  const std::size_t first = best_lag_ < known.size() ? best_lag_ : 0;
  consider(first);
  for (std::size_t lag = 0; lag < known.size(); ++lag)
    if (lag != first) consider(lag);
  const auto delta = best ? tree_delta(tree, best->output.tree) : std::nullopt;
  if (!delta) return packed_whole(tree.text);
  std::string bytes;
  append_number(bytes, based_output);
  append_number(bytes, static_cast<std::uint64_t>(id - best->id));
  append_number(bytes, tree.text.size());
  const std::uint32_t crc = crc_of(tree.text);
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(static_cast<unsigned char>(crc >> shift & 0xff));
  bytes += *delta;
  // A difference of a third is no difference: another program, say, with parts of the same names.
  if (bytes.size() > tree.text.size() / 12) {
    std::string whole = packed_whole(tree.text);
    if (whole.size() <= bytes.size()) return whole;
  }
  depth = best->output.depth + 1;
  return bytes;
}

std::int64_t OutputWriter::add(const std::string& json) {
  remember_last();
  last_.executeStep();
  const std::int64_t id = last_.getColumn(0).getInt64() + 1;
  last_.reset();
  OutputReader::Output output{json_tree(json), 0};
  const std::string content =
      output.tree.nodes.empty() ? packed_whole(json) : content_of(id, output.tree, output.depth);
  insert_.bind(1, id);
  insert_.bindNoCopy(2, content.data(), static_cast<int>(content.size()));
  insert_.exec();
  insert_.reset();
  remember(id, std::move(output));
  return id;
}

} // namespace memlane::sweep
