// Public structs are compared field by field, with no header but their own; the rest of them with equal.hpp.
#include <tpuplan/base/equal.hpp>
#include <tpuplan/tpuplan.hpp>

using namespace tpuplan;

namespace equal_tests {

static_assert(slice_for("v5e-16") == slice_for("v5litepod-16") && slice_for("v5e-16") != slice_for("v5e-32"));
static_assert(v5e == v5e && v5e != v6e);

constexpr chip_spec faster() {
  chip_spec chip = v6e;
  chip.hbm.bandwidth = 2 * chip.hbm.bandwidth;
  return chip;
}
static_assert(faster() != v6e);  // a field of a struct in it

static_assert(transformer{} == transformer{} && training_job{} == training_job{} && layout{} == layout{});
static_assert(serving_job{} == serving_job{} && serving_layout{} == serving_layout{});
static_assert(find_slice("v5e-16") == slice_for("v5e-16") && find_slice("v5e-24") == nothing);

constexpr price_book mine = price_book{}.with("v5p", "us", provisioning::spot, usd_per_hour(1.1), "2026-11-21");
static_assert(price_book{} == price_book{} && mine != price_book{} && mine == mine);

// A struct without the operators of its own.
constexpr spot_run restarted() {
  spot_run run;
  run.restart_time = 5_s;
  return run;
}
static_assert(spot_run{} == spot_run{} && restarted() != spot_run{});

constexpr known<bytes> no_number{bytes{__builtin_nan("")}};
static_assert(no_number != known<bytes>{5_GiB} && known<bytes>{5_GiB} == known<bytes>{5_GiB});
static_assert(known<bytes>{4_GiB} != known<bytes>{5_GiB});

}  // namespace equal_tests
