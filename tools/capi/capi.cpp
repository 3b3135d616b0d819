// The C function: ask.hpp without exceptions across it.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <tpuplan/ask.hpp>
#include <tpuplan/version.hpp>

#include "capi/tpuplan.h"

#define TPUPLAN_TEXT_OF(number) #number
#define TPUPLAN_TEXT(macro) TPUPLAN_TEXT_OF(macro)

namespace {

/// A copy that C can free; null where memory ends.
char* copy_of(const std::string& words) noexcept {
  char* const copy = static_cast<char*>(std::malloc(words.size() + 1));
  if (copy != nullptr) std::memcpy(copy, words.c_str(), words.size() + 1);
  return copy;
}

template <class Make>
char* made(const Make& make) noexcept {
  try {
    return copy_of(make());
  } catch (const std::exception&) {  // `ask` itself throws for want of memory alone
    return nullptr;
  }
}

}  // namespace

char* tpuplan_ask(const char* question, size_t size) {
  return made(
      [&] { return tpuplan::ask(question == nullptr ? std::string_view() : std::string_view(question, size)); });
}

char* tpuplan_schema(void) {
  return made([] { return tpuplan::ask_schema().dump(); });
}

void tpuplan_free(char* answer) { std::free(answer); }

const char* tpuplan_version(void) {
  return TPUPLAN_TEXT(TPUPLAN_VERSION_MAJOR) "." TPUPLAN_TEXT(TPUPLAN_VERSION_MINOR) "." TPUPLAN_TEXT(
      TPUPLAN_VERSION_PATCH);
}
