// Names as people type them: what is found has a name that finds it again; what is not is refused with a hint.
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/training_job.hpp>

#include "support.hpp"

using namespace tpuplan;

namespace {

void check_slice(std::string_view given) {
  const maybe<slice> found = find_slice(given);
  require(refused([&] { (void)slice_for(given); }) != found.has_value(), "slice_for throws where find_slice has none");
  if (!found) return;
  require(chips(*found) > 0 && devices(*found) >= chips(*found) && vms(*found) >= 1, "a slice has chips and VMs");
  require(is_valid_shape(found->chip, found->shape) || chips(*found) == 1, "what is found can be cut");
  const maybe<slice> again = find_slice(name(*found));
  require(again && again->shape == found->shape && again->chip.name == found->chip.name, "its name finds it again");
  const maybe<slice> like = find_slice_of_size(found->chip, chips(*found));
  require(!schedulable(*found) || chips(*found) == 1 || (like && chips(*like) == chips(*found)),
          "its size finds one as large");
  const maybe<slice> placed = find_slice(machine_name(*found));
  require(machine_name(*found).empty() || (placed && placed->shape == found->shape && vms(*placed) == vms(*found)),
          "its machine type and shape find it again, division into VMs included");
  require(hosts(*found) > 0 && hbm_capacity(*found).value() > 0 && peak_rate(*found, dtype::bf16).value() > 0,
          "a slice has hosts, HBM and a peak rate");
}

void check_topology(std::string_view given) {
  const maybe<topology> shape = parse_topology(given);
  if (!shape) return;
  require(parse_topology(name(*shape)) == *shape, "the name of a shape is read as the shape");
  require(chips(*shape) > 0, "a shape has chips");
  for (const chip_spec& chip : generations) {
    const bool valid = is_valid_shape(chip, *shape);
    require(refused([&] { (void)slice_of(chip, *shape); }) != valid, "slice_of makes what is valid, and no more");
    for (const std::int64_t per_vm : {std::int64_t{1}, std::int64_t{4}, std::int64_t{8}, chips(*shape)})
      refused([&] { require(chips(slice_of(chip, *shape, per_vm)) % per_vm == 0, "VMs tile a slice"); });
  }
}

void check_size(const std::uint8_t* data, std::size_t size) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < size && i < 8; ++i) count = count * 256 % 36028797018963968 + data[i];
  if (size > 8 && data[8] % 2 == 1) count = -count;
  if (size > 9) count %= std::int64_t{1} << (data[9] % 56);
  for (const chip_spec& chip : generations) {
    if (chip.announced_only) {
      require(!find_slice_of_size(chip, count), "of a chip that is announced alone there is no slice");
      continue;
    }
    const nearest_slices near = nearest(chip, count);
    require(!near.smaller || chips(*near.smaller) <= count, "the smaller neighbour is not larger");
    require(!near.larger || chips(*near.larger) >= count, "the larger neighbour is not smaller");
    require(near.smaller || near.larger, "there is a neighbour");
    const maybe<slice> found = find_slice_of_size(chip, count);
    require(!found || chips(*found) == count, "what is found has the size asked for");
  }
}

template <class Parse>
void check_word(std::string_view given, const Parse& parse) {
  const auto found = parse(given);
  if (found) require(parse(name(*found)) == *found, "the name of what a word means is read as the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given = characters_of(data, size);
  check_slice(given);
  check_topology(given);
  check_size(data, size);
  check_word(given, [](std::string_view word) { return parse_dtype(word); });
  check_word(given, [](std::string_view word) { return parse_provisioning(word); });
  check_word(given, [](std::string_view word) { return parse_optimizer(word); });
  check_word(given, [](std::string_view word) { return parse_remat_policy(word); });
  require(refused([&] { (void)dtype_for(given); }) != parse_dtype(given).has_value(), "dtype_for throws where none is");
  require(refused([&] { (void)chip_for(given); }) != find_chip(given).has_value(), "chip_for throws where none is");
  const std::int64_t count = detail::parse_count(given);
  require(count >= -1 && count <= 999999999, "a count has at most nine digits");
  if (count >= 0) require(ceil_to_count(static_cast<double>(count)) == count, "a count is a number");
  refused([&] { (void)price_for(price_book{}, slice_at(size % slice_count), given, provisioning::spot); });
  return 0;
}
