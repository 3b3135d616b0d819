// Where prices of GPUs hold. Source of the increase of A3 Ultra outside of the US: field note of 2026 in
// data/gpus.json.
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/show/text/gpus.hpp>
#include <tpuplan/show/views/pay.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace show_text_gpus_tests {

TEST_CASE("prices of GPUs are those of the US, and say so elsewhere") {
  CHECK(readable::gpu_price_words(gpu_for("H200"), "us").empty());
  CHECK(readable::gpu_price_words(gpu_for("H200"), "us-east5").empty());
  CHECK(readable::gpu_price_words(gpu_for("H200"), "europe-west4") ==
        "the price of H200 is that of the US; in Europe and Asia it costs more since 2026-05-01");
  CHECK(readable::gpu_price_words(gpu_for("H100"), "europe-west4") ==
        "the price of H100 is that of the US; none of europe-west4 is in the table");
}

TEST_CASE("a run in Europe against H200 has that remark, but not at a price of one's own") {
  pay_request asked;
  asked.slice = "v6e-8", asked.region = "europe-west4", asked.run = 2_days;
  asked.against.emplace();
  asked.against->gpu = "H200", asked.against->gpus = 8, asked.against->run = 2_days;
  const price_book book =
      price_book{}.with("v6e", "europe-west4", provisioning::on_demand, usd_per_hour(3), "2026-11-21");
  const auto is_said = [&] {
    for (const view_part& part : view_of(answer_to(asked, book)).parts) {
      for (const std::string& one : part.sentences) {
        if (says(one, "in Europe and Asia it costs more since 2026-05-01")) return true;
      }
    }
    return false;
  };
  CHECK(is_said());
  asked.against->usd_per_gpu_hour = 12;
  CHECK_FALSE(is_said());
}

}  // namespace show_text_gpus_tests
