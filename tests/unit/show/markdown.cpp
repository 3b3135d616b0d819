// A view as text with tables of Markdown.
#include <string>
#include <tpuplan/show/markdown.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_markdown_tests {

TEST_CASE("tables are Markdown") {
  view shown;
  shown.title = "title";
  shown.parts = {readable::table_of("slice | >run:s")};
  shown.parts[0].rows = {{readable::cell("a|b"), readable::cell(90_s)}};
  shown.parts[0].notes = {"a note"};
  CHECK(to_markdown(shown) == "title\n\n| slice | run |\n|---|---:|\n| a\\|b | 90.0 s |\n\n  a note\n");
  CHECK(to_markdown(view{"title", {}, {}, {}, {}, {}}) == "title\n");
}

}  // namespace show_markdown_tests
