// A checksum of each built-in table. What the figures are is held against data/ by the unit tests, and takes seconds;
// this says at once that one was touched. A table that was changed on purpose gets a new checksum here.
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/io/hf/defaults.hpp>

using namespace tpuplan;

namespace {

/// FNV-1a over numbers instead of bytes.
class checksum {
 public:
  constexpr checksum& add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 16) sum_ = (sum_ ^ (number >> shift & 0xffff)) * 1099511628211u;
    return *this;
  }
  constexpr checksum& add(double number) {
    const double whole = number < 1e9 ? number * 1e8 : number;
    return add(static_cast<std::uint64_t>(whole + 0.5));
  }
  constexpr checksum& add(std::string_view word) {
    for (const char letter : word) add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
    return add(std::uint64_t{word.size()});
  }
  template <class Dim>
  constexpr checksum& add(quantity<Dim> amount) {
    return add(amount.value());
  }
  template <class Figure>
  constexpr checksum& add(const known<Figure>& figure) {
    if (!figure.has_value()) return add(std::uint64_t{figure.is_absent() ? 1U : 2U});
    if constexpr (std::is_same_v<Figure, std::int64_t>) return add(static_cast<std::uint64_t>(figure.value()));
    if constexpr (!std::is_same_v<Figure, std::int64_t>) return add(figure.value());
  }
  template <class... Counts>
  constexpr checksum& counts(Counts... numbers) {
    (add(static_cast<std::uint64_t>(numbers)), ...);
    return *this;
  }
  [[nodiscard]] constexpr std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 14695981039346656037u;
};

constexpr checksum& add_chip(checksum& sum, const chip_spec& c) {
  sum.add(c.name.view());
  sum.counts(c.announced_year, c.tensorcores, c.jax_devices, c.megacore, c.mxu.per_tensorcore, c.mxu.side,
             c.mxu.macs_per_cell_cycle, c.ici.links, c.ici.axes, c.ici.wraparound, c.host.chips, c.pod.largest_slice,
             c.pod.shape.dims[0], c.pod.shape.dims[1], c.pod.shape.dims[2], c.pod.shape.axes, c.slice_name_counts);
  sum.add(c.peak.bf16).add(c.peak.int8).add(c.peak.fp8).add(c.peak.int4).add(c.clock).add(c.sparsecores);
  sum.add(c.hbm.capacity).add(c.hbm.documented).add(c.hbm.usable_per_device).add(c.hbm.bandwidth);
  sum.add(c.on_chip.vmem_per_tensorcore).add(c.on_chip.vmem_bandwidth_over_hbm).add(c.on_chip.cmem);
  sum.add(c.on_chip.smem_per_tensorcore).add(c.ici.link_one_way).add(c.ici.achievable_fraction);
  return sum.add(c.ici.die_to_die_over_link).add(c.host.dram).add(c.host.pcie).add(c.host.dcn);
}

constexpr std::uint64_t sum_of_generations() {
  checksum sum;
  for (const chip_spec& chip : generations) add_chip(sum, chip);
  for (const detail::chip_alias& alias : detail::chip_aliases) sum.add(alias.name).counts(alias.generation);
  return sum.sum();
}

constexpr std::uint64_t sum_of_hf_defaults() {
  checksum sum;
  for (const hf_default& row : hf_defaults) {
    sum.counts(row.kind, row.value, row.model_type.size(), row.field.size(), row.text.size(), row.divisor.size());
    for (const std::string_view word : {row.model_type, row.field, row.text, row.divisor})
      if (!word.empty()) sum.counts(word.front(), word.back());
  }
  return sum.sum();
}

constexpr std::uint64_t sum_of_slices() {
  checksum sum;
  for (const detail::slice_row& row : detail::slice_rows)
    sum.counts(row.generation, row.a, row.b, row.c, row.chips_per_vm);
  return sum.sum();
}

constexpr std::uint64_t sum_of_machine_types() {
  checksum sum;
  for (const machine_type& type : machine_types)
    sum.add(type.name).counts(type.generation, type.chips).add(type.vcpus).add(type.ram_gb);
  return sum.sum();
}

constexpr std::uint64_t sum_of_prices() {
  checksum sum;
  for (const detail::packed_price& p : detail::us_prices) {
    sum.counts(p.generation, p.region, p.kind, p.smallest_chips, p.date, p.qualifier, p.grade);
    sum.add(p.usd_per_chip_hour);
  }
  for (const std::string_view region : detail::price_regions) sum.add(region);
  for (const std::string_view date : detail::price_dates) sum.add(date);
  return sum.sum();
}

static_assert(price_row{}.smallest_chips == 1);
static_assert(!parse_provisioning("xpot") && parse_provisioning("SPOT").value() == provisioning::spot);
static_assert(all_provisioning.size() == 6 && all_provisioning.back() == provisioning::commitment_3y);

}  // namespace

template <std::uint64_t Sum, std::uint64_t Expected>
struct checked {
  static_assert(Sum == Expected, "a table was changed: hold it against data/, then put its checksum here");
};
template struct checked<sum_of_generations(), 15134152663841739747u>;
template struct checked<sum_of_slices(), 8867459497274338385u>;
template struct checked<sum_of_machine_types(), 18145466436827752277u>;
template struct checked<sum_of_prices(), 7581777177466384817u>;
template struct checked<sum_of_hf_defaults(), 12587417178026735911u>;

static_assert(hf_default{}.value == 0);
