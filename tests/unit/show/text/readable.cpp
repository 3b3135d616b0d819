// Amounts as people read them: the worked numbers of the comments.
#include <tpuplan/show/text/readable.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_text_readable_tests {

TEST_CASE("amounts with three digits and the unit that suits them") {
  using namespace readable;
  CHECK(fixed(12.345, 1) == "12.3");
  CHECK((readable::detail::pointed("12,5") == "12.5" && readable::detail::pointed("12\xd9\xab"
                                                                                  "5") == "12.5"));  // of two bytes
  CHECK((three_digits(1.234) == "1.23" && three_digits(12.34) == "12.3" && three_digits(1234) == "1234"));
  CHECK(three_digits(0) == "0");
  CHECK(readable::text({"$", 48.2, 1, "k"}) == "$48.2k");
  CHECK((unit_for(90, time_units).name == " s" && unit_for(120, time_units).name == " min"));
  CHECK((in_units(7200, time_units).number == 2 && in_units(7200, time_units).after == " hours"));
  CHECK(readable::text(measure(bytes{16909332480.0})) == "15.7 GiB");
  CHECK((readable::text(measure(267840_s)) == "3.10 days" && readable::text(measure(3.5_ms)) == "3.50 ms"));
  CHECK(readable::text(measure(flops{2.5e15})) == "2.50 PFLOP");
  CHECK(readable::text(measure(197_TFLOP_per_s)) == "197 TFLOP/s");
  CHECK(readable::text(measure(819_GB_per_s)) == "819 GB/s");
  CHECK(readable::text(measure(flops_per_byte{240.5})) == "240 FLOP/B");
  CHECK(readable::text(measure(per_second{1.75e9})) == "1.75 G/s");
  CHECK((readable::text(measure(usd{-9.6})) == "-$9.60" && readable::text(measure(usd{48230})) == "$48.2k"));
  CHECK(readable::text(measure(usd_per_hour(1075.2))) == "$1.08k/h");
  CHECK(readable::text(measure(flops_per_usd{5.91e17})) == "591 PFLOP/$");
  CHECK(readable::text(readable::rounded_up(measure(176378.56_s))) == "2.05 days");
  CHECK(readable::text(readable::rounded_up(measure(267840_s))) == "3.10 days");
  CHECK(readable::text(readable::rounded_up(measure(usd{100410}))) == "$101k");
  CHECK(readable::text(readable::rounded_up(measure(usd{48230}))) == "$48.3k");
  CHECK(money(usd{1300000}) == "$1.30M");
  CHECK(duration(15120_s) == "4.20 hours");
  CHECK(binary_bytes(bytes{67108864}) == "64.0 MiB");
  CHECK(duration_range(1.74_s, 2.61_s) == "1.74-2.61 s");
  CHECK(used_of(12.4_GiB, 15.7_GiB) == "12.4 of 15.7 GiB");
  CHECK((count(8030261248.0) == "8.03 B" && count(4096) == "4096"));
  CHECK(percent(0.452) == "45.2 %");
}

}  // namespace show_text_readable_tests
