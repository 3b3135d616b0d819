#ifndef TPUPLAN_TESTS_SUPPORT_ASK_HPP
#define TPUPLAN_TESTS_SUPPORT_ASK_HPP

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "capi/tpuplan.h"

/// What tpuplan/ask.hpp answers, from the library in C: the tests ask thousands of questions, and so the header is
/// compiled once, optimised. A source that includes the header as well calls `ask` of two kinds, and does not compile.

namespace ask_detail {
struct freed {
  void operator()(char* text) const { tpuplan_free(text); }
};
inline nlohmann::ordered_json parsed(char* text) {
  const std::unique_ptr<char, freed> kept(text);
  return nlohmann::ordered_json::parse(kept.get());
}
}  // namespace ask_detail

/// The answer to a question that is text, whatever it is.
inline nlohmann::ordered_json ask(std::string_view question) {
  return ask_detail::parsed(tpuplan_ask(question.data(), question.size()));
}
/// The answer to a question.
inline nlohmann::ordered_json ask(const nlohmann::json& question) { return ask(std::string_view(question.dump())); }
inline nlohmann::ordered_json ask_schema() { return ask_detail::parsed(tpuplan_schema()); }

#endif
