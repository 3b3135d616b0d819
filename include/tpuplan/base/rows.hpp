#ifndef TPUPLAN_BASE_ROWS_HPP
#define TPUPLAN_BASE_ROWS_HPP

#include <cstddef>
#include <string_view>
#include <tpuplan/base/text.hpp>

/// @file
/// Tables with a row for each value of a kind, such as an engine or an optimizer, and the lists of words in them.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether a text of a row says nothing. Rows have plain characters: a constant expression that measures a
/// std::string_view goes through it letter by letter, which compilers are slow at.
constexpr bool is_empty(const char* characters) noexcept { return *characters == '\0'; }

/// Takes the first of words with spaces between them off the list; empty where none is left.
constexpr std::string_view take_word(std::string_view& list) noexcept {
  while (!list.empty() && list.front() == ' ') list.remove_prefix(1);
  std::size_t length = 0;
  while (length < list.size() && list[length] != ' ') ++length;
  const std::string_view first = list.substr(0, length);
  list.remove_prefix(length);
  return first;
}

/// Whether the word is one of a list with spaces between them, letter case ignored.
constexpr bool is_listed(std::string_view list, std::string_view word) noexcept {
  for (std::string_view one = take_word(list); !one.empty(); one = take_word(list)) {
    if (same_name(one, word)) return true;
  }
  return false;
}

/// The row of an enumerator in a table that has one for each, in their order; the first row for a value without one.
template <class Row, std::size_t Count, class Enumeration>
constexpr const Row& row_at(const Row (&rows)[Count], Enumeration of) noexcept {
  const auto place = static_cast<std::size_t>(of);
  return rows[place < Count ? place : 0];
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
