#include "cli/print.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace cli {

namespace {

bool coloured() {
  static const bool yes = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return yes;
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3 + (number < 0 ? 1U : 0U);) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string bold(std::string_view words) {
  return coloured() ? fmt::format("\x1b[1m{}\x1b[0m", words) : std::string(words);
}
std::string dim(std::string_view words) {
  return coloured() ? fmt::format("\x1b[2m{}\x1b[0m", words) : std::string(words);
}

void print_json(const ordered_json& document) { fmt::print("{}\n", document.dump(2)); }

}  // namespace cli
