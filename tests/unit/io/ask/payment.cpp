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

TEST_CASE("where spot begins to pay, and flex-start of a TPU against that of a GPU") {
  pay_request asked;
  asked.slice = "v5e-32";
  asked.run = 5_days;
  gpu_job gpu;
  gpu.gpu = "H100";
  gpu.gpus = 8;
  gpu.run = 5_days;
  asked.against = gpu;
  const pay_answer answer = answer_to(asked, price_book{});
  const paid_run* on_demand = detail::way_of(answer.ways, provisioning::on_demand);
  const paid_run* spot = detail::way_of(answer.ways, provisioning::spot);
  const paid_run* flex = detail::way_of(answer.ways, provisioning::flex_start);
  REQUIRE(on_demand != nullptr);
  REQUIRE(spot != nullptr);
  REQUIRE(flex != nullptr);
  CHECK(detail::break_even_of(answer.ways, 1, {}).spot_mtbp_against_on_demand.has_value());
  REQUIRE(answer.against_gpu.has_value());
  const gpu_offer h100 = gpu_for("H100");
  REQUIRE(h100.flex_start.has_value());
  REQUIRE(answer.against_gpu->saving_on_flex_start.has_value());
  const double hours = 5 * 24;
  CHECK(close(*answer.against_gpu->saving_on_flex_start,
              1 - flex->total.value() / (8 * hours * in_usd_per_hour(h100.flex_start.value("flex_start")))));
}

}  // namespace io_ask_payment_tests
