// The keys of a launch of an executable in a line of measurements.
#include "measured_line.hpp"

#include <algorithm>
#include <string_view>

namespace memlane::measure {

ExecutableLaunch& launch_of(MeasuredPoint& point) {
  return point.launch ? *point.launch : point.launch.emplace();
}

namespace {

template <class V, class Launch>
RecordKey<MeasuredPoint> launch_key(std::string_view name, std::string_view meaning, Kind<V> kind,
                                    V Launch::*member) {
  return {name, meaning, kind.schema,
          [kind, member](const JsonPlace& place, MeasuredPoint& point) {
            kind.read(place, launch_of(point).*member);
          },
          required};
}

Kind<std::array<std::int64_t, 3>> extent() {
  const auto list = kinds::list(kinds::whole(1, INT32_MAX));
  schema::Json schema = list.schema;
  schema["minItems"] = schema["maxItems"] = 3;
  return {schema, [list](const JsonPlace& place, std::array<std::int64_t, 3>& into) {
            std::vector<std::int64_t> numbers;
            list.read(place, numbers);
            if (place.value.kind == JsonKind::array &&
                place.require(numbers.size() == into.size(), "three numbers"))
              std::copy(numbers.begin(), numbers.end(), into.begin());
          }};
}

} // namespace

std::vector<RecordKey<MeasuredPoint>> launch_keys() {
  using L = ExecutableLaunch;
  return {launch_key("arguments", "of the program", kinds::list(kinds::string()), &L::arguments),
          launch_key("program_launches",
                     "how many the program made; the number of this one is the parameter launch",
                     kinds::whole(1), &L::of),
          launch_key("kernel", "its name in PTX", kinds::text(), &L::symbol),
          launch_key("grid", "blocks", extent(), &L::grid),
          launch_key("block", "threads of a block", extent(), &L::block),
          launch_key("dynamic_shared", "shared memory that the launch adds to the kernel's (bytes)",
                     kinds::whole(0), &L::dynamic_shared)};
}

} // namespace memlane::measure
