#ifndef TPUPLAN_CLI_PRINT_HPP
#define TPUPLAN_CLI_PRINT_HPP

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/io/text/readable.hpp>
#include <utility>

// What the program writes: numbers for people, words in bold, documents for programs.
namespace cli {

using ordered_json = nlohmann::ordered_json;
using tpuplan::readable::binary_bytes;
using tpuplan::readable::count;
using tpuplan::readable::duration;
using tpuplan::readable::duration_range;
using tpuplan::readable::money;
using tpuplan::readable::percent;
using tpuplan::readable::used_of;

/// A count with its digits grouped: "8,030,261,248".
std::string grouped(std::int64_t number);

/// Colour and weight on a terminal, plain text elsewhere (and where NO_COLOR is set).
std::string bold(std::string_view words);
std::string dim(std::string_view words);
/// A first line, in bold.
template <class... Args>
void print_title(fmt::format_string<Args...> words, Args&&... args) {
  fmt::print("{}\n", bold(fmt::format(words, std::forward<Args>(args)...)));
}
/// The last line of an answer: what to ask next.
template <class... Args>
void print_next(fmt::format_string<Args...> words, Args&&... args) {
  fmt::print("\n  {}\n", dim("next: " + fmt::format(words, std::forward<Args>(args)...)));
}
/// One document on standard output.
void print_json(const ordered_json& document);

/// The value of an optional figure, or null.
template <class Optional>
ordered_json or_null(const Optional& figure) {
  return figure ? ordered_json(*figure) : ordered_json(nullptr);
}

}  // namespace cli

#endif
