#include "point_writer.hpp"

#include "memlane/report/stored_result.hpp"

namespace memlane::cli {

std::vector<Option> point_store_options() {
  return {{"store", 0, "FILE", false, "write every run into a store of results, as sweep does"}};
}

Result<PointWriter> PointWriter::open(const std::string& path, const std::string& name) {
  Result<sweep::Store> store = sweep::Store::open(path, stored_columns());
  if (!store) return store.errors();
  return PointWriter(std::move(*store), name);
}

void PointWriter::add(const sweep::Point& point, const std::string& machine_path,
                      const sweep::PointResult& result, const std::string& command,
                      const Sources& sources) {
  if (!errors_.ok() || !result.code) return;
  const sweep::EndedPoint ended = stored_point(point, machine_path, result, command, sources);
  sweep::StoredPoint stored = ended.stored;
  const auto parameters = sweep::parameter_texts(sweep::parameters_of(*result.code));
  stored.key_parts = sweep::key_parts_of(point, parameters);
  stored.key = sweep::key_of(stored.key_parts);
  stored.sweep = name_;
  errors_.check(store_.add(stored, ended.status, ended.check_failed, ended.limit));
}

} // namespace memlane::cli
