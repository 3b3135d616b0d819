// The regions and prices that a question means.
#include <tpuplan/ask/regions.hpp>
#include <tpuplan/ask/subject.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_regions_tests {

TEST_CASE("prices of a question, and their regions") {
  CHECK(prices_of(nullptr).book().size() == price_book{}.size());
  CHECK_FALSE(refusal_of([] { expect_region(price_book{}, "us"); }).refused);
  CHECK(says(refusal_of([] { expect_region(price_book{}, "mars"); }).message, "region is mars; valid: us"));
}

TEST_CASE("the region of the first row of a book is known") {
  price_row row;
  row.generation = "v5e";
  row.region = "mars";
  const price_book book(&row, 1);
  CHECK_FALSE(refusal_of([&] { expect_region(book, "mars"); }).refused);
  CHECK(says(refusal_of([&] { expect_region(book, "venus"); }).message, "region is venus; valid: mars"));
}

TEST_CASE("regions by area") {
  CHECK(is_in_area("europe-west4", "europe"));
  CHECK(is_in_area("us", "us"));
  CHECK(is_in_area("us-east5", "all"));
  CHECK_FALSE(is_in_area("us-east5", "us"));       // the region of prices for all of the US
  CHECK_FALSE(is_in_area("europe-west4", "eur"));  // whole words
  CHECK_FALSE(is_in_area("us-east5", "us-east"));
  CHECK_FALSE(is_in_area("us-east5-b", "us-east5"));
  CHECK_FALSE(is_in_area("europe", "europe-west4"));
  price_row rows[3];
  rows[0].region = "europe-west4", rows[1].region = "us", rows[2].region = "europe-north1";
  const price_book book(rows, 3);
  using list = std::vector<std::string>;
  CHECK(all_regions(book) == list{"europe-west4", "us", "europe-north1"});
  CHECK(regions_named(book, {"us", "europe"}) == list{"us", "europe-west4", "europe-north1"});
  CHECK(regions_named(book, {"europe-north1", "europe"}) == list{"europe-north1", "europe-west4"});
  CHECK(regions_named(book, {"all"}) == all_regions(book));
  CHECK(says(refusal_of([&] {
               (void)regions_named(book, {"us", "asia"});
             }).message,
             "region is asia; valid: areas all, europe; regions "));
}

TEST_CASE("which regions have a price of a slice") {
  CHECK(regions_with_price({}, slice_for("v4-128")) == "us, us-central2");
  const price_book book = price_book{}.with("v4", "us-east5", provisioning::spot, usd_per_hour(1), "2026-11-21");
  CHECK(says(regions_with_price(book, slice_for("v4-128")), "us-east5"));
  slice own = slice_for("v6e-8");
  own.chip.name = "mine";
  CHECK(regions_with_price({}, own) == "none");
}

}  // namespace ask_regions_tests
