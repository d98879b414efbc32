// Figure files, read and judged over a small store.
#pragma once

#include "store/store_fixture.hpp"

#include "memlane/study/figures/result.hpp"

namespace memlane::figure_test {

using sweep::Cell;

/// A figure of one sweep over sum, with these further members.
inline std::string figure_text(const std::string& more, const std::string& checks = "[]") {
  return R"({
  "title": "A title",
  "source": "A paper",
  "measured": ["first", "second"],
  "sweeps": {
    "sums": {
      "programs": ["sum"],
      "machines": ["umm-w32"],
      "axes": { "n": [64, 128], "p": [32] },
      "quick": { "axes": { "n": [8] } },
      "continue": { "along": "n", "axes": { "n": [256] }, "counts": { "time": "time = O" } }
    }
  },
  "checks": )" +
         checks + more + "\n}\n";
}

struct FigureFile {
  Sources sources;
  Result<FigureSpec> spec = Diagnostics();

  explicit FigureFile(const std::string& text, bool quick = false) {
    spec = read_figure(sources, sources.add("f.json", text), "f", quick);
  }
  /// All errors as users see them; empty where there are none.
  std::string errors() const { return spec ? "" : render(spec.errors(), sources); }
};

inline std::vector<std::string> values_of(const sweep::SweepSpec& sweep, const std::string& name) {
  std::vector<std::string> values;
  for (const auto& group : sweep.axes)
    for (const sweep::SweepAxis& axis : group)
      for (std::int64_t i = 0; axis.name == name && i < axis.size; ++i)
        values.push_back(axis.value(i));
  return values;
}

using Texts = std::vector<std::string>;

/// A store of three sums and a figure's verdicts over them; the table is `sums`.
struct Judged {
  store_test::StoreFolder folder;
  FigureFile file;
  FigureResult result;
  Status status = Done{};

  explicit Judged(const std::string& text, bool quick = false) : file(text, quick) {
    if (!file.spec) FAIL(file.errors());
    const std::string path = folder.file("a.db");
    sweep::PointTable table{"sums", {}, {}};
    {
      sweep::Store store = store_test::open_store(path);
      for (const std::int64_t n : {64, 128, 2048}) {
        const auto point = store_test::test_point("sum", {{"n", Cell(n)}}, 3 * n);
        store_test::add(store, point);
        table.keys.push_back(point.key);
      }
    }
    table.added = {{table.keys[2], {{"n", std::int64_t{4096}}, {"time", 12345.6}}}};
    sweep::StoreReader reader = store_test::open_reader(path);
    if (const Status made = reader.add_table(table); !made) FAIL(made.errors().front().message);
    result.spec = *file.spec;
    status = judge_figure(
        result, [&](const std::string& sql) { return reader.select(sql); },
        [&](const std::string& key) {
          return key == table.keys[0] ? PointText{"sum, n=64", "memlane run sum"} : PointText{};
        });
  }
  std::string errors() const { return status ? "" : render(status.errors(), file.sources); }
};

inline Judged judged_check(const std::string& check, bool quick = false) {
  return Judged(figure_text("", "[" + check + "]"), quick);
}

} // namespace memlane::figure_test
