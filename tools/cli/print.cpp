#include "cli/print.hpp"

#if __has_include(<sys/ioctl.h>)
#include <sys/ioctl.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/show/terminal.hpp>
#include <tpuplan/version.hpp>

namespace cli {

namespace {

std::string& answer() {
  static std::string words;
  return words;
}

/// The lines as a terminal shows them.
std::string printable(std::string_view lines) {
  std::string shown;
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', from), lines.size());
    shown += tpuplan::printable(lines.substr(from, end - from));
    if (end < lines.size()) shown += '\n';
    from = end + 1;
  }
  return shown;
}

bool write_all(int file, std::string_view words) {
  while (!words.empty()) {
    const ssize_t written = ::write(file, words.data(), words.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    words.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

output_form& form() {
  static output_form chosen;
  return chosen;
}

bool coloured() {
  static const bool yes = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return yes && form().of == output_form::kind::text;
}

std::size_t columns() {
  constexpr std::size_t least = 80;
  if (const char* given = std::getenv("COLUMNS")) {
    std::size_t wide = 0;
    const std::string_view digits(given);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), wide).ec == std::errc{})
      return std::max(least, wide);
  }
#if defined(TIOCGWINSZ)
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) return std::max<std::size_t>(least, window.ws_col);
#endif
  return least;
}

void write_form(std::string_view lines) { answer() += lines; }
void write_words(std::string_view words) { write_form(printable(words)); }
void write_file(std::string_view text) { isatty(STDOUT_FILENO) == 0 ? write_form(text) : write_words(text); }

void write_picture(const std::string& svg) {
  std::ofstream file(form().picture, std::ios::binary);
  if (!(file << svg << '\n') || !file.flush())
    throw tpuplan::error{tpuplan::errc::invalid_argument, "--svg", form().picture, "a file that can be written"};
}

void print_json(const ordered_json& document) { answer() += document.dump(2) + "\n"; }

void print_line(const std::string& document) { answer() += document + "\n"; }

bool flush_answer() {
  const bool written = write_all(STDOUT_FILENO, answer());
  if (written) answer().clear();
  return written;
}

void write_error(std::string_view words) { (void)write_all(STDERR_FILENO, printable(words) + "\n"); }

std::string shell_quoted(std::string_view word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string version_line() {
  const tpuplan::price_book prices;
  std::string oldest, newest;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const std::string date(prices.row(i).date.view());
    if (oldest.empty() || date < oldest) oldest = date;
    newest = std::max(newest, date);
  }
  return fmt::format("tpuplan {}.{}.{}; built-in prices of {} to {}", TPUPLAN_VERSION_MAJOR, TPUPLAN_VERSION_MINOR,
                     TPUPLAN_VERSION_PATCH, oldest, newest);
}

}  // namespace cli
