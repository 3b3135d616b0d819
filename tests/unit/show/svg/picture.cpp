// A chart as a part of a page.
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/svg/picture.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_svg_picture_tests {

TEST_CASE("a picture of a page has no style of its own", "[svg]") {
  CHECK(without_style("<svg><style>a</style>\n<g/></svg>") == "<svg><g/></svg>");
  CHECK(without_style("<svg><g/></svg>") == "<svg><g/></svg>");
  const pareto_chart chart{"t", {{"a", 1_h, usd{100}}}};
  const picture made = picture_of("front", chart);
  CHECK(made.svg == without_style(to_svg(chart)));
  CHECK(made.svg != to_svg(chart));
  CHECK(made.title == "t");
}

}  // namespace show_svg_picture_tests
