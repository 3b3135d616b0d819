#ifndef TPUPLAN_LAB_EXCEPTIONS_HPP
#define TPUPLAN_LAB_EXCEPTIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/json/file.hpp>
#include <vector>

/// @file
/// Published records whose memory is not compared with the estimate, each with the reason and its source.

namespace tpuplan {
inline namespace abi_0 {

/// The part of a record that is not judged: its verdict, the bytes that it printed, or everything except the state. The
/// last is for records whose bytes are those of weights and optimizer before a step.
enum class not_judged : std::uint8_t { verdict, used_bytes, all_but_state };

/// "verdict", "used_bytes" or "all_but_state".
[[nodiscard]] constexpr std::string_view name(not_judged what) noexcept {
  constexpr const char* names[] = {"verdict", "used_bytes", "all_but_state"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One record that is an exception.
struct record_exception {
  std::string id;      ///< of the record
  not_judged what{};   ///< what is not compared with the estimate
  std::string reason;  ///< why it is not
  std::string source;  ///< of the reason
};

/// The list of a document such as data/measured/exceptions.json. Throws, naming the field, for entries without an id, a
/// reason or a source, for unknown kinds, and for an id that is there twice.
[[nodiscard]] inline std::vector<record_exception> read_exceptions(const nlohmann::json& document,
                                                                   const std::string& source) {
  std::vector<record_exception> list;
  for (const json_object& entry : json_object(document, source).objects("exceptions")) {
    record_exception one{entry.string("id"), {}, entry.string("reason"), entry.string("source")};
    const std::string what = entry.string("not_judged");
    bool known_kind = false;
    for (const not_judged kind : {not_judged::verdict, not_judged::used_bytes, not_judged::all_but_state}) {
      if (what == name(kind)) one.what = kind, known_kind = true;
    }
    if (!known_kind)
      detail::fail(errc::unknown_name, entry.path("not_judged"), what, "verdict, used_bytes or all_but_state");
    for (const record_exception& other : list) {
      if (other.id == one.id) detail::fail(errc::invalid_argument, entry.path("id"), one.id, "an id that is new");
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
