// A chart as a part of a page.
#include <tpuplan/io/svg.hpp>
#include <tpuplan/io/svg/picture.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace io_svg_picture_tests {

TEST_CASE("a picture of a page has no style of its own", "[svg]") {
  CHECK(without_style("<svg><style>a</style>\n<g/></svg>") == "<svg><g/></svg>");
  CHECK(without_style("<svg><g/></svg>") == "<svg><g/></svg>");
  const pareto_chart chart{"t", {{"a", 1_h, usd{100}}}};
  const picture made = picture_of("front", chart);
  CHECK(made.svg == without_style(to_svg(chart)));
  CHECK(made.svg != to_svg(chart));
  CHECK(made.title == "t");
}

}  // namespace io_svg_picture_tests
