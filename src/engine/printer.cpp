#include "printer.hpp"

namespace memlane {

void Printer::print(Lanes& lanes, const std::function<std::string(int lane)>& where) {
  if (!show_ || lines_ > most_printed_lines) return;
  const ir::Instruction& in = lanes.instruction();
  const std::string& text = program_.messages[static_cast<std::size_t>(in.immediate)];
  const bool ends = in.a < 0; // its text ends with '\n'
  open_.resize(static_cast<std::size_t>(lanes.lanes()));
  for (int lane = 0; lane < lanes.lanes(); ++lane) {
    if (!lanes.is_active(lane)) continue;
    std::string& line = open_[static_cast<std::size_t>(lane)];
    line.append(text, 0, text.size() - (ends ? 1 : 0));
    if (!ends) line += to_string(in.type, lanes.row(in.a)[lane]);
    if (!ends) continue;
    if (lines_ < most_printed_lines) show_(lines_, where(lane) + line);
    if (lines_ == most_printed_lines)
      show_(lines_, "more lines than " + std::to_string(most_printed_lines) +
                        " are printed: the others are not shown");
    ++lines_;
    line.clear();
    if (lines_ > most_printed_lines) break;
  }
}

} // namespace memlane
