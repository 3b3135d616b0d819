// Lost slices in words, grouped by reason.
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/show/text/lost.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_text_lost_tests {

namespace {

rejected_slice lost_by(rejection why, double amount, const char* slice_name) {
  rejected_slice lost;
  lost.where = slice_for(slice_name);
  lost.why = why;
  lost.amount = amount;
  return lost;
}

}  // namespace

TEST_CASE("one thing is not several") {
  CHECK(readable::amount(lost_by(rejection::over_quota, 1, "v6e-1")) == "1 chip over on v6e-1");
  CHECK(readable::amount(lost_by(rejection::over_quota, 8, "v6e-8")) == "8 chips over on v6e-8");
  CHECK(readable::amount(lost_by(rejection::no_layout, 1, "v6e-1")) == "1 device in v6e-1");
}

TEST_CASE("lost slices are grouped by reason, each with the closest") {
  const rejected_slice five = lost_by(rejection::misses_deadline, 5 * 3600, "v4-256");
  const rejected_slice three = lost_by(rejection::misses_deadline, 3 * 3600, "v4-512");
  const rejected_slice small = lost_by(rejection::does_not_fit, 7.73 * 1073741824, "v2-8");
  const auto groups = readable::by_reason(std::vector<rejected_slice>{five, three, small});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].why == rejection::does_not_fit);
  CHECK(groups[1].count == 2);
  const rejected_slice same = lost_by(rejection::misses_deadline, 3 * 3600 * (1 - 1e-12), "v4-1024");
  CHECK(name(readable::by_reason(std::vector<rejected_slice>{three, same})[0].closest.where) == name(three.where));
  CHECK(name(groups[1].closest.where) == "v4-512");
  CHECK(readable::amount(small) == "7.73 GiB short on v2-8");
  CHECK(readable::amount(three) == "3.00 hours too long on v4-512");
  rejected_slice more = lost_by(rejection::dominated, 4200, "v6e-64");
  more.by = "v6e-32";
  CHECK(readable::amount(more) == "v6e-64 costs $4.20k more than v6e-32");
  CHECK(readable::reason(rejection::fit_uncertain) == "may not fit");
  CHECK(readable::whole_bytes(798055.56, true) == 798056);
  CHECK(readable::whole_bytes(798055.56, false) == 798055.56);
}

}  // namespace show_text_lost_tests
