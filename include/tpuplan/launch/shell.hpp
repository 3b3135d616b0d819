#ifndef TPUPLAN_LAUNCH_SHELL_HPP
#define TPUPLAN_LAUNCH_SHELL_HPP

#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <vector>

/// @file
/// Commands as lists of words, and the line that a POSIX shell reads as exactly those words.

namespace tpuplan {
inline namespace abi_0 {

/// A program and its arguments.
using shell_words = std::vector<std::string>;

/// One word as a shell reads it back: as it is where no character has a meaning to a shell, else in single quotes.
/// Refuses NUL. Worked: `a b` is 'a b', `$(x)` is '$(x)', `it's` is 'it'\''s'.
/// Source: POSIX.1-2017, Shell Command Language, 2.2.2 Single-Quotes.
[[nodiscard]] inline std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+";
  if (word.find('\0') != std::string_view::npos) {
    detail::fail(errc::malformed_input, "word of a command", "one with a NUL character", "text");
  }
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char character : word) {
    if (character == '\'')
      out += "'\\''";
    else
      out += character;
  }
  return out + "'";
}

/// The words as one line of a shell. Worked: {"echo", "a b"} is `echo 'a b'`.
[[nodiscard]] inline std::string shell_line(const shell_words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

/// The same with `\` and a line feed before each option. Worked: {"run", "--zone", "here"} are two lines, `run \` and
/// `--zone here`.
[[nodiscard]] inline std::string shell_lines(const shell_words& words) {
  std::string out;
  for (const std::string& word : words) {
    const bool option = word.size() > 2 && word[0] == '-' && word[1] == '-';
    if (!out.empty()) out += option ? " \\\n    " : " ";
    out += shell_quoted(word);
  }
  return out;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
