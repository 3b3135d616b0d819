// The question about ways of paying, at prices of the caller's own.
#include <tpuplan/io/ask/payment.hpp>
#include <utility>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_ask_payment_tests {

TEST_CASE("a run at a price of one's own") {
  pay_request asked;
  asked.slice = "v5e-32";
  asked.slices = 2;
  asked.run = 10_days;
  const price_book book = price_book{}.with("v5e", "us", provisioning::on_demand, usd_per_hour(1), "2026-11-21");
  for (const auto& [prices, total] : {std::pair{book, 15360.0}, {price_book{}, 18432.0}}) {
    bool is_there = false;
    for (const paid_run& way : answer_to(asked, prices).ways) {
      if (way.kind != provisioning::on_demand) continue;
      is_there = true;
      CHECK(close(way.total.value(), total));
    }
    CHECK(is_there);
  }
}

}  // namespace io_ask_payment_tests
