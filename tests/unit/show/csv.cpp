// The first table of a view as csv.
#include <string>
#include <tpuplan/show/csv.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_csv_tests {

TEST_CASE("csv has keys with units, exact numbers, and ranges in two columns") {
  view shown;
  shown.parts = {{}, readable::table_of("slice | >run:s | >between:usd"), readable::table_of("second")};
  shown.parts[1].rows = {{readable::cell("v5e-8"), readable::cell(90_s), readable::range_cell(usd{1}, usd{2.5})},
                         {readable::cell("=1+1, \"x\""), readable::cell("none")}};
  shown.parts[2].rows = {{readable::cell("left out")}};
  CHECK(to_csv(shown) == "slice,run_s,between_low_usd,between_high_usd\nv5e-8,90,1,2.5\n\"'=1+1, \"\"x\"\"\",none,,\n");
  CHECK(to_csv(view{}).empty());
}

TEST_CASE("names carry no controls and no change of direction into csv") {
  view shown;
  shown.parts = {readable::table_of("name")};
  shown.parts[0].rows = {{readable::cell("a\x07"
                                         "b\xE2\x80\xAE"
                                         "c")},
                         {readable::cell("-5")},
                         {readable::cell("-")}};
  CHECK(to_csv(shown) == "name\na?b?c\n-5\n'-\n");
  // The borders of what turns: U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F.
  for (const char* turns :
       {"\xE2\x80\x8B", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xAE", "\xE2\x81\xA0", "\xE2\x81\xAF", "\x1F", "\x7F"})
    CHECK(detail::without_controls(turns) == "?");
  for (const char* stays :
       {"\xE2\x80\x8A", "\xE2\x80\x90", "\xE2\x80\xA7", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE2\x81\xB0", " ", "~"})
    CHECK(detail::without_controls(stays) == stays);
}

}  // namespace show_csv_tests
