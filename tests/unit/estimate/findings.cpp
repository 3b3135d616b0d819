// The list of findings that both kinds of advice share.
#include <array>
#include <tpuplan/estimate/findings.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace estimate_findings_tests {

namespace {

enum class waste { batch, heads, remat };

struct one_finding {
  waste kind = waste::batch;
  text<40> subject{};
  double gain = 0;
};

struct three_findings {
  std::array<one_finding, 3> items{};
  std::size_t count = 0;
  const one_finding* begin() const { return items.data(); }
  const one_finding* end() const { return items.data() + count; }
};

constexpr one_finding gaining(waste what, double gain) {
  one_finding result = detail::finding_of<one_finding>(what, "a field");
  result.gain = gain;
  return result;
}

}  // namespace

TEST_CASE("findings stand in the order of their gains, the smallest gives way") {
  three_findings all;
  CHECK_FALSE(find_finding(all, waste::batch).has_value());
  detail::add(all, gaining(waste::batch, 0));
  detail::add(all, gaining(waste::batch, -0.1));
  CHECK(all.count == 0);  // no gain, no finding
  detail::add(all, gaining(waste::batch, 0.1));
  detail::add(all, gaining(waste::heads, 0.3));
  detail::add(all, gaining(waste::batch, 0.2));
  REQUIRE(all.count == 3);
  CHECK(all.items[0].gain == 0.3);
  CHECK(find_finding(all, waste::batch)->gain == 0.2);  // the larger one of its kind
  detail::add(all, gaining(waste::remat, 0.1));         // as small as the last: it came later
  CHECK_FALSE(find_finding(all, waste::remat).has_value());
  detail::add(all, gaining(waste::remat, 0.15));
  CHECK(all.count == 3);
  CHECK(all.items[2].gain == 0.15);
  CHECK(all.items[2].subject == "a field");
}

TEST_CASE("a change is advised where it gains enough and fits as surely as what it changes") {
  STATIC_REQUIRE(detail::gains_more(gaining(waste::batch, 0.1), 0.2, 0.01));
  STATIC_REQUIRE_FALSE(detail::gains_more(gaining(waste::batch, 0.2), 0.2, 0.01));
  STATIC_REQUIRE_FALSE(detail::gains_more(gaining(waste::batch, 0), 0.005, 0.01));
  STATIC_REQUIRE(detail::fits_as_surely(verdict::yes, verdict::uncertain));
  STATIC_REQUIRE(detail::fits_as_surely(verdict::uncertain, verdict::uncertain));
  STATIC_REQUIRE_FALSE(detail::fits_as_surely(verdict::uncertain, verdict::yes));
  STATIC_REQUIRE_FALSE(detail::fits_as_surely(verdict::no, verdict::no));
  STATIC_REQUIRE(detail::words_of(4096) == "4096");
}

}  // namespace estimate_findings_tests
