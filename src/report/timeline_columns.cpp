// What a time chart has much of, by columns.
#include "timeline_json.hpp"
#include "timeline_lanes.hpp"

#include <functional>

namespace memlane {
namespace {

using schema::Json;
using S = ShownTimeline;

/// A list with the member's value for each of `all`.
template <class List, class Get>
auto column_of(List list, Get get) {
  return [list, get](const S& shown) {
    auto out = Json::array();
    for (const auto& entry : std::invoke(list, shown.timeline())) {
      if (!shown.goes_on()) break;
      if constexpr (std::is_invocable_v<Get, const S&, decltype(entry)>) {
        out.push_back(get(shown, entry));
      } else {
        out.push_back(schema::json_of_value(std::invoke(get, entry)));
      }
    }
    return out;
  };
}

/// The columns of a table with one row for each of `list`.
template <class Entry>
class ColumnsOf {
public:
  using Members = schema::Table<S>::Members;
  explicit ColumnsOf(std::vector<Entry> Timeline::*list) : list_(list) {}

  template <class Get>
  ColumnsOf& add(const char* name, Json schema, Get get) {
    members_.push_back({name,
                        schema::list(schema, schema["description"].template get<std::string>()),
                        column_of(list_, get)});
    return *this;
  }
  template <class V>
  ColumnsOf& add(const char* name, const char* meaning, V Entry::*member) {
    return add(name, schema::schema_of_type<V>(meaning), member);
  }
  /// Launch, block and warp.
  ColumnsOf& of_warp() { return of_block().add("warp", "its number in the block", &Entry::warp); }
  ColumnsOf& of_block() {
    return add("launch", "its number in the run", &Entry::launch)
        .add("block", "its number in the launch", &Entry::block);
  }
  schema::Table<S> table() const { return {members_}; }

private:
  std::vector<Entry> Timeline::*list_;
  Members members_;
};

} // namespace

const TimelineColumns& request_columns() {
  using R = Timeline::Request;
  const auto place = [](const char* meaning) { return schema::or_null(schema::count(meaning)); };
  static const TimelineColumns table =
      ColumnsOf<R>(&Timeline::requests)
          .of_warp()
          .add("multiprocessor", "that runs the block", &R::multiprocessor)
          .add("unit", "index into units", &R::unit)
          .add("write", "whether it writes; else it reads", &R::write)
          .add("source", place("index into sources; null: unknown"),
               [](const S& s, const R& r) { return s.source(r.span); })
          .add("line", place("of the source, from 1"),
               [](const S& s, const R& r) { return s.line(r.span); })
          .add("column", place("of the line, from 1"),
               [](const S& s, const R& r) { return s.column(r.span); })
          .add("array", "index into arrays", &R::array)
          .add("issued", "when the warp began to wait for the port", &R::issued)
          .add("dispatched", "the time unit in which its first stage enters", &R::dispatched)
          .add("port", "through which it enters; the next stage takes the next one", &R::port)
          .add("last", "the time unit in which its last stage enters", &R::last)
          .add("stages", "pipeline stages that it takes", &R::stages)
          .add("completed", "when the warp goes on: last and the unit's latency", &R::completed)
          .add("addresses", lanes_schema("words of the unit's memory"),
               [](const S&, const R& r) { return lanes_json(r.addresses); })
          .add("values", lanes_schema("read or written"),
               [](const S& s, const R& r) {
                 if (!r.array) return Json(nullptr);
                 const auto& array = s.timeline().arrays[static_cast<std::size_t>(*r.array)];
                 return lanes_json(array.type, r.values, r.addresses);
               })
          .table();
  return table;
}

const TimelineColumns& waiting_columns() {
  using W = Timeline::Waiting;
  static const TimelineColumns table =
      ColumnsOf<W>(&Timeline::waiting)
          .of_warp()
          .add("unit", "index into units", &W::unit)
          .add("source", schema::or_null(schema::count("index into sources; null: unknown")),
               [](const S& s, const W& w) { return s.source(w.span); })
          .add("line", schema::or_null(schema::count("of the source, from 1")),
               [](const S& s, const W& w) { return s.line(w.span); })
          .add("issued", "when the warp began to wait for the port", &W::issued)
          .table();
  return table;
}

const TimelineColumns& barrier_columns() {
  using B = Timeline::Barrier;
  static const TimelineColumns table =
      ColumnsOf<B>(&Timeline::barriers)
          .of_warp()
          .add("arrived", "when the warp began to wait", &B::arrived)
          .add("released", "when it went on; null: behind the window", &B::released)
          .table();
  return table;
}

const TimelineColumns& compute_columns() {
  using C = Timeline::Compute;
  static const TimelineColumns table = ColumnsOf<C>(&Timeline::computes)
                                           .of_warp()
                                           .add("from", "when it begins", &C::from)
                                           .add("to", "when it is over", &C::to)
                                           .table();
  return table;
}

const TimelineColumns& done_columns() {
  using D = Timeline::Done;
  static const TimelineColumns table =
      ColumnsOf<D>(&Timeline::done)
          .of_warp()
          .add("from", "when its instructions were over; it lasts until its block ends", &D::from)
          .table();
  return table;
}

const TimelineColumns& block_columns() {
  using B = Timeline::Block;
  static const TimelineColumns table =
      ColumnsOf<B>(&Timeline::blocks)
          .of_block()
          .add("multiprocessor", "that runs it", &B::multiprocessor)
          .add("slot", "its place on the multiprocessor", &B::slot)
          .add("from", "when it starts", &B::from)
          .add("to", "when it ends; null: behind the window", &B::to)
          .table();
  return table;
}

const TimelineColumns& register_columns() {
  using R = Timeline::RegisterChange;
  static const TimelineColumns table =
      ColumnsOf<R>(&Timeline::registers)
          .of_warp()
          .add("time", "of the change", &R::time)
          .add("name", "index into names", &R::name)
          .add("values", lanes_schema("of the warp's threads from then on"),
               [](const S&, const R& r) { return lanes_json(r.type, r.values, {}); })
          .table();
  return table;
}

const TimelineColumns& host_columns() {
  using H = Timeline::HostWrite;
  static const TimelineColumns table =
      ColumnsOf<H>(&Timeline::host_writes)
          .add("time", "between two launches", &H::time)
          .add("array", "index into arrays", &H::array)
          .add("word", "of the array, from 0", &H::word)
          .add("value", value_schema("written"),
               [](const S& s, const H& h) {
                 const auto& array = s.timeline().arrays[static_cast<std::size_t>(h.array)];
                 return value_json(array.type, h.value);
               })
          .table();
  return table;
}

} // namespace memlane
