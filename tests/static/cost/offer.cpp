// The worked numbers in the comments of cost/offer.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <type_traits>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_offer_tests {

namespace {

static_assert(near_relative(cost_of_work({38.40_usd_per_h, 10000_Hz}, 1e6).value(), 1.06666667, 1e-8));
constexpr offer_comparison peaks = compare_offers({1.20_usd_per_h, 197_Hz}, {3.6734_usd_per_h, 312_Hz});
static_assert(near_relative(peaks.saving_fraction, 0.4826298214) &&
              near_relative(in_usd_per_hour(peaks.break_even_price), 2.319422436));
constexpr price_row v5e_price = price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand);
static_assert(near_relative(in_usd_per_hour(offer_of(slice_for("v5e-32"), 2, v5e_price, 1_Hz).price), 76.80));
static_assert(near_relative(in_usd_per_hour(offer_of(gpu_for("H100"), 64, 1_Hz).price), 707.9232));
static_assert(near_relative(throughput_at(64 * 989_TFLOP_per_s, 0.4, 48_GFLOP).value(), 527466.6667, 1e-9));

static_assert(std::is_trivially_copyable_v<offer_comparison>);

}  // namespace

}  // namespace static_cost_offer_tests
