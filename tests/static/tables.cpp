// What holds of the built-in tables whatever their figures: that the names in one are those of another.
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/launch/offers.hpp>
#include <tpuplan/read/hf/defaults.hpp>

using namespace tpuplan;

namespace static_tables_tests {

namespace {

/// Whether that is the name of a chip of the table itself, not an alias of one.
constexpr bool is_chip(std::string_view name) {
  const maybe<chip_spec> found = find_chip(name);
  return found.has_value() && found->name == name;
}

constexpr bool names_agree() {
  for (const detail::chip_alias& alias : detail::chip_aliases) {
    if (!is_chip(alias.chip)) return false;
  }
  for (const detail::slice_block& block : detail::slice_blocks) {
    if (!is_chip(block.chip) || !find_chip(block.prefix)) return false;
  }
  for (const machine_type& type : machine_types()) {
    if (!is_chip(type.chip)) return false;
  }
  for (const detail::packed_price& price : detail::us_prices) {
    if (!is_chip(price.chip)) return false;
  }
  for (const detail::launch_offer& offer : detail::launch_offers) {
    if (!is_chip(offer.chip)) return false;
  }
  for (const detail::service_chip& offered : detail::service_chips) {
    if (!is_chip(offered.chip)) return false;
  }
  return true;
}
static_assert(names_agree());

/// Of a chip that is announced alone nothing can be rented.
constexpr bool every_chip_has_a_full_pod() {
  for (const chip_spec& chip : generations) {
    if (chip.announced_only) {
      if (detail::slices_of(chip.name).count != 0 || detail::chip_of_service("vertex", chip.name) != nullptr)
        return false;
      continue;
    }
    if (chips(chip.pod.shape) < chip.pod.largest_slice || chip.pod.shape.axes != chip.ici.axes) return false;
    if (chip.ici.links != 2 * chip.ici.axes || !is_chip(chip.name)) return false;
  }
  return true;
}
static_assert(every_chip_has_a_full_pod());

constexpr bool prices_are_valid() {
  for (const detail::packed_price& price : detail::us_prices) validate(detail::to_price(price));
  return true;
}
static_assert(prices_are_valid());

static_assert(find_gpu("h100")->per_machine == 8);
static_assert(price_row{}.smallest_chips == 1);
static_assert(!parse_provisioning("xpot") && parse_provisioning("SPOT").value() == provisioning::spot);
static_assert(all_provisioning.size() == 6 && all_provisioning.back() == provisioning::commitment_3y);
static_assert(hf_default{}.value == 0 && hf_default{}.kind == default_kind::none);

}  // namespace

}  // namespace static_tables_tests
