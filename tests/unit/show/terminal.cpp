// A view as text: aligned, no wider than the terminal, without control characters.
#include <string>
#include <tpuplan/show/terminal.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_terminal_tests {

namespace {

view example() {
  view shown;
  shown.title = "fits\x1b[2J";
  shown.sentences = {"a sentence"};
  shown.parts = {readable::table_of("slice | >chips | ~layout | ~~>run:s"), readable::table_of("hidden", "closer")};
  shown.parts[0].rows = {
      {readable::cell("v5e-8"), readable::count_cell(8), readable::cell("fsdp 8"), readable::cell(90_s)},
      {readable::cell("v5e-256"), readable::count_cell(256)}};
  shown.parts[0].notes = {"a note"};
  shown.parts[1].rows = {{readable::cell("x")}};
  shown.parts[1].folded = true;
  shown.next = {{"train", "tpuplan train", "its time"}, {"plan", "", "unsaid"}};
  return shown;
}

}  // namespace

TEST_CASE("a view is aligned text") {
  CHECK(to_terminal(example()) ==
        "fits?[2J\n  a sentence\n\n  slice    chips  layout     run\n  v5e-8        8  fsdp 8  90.0 s\n  v5e-256    "
        "256\n\n"
        "  a note\n\n  next: tpuplan train   its time\n");
}

TEST_CASE("a narrow terminal leaves out what can be spared most, a wide one shows what is folded") {
  const std::string narrow = to_terminal(example(), {26, false, false, "with --wide also "});
  CHECK(narrow.find("run") > narrow.find("with --wide also run"));
  CHECK(narrow.find("layout") < narrow.find("with --wide also run"));
  CHECK(to_terminal(example(), {26, false, true, ""}).find("closer") != std::string::npos);
}

TEST_CASE("titles are bold where colours are shown") {
  CHECK(to_terminal(example(), {80, true, false, ""}).rfind("\x1b[1mfits?[2J\x1b[0m\n", 0) == 0);
  CHECK(to_terminal(example()).find('\x1b') == std::string::npos);
}

TEST_CASE("controls of one and of two bytes are marks, at both ends of their ranges") {
  for (const char* control : {"\x1F", "\x7F", "\xC2\x80", "\xC2\x9F"}) CHECK(printable(control) == "?");
  for (const char* stays : {" ", "~", "\xC2\xA0", "\xC3\x9F", "\xC2"}) CHECK(printable(stays) == stays);
}

TEST_CASE("characters that turn the text around them are not shown") {
  CHECK(printable("a\xE2\x80\xAE"
                  "b") == "a?b");
  CHECK(printable("a\xE2\x80\x93"
                  "b") ==
        "a\xE2\x80\x93"
        "b");
}

}  // namespace show_terminal_tests
