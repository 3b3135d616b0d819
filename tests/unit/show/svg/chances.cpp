// Pictures of chances of very small amounts.
#include <string>
#include <tpuplan/show/svg/chances.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_show_svg_chances_tests {

TEST_CASE("a median that is next to nothing has a picture", "[svg][door]") {
  chance_chart chart;
  for (const double middle : {5e-324, 1e-310, 1e-101, 1e-99}) {
    chart.values = {middle, middle, 1};
    const std::string picture = to_svg(chart);
    CHECK(says(picture, "</svg>"));
    CHECK(picture.size() < 20000);
  }
}

}  // namespace unit_show_svg_chances_tests
