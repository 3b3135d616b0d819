#ifndef TPUPLAN_READ_RUNS_WORDS_HPP
#define TPUPLAN_READ_RUNS_WORDS_HPP

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/json/file.hpp>

/// @file
/// Reading words in records that were written for people.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline std::string lower(std::string_view words) {
  std::string result(words);
  std::transform(result.begin(), result.end(), result.begin(), to_lower);
  return result;
}

/// The number behind a label such as "tp" in "TP8 x FSDP16"; 0 where the label or the number is missing. A label at the
/// end of a longer word is not matched.
inline std::int64_t number_behind(const std::string& words, std::string_view label) {
  for (std::size_t at = words.find(label); at != std::string::npos; at = words.find(label, at + 1)) {
    const bool starts = at == 0 || std::isalnum(static_cast<unsigned char>(words[at - 1])) == 0;
    std::size_t digit = at + label.size();
    while (digit < words.size() && words[digit] == ' ') ++digit;
    std::size_t end = digit;
    while (end < words.size() && std::isdigit(static_cast<unsigned char>(words[end])) != 0) ++end;
    if (starts && end > digit && end - digit < 9)
      return parse_count(std::string_view{words}.substr(digit, end - digit));
  }
  return 0;
}

inline std::string text_of(const json_object& record, std::string_view key) {
  return record.has(key) ? record.string(key) : std::string{};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
