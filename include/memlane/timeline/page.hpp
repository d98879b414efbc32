// Timelines that a reader plays, and pictures of memory, in a page of their own or among others.
#pragma once

#include "memlane/support/limits.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memlane {

/// A page with timelines or pictures has this once, in its head: the style of all of them.
std::string timeline_style_element();
/// A timeline (an object of timeline_json) where the page shows it. `id` is unique in the page and
/// has letters, digits and `-`. Without scripts, the page shows `text`, such as a text chart. All
/// texts are plain texts.
std::string timeline_element(std::string_view id, const nlohmann::ordered_json& timeline,
                             std::string_view text, Watch* watch = nullptr);
/// A picture of the memory that a timeline's request with the most stages accesses: of `line`, if a
/// request is of it, else of all. Otherwise as timeline_element.
std::string memory_element(std::string_view id, const nlohmann::ordered_json& timeline,
                           std::string_view text, Watch* watch = nullptr,
                           std::optional<std::int32_t> line = {});
/// A page with either has this once, behind the last of them: it shows them.
std::string timeline_script_element();

/// A page with one timeline. It is self-contained and requires nothing from a network.
struct TimelinePage {
  std::string title;
  std::string command; ///< the command that makes the page again
  std::string text;    ///< shown without scripts
};
/// If `watch` is stopped on the way, the page is incomplete.
std::string timeline_page(const TimelinePage& page, const nlohmann::ordered_json& timeline,
                          Watch* watch = nullptr);

} // namespace memlane
