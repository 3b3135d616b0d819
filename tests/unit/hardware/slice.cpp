// Chips, topologies and slices: the look-ups over the tables, and what follows from a row, against data/slices.json.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json/file.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace hardware_slice_tests {

namespace {

const nlohmann::json& hardware_file() {
  static const nlohmann::json file = load_json(TPUPLAN_DATA_DIR "/hardware.json");
  return file;
}

const nlohmann::json& slices_file() {
  static const nlohmann::json file = load_json(TPUPLAN_DATA_DIR "/slices.json");
  return file;
}

std::string shape_of(const slice& s) { return std::string{name(s.shape).view()}; }

}  // namespace

TEST_CASE("every name that the data gives a chip finds it") {
  for (const nlohmann::json& listed : hardware_file().at("generations")) {
    const std::string id = listed.at("id").get<std::string>();
    INFO(id);
    std::vector<std::string> names = {id};
    for (const char* key : {"marketing_names", "jax_device_kinds", "other_names"}) {
      for (const nlohmann::json& alias : listed.at(key)) names.push_back(alias.get<std::string>());
    }
    for (const std::string& alias : names) {
      INFO(alias);
      const auto found = find_chip(alias);
      REQUIRE(found.has_value());
      CHECK(found->name == id);
    }
  }
}

TEST_CASE("names of chips as people type them") {
  struct row {
    const char* typed;
    const char* chip;
  };
  for (const row& r : {row{"TPU v5 lite", "v5e"}, {"tpu v5 LITE", "v5e"}, {"v5litepod", "v5e"},   {"V5E", "v5e"},
                       {"TPU-v5e", "v5e"},        {"v5p", "v5p"},         {"TPU v5", "v5p"},      {"TPU v5p", "v5p"},
                       {"Trillium", "v6e"},       {"TRILLIUM", "v6e"},    {"TPU v6 lite", "v6e"}, {"v6", "v6e"},
                       {"Ironwood", "tpu7x"},     {"v7x", "tpu7x"},       {"TPU7x", "tpu7x"},     {"tpu v7x", "tpu7x"},
                       {"7x", "tpu7x"},           {"TPU v2", "v2"},       {"TPU v3", "v3"},       {"TPU v4", "v4"}}) {
    INFO(r.typed);
    REQUIRE(find_chip(r.typed).has_value());
    CHECK(find_chip(r.typed)->name == r.chip);
  }
  for (const std::string& wrong :
       {std::string{}, std::string{"v1"}, std::string{"v5ee"}, std::string{"TPU "}, std::string{" v5e"},
        std::string{"v5e "}, std::string{"a100"}, std::string(10000, 'v'), std::string{"v5e\0", 4}}) {
    INFO(wrong.substr(0, 40));
    CHECK_FALSE(find_chip(wrong).has_value());
    const refusal got = refusal_of([&] { (void)chip_for(wrong); });
    CHECK(got.code == errc::unknown_name);
    CHECK(says(got.message, "v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i"));
  }
}

TEST_CASE("a chip under another name has none of the facts of the one it was copied from") {
  static constexpr auto mine = [] {
    chip_spec chip = v6e;
    chip.name = "mine";
    return chip;
  };
  STATIC_REQUIRE(!find_chip("mine").has_value());
  STATIC_REQUIRE(slice_prefix(mine()) == "mine");
  constexpr slice where = slice_of(mine(), {16, 16});
  STATIC_REQUIRE(chips(where) == 256);
  STATIC_REQUIRE(name(where) == "mine-16x16");
  STATIC_REQUIRE(!detail::is_named(where) && detail::is_named(slice_of(v6e, {16, 16})));
  STATIC_REQUIRE(!machine_type_of(where).has_value());
  STATIC_REQUIRE(!nearest(mine(), 64).larger.has_value());
  STATIC_REQUIRE(slice_of(mine(), {2, 4}).chips_per_vm == 4);  // 8 is what v6e has
  CHECK(says(refusal_of([] { (void)slice_of(mine(), {4, 6}); }).message, "powers of two"));
}

// ---- slices
// -----------------------------------------------------------------------------------------------------------

namespace {

// The documented slice of that row, reached as a caller would: by name where it has one and its VMs are the usual ones,
// else by chip and shape.
slice slice_of_row(const nlohmann::json& row) {
  const chip_spec chip = chip_for(row.at("generation").get<std::string>());
  const std::int64_t chips_per_vm = row.at("chips_per_vm").get<std::int64_t>();
  const std::string shape = row.at("topology").get<std::string>();
  if (row.at("accelerator_type").is_string()) {
    const slice named = slice_for(row.at("accelerator_type").get<std::string>());
    if (named.chips_per_vm == chips_per_vm) return named;
  }
  return slice_of(chip, parse_topology(shape).value(), chips_per_vm);
}

std::string label(const nlohmann::json& row) {
  return row.at("generation").get<std::string>() + " " + row.at("topology").get<std::string>() + " with " +
         std::to_string(row.at("chips_per_vm").get<std::int64_t>()) + " chips a VM";
}

}  // namespace

TEST_CASE("the documented slices are those of data/slices.json") {
  const nlohmann::json& rows = slices_file().at("slices");
  REQUIRE(rows.size() == slice_count);
  std::set<std::string> in_data;
  for (const nlohmann::json& row : rows) {
    INFO(label(row));
    CHECK(in_data.insert(label(row)).second);
    const slice s = slice_of_row(row);
    CHECK(s.chip.name == row.at("generation").get<std::string>());
    CHECK(shape_of(s) == row.at("topology").get<std::string>());
    CHECK(chips(s) == row.at("chips").get<std::int64_t>());
    CHECK(tensorcores(s) == row.at("tensorcores").get<std::int64_t>());
    CHECK(devices(s) == row.at("chips").get<std::int64_t>() * s.chip.jax_devices);
    CHECK(vms(s) == row.at("vms").get<std::int64_t>());
    CHECK(hosts(s) == row.at("hosts").get<double>());
    CHECK(s.chips_per_vm == row.at("chips_per_vm").get<std::int64_t>());
    const auto machine = machine_type_of(s);
    const nlohmann::json& machine_name = row.at("machine_type");
    CHECK(machine.has_value() == machine_name.is_string());
    if (machine && machine_name.is_string()) CHECK(machine->name == machine_name.get<std::string>());
    const nlohmann::json& wraps = row.at("wraparound");
    const auto got = wraparound(s);
    if (wraps.is_null()) {
      CHECK(got[0].is_unknown());
      CHECK(got[1].is_unknown());
      CHECK(fully_wrapped(s).is_unknown());
    } else {
      REQUIRE(wraps.size() == static_cast<std::size_t>(s.shape.axes));
      bool all = true;
      for (std::size_t axis = 0; axis < wraps.size(); ++axis) {
        CHECK(got[axis] == known<bool>{wraps[axis].get<bool>()});
        all = all && wraps[axis].get<bool>();
      }
      CHECK(fully_wrapped(s) == known<bool>{all});
    }
    const bool api_twists = s.chip.name == "v4" || s.chip.name == "v5p";
    CHECK((api_twists && may_be_twisted(s.shape)) == row.at("twisted_supported").get<bool>());
    CHECK(schedulable(s) == row.value("schedulable_single_slice", true));
    if (row.at("accelerator_type").is_string()) {
      CHECK(name(s) == row.at("accelerator_type").get<std::string>());
    } else {
      CHECK(name(s) == row.at("generation").get<std::string>() + "-" + row.at("topology").get<std::string>());
    }
  }
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    CHECK(in_data.count(std::string{s.chip.name.view()} + " " + shape_of(s) + " with " +
                        std::to_string(s.chips_per_vm) + " chips a VM") == 1);
  }
  CHECK(refusal_of([] { (void)slice_at(slice_count); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)slice_at(static_cast<std::size_t>(-1)); }).code == errc::out_of_range);
}

TEST_CASE("the name of every slice finds it again") {
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    const std::string id{name(s).view()};
    INFO(id);
    const auto again = find_slice(id);
    REQUIRE(again.has_value());
    CHECK(again->chip.name == s.chip.name);
    CHECK(again->shape == s.shape);
    const auto by_shape = find_slice(std::string{s.chip.name.view()} + ":" + shape_of(s));
    REQUIRE(by_shape.has_value());
    CHECK(by_shape->shape == s.shape);
  }
}

TEST_CASE("names of slices as people type them") {
  struct row {
    const char* typed;
    const char* slice_name;
    std::int64_t chips;
  };
  for (const row& r : {row{"v5litepod-16", "v5litepod-16", 16},
                       {"v5e-16", "v5litepod-16", 16},
                       {"V5E-16", "v5litepod-16", 16},
                       {"v5lite-16", "v5litepod-16", 16},
                       {"TPU v5 lite-16", "v5litepod-16", 16},
                       {"TPU v5e-16", "v5litepod-16", 16},
                       {"v6e-64", "v6e-64", 64},
                       {"Trillium-64", "v6e-64", 64},
                       {"trillium 64", "v6e-64", 64},
                       {"tpu7x-128", "tpu7x-128", 64},
                       {"v7x-128", "tpu7x-128", 64},
                       {"Ironwood-128", "tpu7x-128", 64},
                       {"7x-128", "tpu7x-128", 64},
                       {"v5p-128", "v5p-128", 64},
                       {"TPU v5p-128", "v5p-128", 64},
                       {"v4-32", "v4-32", 16},
                       {"v3-8", "v3-8", 4},
                       {"v2-512", "v2-512", 256},
                       {"v5p:4x4x4", "v5p-128", 64},
                       {"v5p-4x4x4", "v5p-128", 64},
                       {"v5p 4X4x4", "v5p-128", 64},
                       {"v6e-8x16", "v6e-128", 128},
                       {"v5e:16x16", "v5litepod-256", 256},
                       {"v4:4x4x16", "v4-4x4x16", 256},
                       {"v4-512", "v4-512", 256},
                       {"v5p:4x4x128", "v5p-4x4x128", 2048},
                       {"tpu7x:1x1x1", "tpu7x-2", 1},
                       {"ct5lp-hightpu-1t", "v5litepod-1", 1},
                       {"ct5lp-hightpu-4t", "v5litepod-4", 4},
                       {"ct5lp-hightpu-8t", "v5litepod-8", 8},
                       {"ct6e-standard-8t", "v6e-8", 8},
                       {"CT6E-STANDARD-4T", "v6e-4", 4},
                       {"ct5p-hightpu-4t", "v5p-8", 4},
                       {"ct4p-hightpu-4t", "v4-8", 4},
                       {"ct3-hightpu-4t", "v3-8", 4},
                       {"tpu7x-standard-4t", "tpu7x-8", 4},
                       {"tpu7x-standard-1t", "tpu7x-2", 1},
                       {"ct6e-standard-1t-tpu", "v6e-1", 1},
                       {"ct6e-standard-4t-tpu", "v6e-4", 4},
                       {"ct6e-standard-8t-tpu", "v6e-8", 8},
                       {"tpu7x-standard-4t-tpu", "tpu7x-8", 4},
                       {"tpu7x-ultranet-4t-tpu", "tpu7x-8", 4},
                       {"tpu7-standard-4t", "tpu7x-8", 4},
                       {"tpu7-standard-1t", "tpu7x-2", 1},
                       {"ct5p-hightpu-4t-tpu", "v5p-8", 4},
                       {"ct5p-hightpu-1t", "v5p-1x1x1", 1},
                       {"ct5p-hightpu-1t-tpu", "v5p-1x1x1", 1},
                       {"v5p-1x1x1", "v5p-1x1x1", 1},
                       {"ct5p-hightpu-2t", "v5p-2x1x1", 2},
                       {"ct5p-hightpu-2t-tpu", "v5p-2x1x1", 2},
                       {"v5p:1x2x1", "v5p-2x1x1", 2},
                       {"v5p-4x8x4", "v5p-256", 128},
                       {"v6e:8x4", "v6e-32", 32}}) {
    INFO(r.typed);
    const auto found = find_slice(r.typed);
    REQUIRE(found.has_value());
    CHECK(name(*found) == r.slice_name);
    CHECK(chips(*found) == r.chips);
    CHECK(slice_for(r.typed).shape == found->shape);
  }
}

TEST_CASE("a wrong name is refused, and the message has the nearest valid one") {
  struct row {
    std::string typed;
    std::vector<const char*> hints;
  };
  const std::vector<row> rows = {
      {"v5e-24", {"v5litepod-16", "v5litepod-32"}},
      {"v5p-100", {"v5p-64 (32 chips, 2x4x4)", "v5p-128 (64 chips, 4x4x4)"}},
      {"v5p-127", {"v5p-128"}},
      {"v4-3", {"v4-8"}},
      {"v3-16", {"v3-8", "v3-32"}},
      {"v6e-512", {"v6e-256"}},
      {"ct5lp-hightpu-32t",
       {"ct5lp-hightpu-1t, ct5lp-hightpu-4t, ct5lp-hightpu-8t", "v5litepod-32 is 8 VMs of ct5lp-hightpu-4t"}},
      {"ct6e-standard-2t-tpu", {"ct6e-standard-1t, ct6e-standard-4t, ct6e-standard-8t; v6e-16 is 4 VMs"}},
      {"v5p-2", {"v5p-8 (4 chips, 2x2x1)"}},  // the Cloud TPU API starts there; one chip is a machine type
      {"v4-1x1x1", {"v4-8"}},
      {"ct5lp-hightpu-256t", {"ct5lp-hightpu-1t, ct5lp-hightpu-4t, ct5lp-hightpu-8t"}},
      {"ct6e-standard-16t",
       {"ct6e-standard-1t, ct6e-standard-4t, ct6e-standard-8t", "v6e-16 is 4 VMs of ct6e-standard-4t"}},
      {"", {"v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i, a dash"}},
      {"-", {"v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i, a dash"}},
      {"tpu7x-standard-8t", {"tpu7x-standard-1t, tpu7x-standard-4t; tpu7x-16 is 2 VMs of tpu7x-standard-4t"}},
      {"v5p", {"v5e-16, v5p-4x4x4"}},
      {"v9-4", {"v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i, a dash"}},
      {"v5p-4x4x6", {"v5p-128", "v5p-256"}},
      {"v5p-4x4", {"v5p-32"}},
      {"v5e-4x4x4", {"v5litepod-64"}},
      {"v5p-4x6x4", {"v5p-128"}},
      {"v4-1280", {"v4-4x4x40 or v4-4x8x20 (no number stands for them), v4-1024"}},
      {"v5p-4", {"v5p-8 (4 chips, 2x2x1); counted in chips: ct5p-hightpu-4t"}},
      {"v5e-0", {"v5litepod-1 (1 chip, 1x1)"}},
      {"v6e-3", {"v6e-1 (1 chip, 1x1) or v6e-4 (4 chips, 2x2)"}},
      {"v5p--8", {"v5p-8"}},
      {"v5p-8 ", {"v5p-8 (4 chips, 2x2x1)"}},
      {"v5p-+8", {"v5p-8"}},
      {"v5p-8.0", {"v5p-8"}},
      {"v5p-4x4x0", {"v5p-8"}},
      {"v5p-999999998", {"v5p-12288"}},
      {"v5p-99999999999999999999999", {"v5p-12288"}},
      {"v5e-18446744073709551632", {"v5litepod-256"}},  // 2^64 + 16 is not 16
      {"v5p-9999x9999x9999", {"v5p-12288"}},
      {"v5p-4294967300x4x4", {"v5p-8"}},
      {std::string{"v5p-128\0", 8}, {"v5p-128?", "v5p-8"}},
      {std::string{"v5p\0-128", 8}, {"v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i, a dash"}},
      {std::string(10000, 'x'), {"v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i, a dash"}},
      {std::string(10000, '-'), {"v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t or tpu8i, a dash"}},
      {"v5p-" + std::string(10000, '1'), {"v5p-12288"}},
      {"v5p-" + std::string(10000, '4') + "x4x4", {"v5p-8"}},
      {"ct5lp-hightpu-" + std::string(10000, '1') + "t", {"ct5lp-hightpu-1t, ct5lp-hightpu-4t, ct5lp-hightpu-8t"}},
  };
  for (const row& r : rows) {
    INFO(r.typed.substr(0, 40));
    CHECK_FALSE(find_slice(r.typed).has_value());
    const refusal got = refusal_of([&] { (void)slice_for(r.typed); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == errc::unknown_name);
    CHECK(got.message.size() <= 319);
    for (const char* hint : r.hints) {
      INFO(hint);
      CHECK(says(got.message, hint));
    }
  }
}

TEST_CASE("the valid three-dimensional shapes are exactly those of the data") {
  for (const auto& entry : slices_file().at("rule_valid_3d_topologies").items()) {
    const chip_spec chip = chip_for(entry.key());
    INFO(entry.key());
    std::set<std::string> expected = {"2x2x1", "2x2x2", "2x2x4", "2x4x4"};
    if (entry.key() == "tpu7x") expected.insert("1x1x1");
    for (const nlohmann::json& shape : entry.value()) CHECK(expected.insert(shape.get<std::string>()).second);
    std::set<std::string> valid;
    const std::int64_t limit = chip.pod.largest_slice;
    for (std::int32_t a = 1; a <= 256; ++a) {
      for (std::int32_t b = 1; b <= 256 && std::int64_t{a} * b <= limit; ++b) {
        for (std::int32_t c = 1; c <= 256 && std::int64_t{a} * b * c <= limit; ++c) {
          const topology shape{{a, b, c}, 3};
          if (is_valid_shape(chip, shape)) valid.insert(std::string{name(shape).view()});
        }
      }
    }
    CHECK(valid.size() == expected.size());
    CHECK(valid == expected);
    // Above the limit: only what a name stands for.
    CHECK(is_valid_shape(chip, {{16, 20, 28}, 3}) == (entry.key() != "v4"));
    CHECK_FALSE(is_valid_shape(chip, {{32, 32, 32}, 3}));
    CHECK_FALSE(is_valid_shape(chip, {{8, 8, 1}, 2}));
  }
}

TEST_CASE("the valid two-dimensional shapes are the documented ones") {
  for (const char* id : {"v2", "v3", "v5e", "v6e"}) {
    INFO(id);
    const chip_spec chip = chip_for(id);
    std::set<std::string> expected;
    for (const nlohmann::json& row : slices_file().at("slices")) {
      if (row.at("generation") == id) expected.insert(row.at("topology").get<std::string>());
    }
    std::set<std::string> valid;
    for (std::int32_t a = 0; a <= 64; ++a) {
      for (std::int32_t b = 0; b <= 64; ++b) {
        if (is_valid_shape(chip, {{a, b, 1}, 2})) valid.insert(std::string{name(topology{{a, b, 1}, 2}).view()});
      }
    }
    CHECK(valid == expected);
  }
}

TEST_CASE("a slice of a shape: wrong shapes and VMs that do not tile it") {
  CHECK(refusal_of([] { (void)slice_of(v5p, {{4, 4, 6}, 3}); }).code == errc::unknown_name);
  CHECK(says(refusal_of([] { (void)slice_of(v5p, {{4, 4, 6}, 3}); }).message, "4x4x6"));
  CHECK(refusal_of([] { (void)slice_of(v5e, {{0, 0, 1}, 2}); }).code == errc::unknown_name);
  CHECK(refusal_of([] { (void)slice_of(v5e, {{-4, -4, 1}, 2}); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)slice_of(v5e, {{2, 4, 1}, 2}, 3); }).code == errc::not_divisible);
  CHECK(refusal_of([] { (void)slice_of(v5e, {{2, 2, 1}, 2}, 8); }).code == errc::not_divisible);
  CHECK(refusal_of([] { (void)slice_of(v5e, {{2, 4, 1}, 2}, -4); }).code == errc::invalid_argument);
  STATIC_REQUIRE(vms(slice_of(v5e, {{2, 4, 1}, 2})) == 1);
  STATIC_REQUIRE(vms(slice_of(v5e, {{2, 4, 1}, 2}, 4)) == 2);
  STATIC_REQUIRE(vms(slice_of(v5e, {{2, 4, 1}, 2}, 1)) == 8);
  CHECK(refusal_of([] { (void)vms(slice{v5e, {{2, 2, 1}, 2}, 0}); }).code == errc::missing_field);
}

TEST_CASE("a shape has as many axes as lengths are given") {
  STATIC_REQUIRE(chips(slice_of(v5p, {4, 4, 12})) == 192);
  STATIC_REQUIRE(chips(slice_of(v5e, {4, 8})) == 32);
  STATIC_REQUIRE(topology{4, 8} == topology{{4, 8, 1}, 2});
  STATIC_REQUIRE(topology{2, 2, 1} == topology{{2, 2, 1}, 3});
  STATIC_REQUIRE(topology{2, 2, 1} != topology{2, 2});
  STATIC_REQUIRE(topology{}.axes == 2 && chips(topology{}) == 0);
  STATIC_REQUIRE(!is_valid_shape(v5e, {2, 2, 1}) && !is_valid_shape(v5p, {2, 2}) && is_valid_shape(v5p, {2, 2, 1}));
}

TEST_CASE("topologies as text") {
  STATIC_REQUIRE(topology_for("4x4x12") == topology{4, 4, 12});
  STATIC_REQUIRE(topology_for("4X8") == topology{4, 8});
  const refusal got = refusal_of([] { (void)topology_for("4*8"); });
  CHECK(got.code == errc::malformed_input);
  CHECK(says(got.message, "topology is 4*8; valid: AxB or AxBxC"));
  STATIC_REQUIRE(parse_topology("4x8") == topology{{4, 8, 1}, 2});
  STATIC_REQUIRE(parse_topology("4X4x12") == topology{{4, 4, 12}, 3});
  STATIC_REQUIRE(parse_topology("9999x1") == topology{{9999, 1, 1}, 2});
  for (const char* wrong : {"", "4", "x", "4x", "x4", "4xx4", "4x4x4x4", "4x4x", "0x4", "-4x4", "10000x4", "4 x 4",
                            "4x4 ", "4*4", "4x4.0", "99999999999x4"}) {
    INFO(wrong);
    CHECK_FALSE(parse_topology(wrong).has_value());
  }
  CHECK_FALSE(parse_topology(std::string(10000, 'x')).has_value());
}

TEST_CASE("one chip of v5p and two are a VM of Compute Engine and GKE, and no slice with a name") {
  STATIC_REQUIRE(!is_valid_shape(v5p, {1, 1, 1}) && !find_slice_of_size(v5p, 1));
  STATIC_REQUIRE(vms(slice_for("ct5p-hightpu-1t")) == 1 && slice_for("v5p:1x1x1").chips_per_vm == 1);
  CHECK(refusal_of([] { (void)slice_of(v5p, {1, 1, 1}); }).code == errc::unknown_name);
  STATIC_REQUIRE(vms(slice_for("ct5p-hightpu-2t-tpu")) == 1 && !is_valid_shape(v5p, {1, 1, 2}) &&
                 machine_type_of(slice_for("v5p:1x1x2"))->name == "ct5p-hightpu-2t");
  STATIC_REQUIRE(machine_type_of(slice_for("ct5p-hightpu-1t-tpu"))->name == "ct5p-hightpu-1t");
  STATIC_REQUIRE(machine_type_of(slice_for("v6e-8"))->name == "ct6e-standard-8t");
  STATIC_REQUIRE(!find_slice("v4-1x1x1"));
}

TEST_CASE("machine types are those of the data, and each is of a chip") {
  constexpr auto types = machine_types();
  std::size_t count = 0;
  for (const nlohmann::json& listed : hardware_file().at("machine_types")) {
    const std::string chip = listed.at("generation").get<std::string>();
    if (!find_chip(chip) || find_chip(chip)->name != chip) continue;
    REQUIRE(count < types.size());
    const machine_type& type = types[count++];
    INFO(type.name.view());
    CHECK(type.name == listed.at("name").get<std::string>());
    CHECK(type.chip == chip);
    CHECK(type.chips == listed.at("chips").get<std::int64_t>());
    CHECK(type.vcpus.has_value() == listed.at("vcpus").is_number());
    if (type.vcpus.has_value()) CHECK(type.vcpus.value() == listed.at("vcpus").get<std::int64_t>());
    if (type.ram_gb.has_value()) CHECK(type.ram_gb.value() == listed.at("ram_gb_as_printed").get<std::int64_t>());
  }
  CHECK(count == types.size());
  const auto by_name = [&](std::string_view name) {
    return *std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
  };
  // Compute Engine's list of 2026-08-10.
  CHECK((by_name("ct5p-hightpu-1t-tpu").vcpus == known<std::int64_t>{52}));
  CHECK((by_name("ct5p-hightpu-2t-tpu").ram_gb == known<std::int64_t>{224}));
  CHECK((by_name("ct5p-hightpu-4t-tpu").vcpus == known<std::int64_t>{208}));
}

TEST_CASE("zones are dated rows of zone, generation and service") {
  const nlohmann::json file = load_json(TPUPLAN_DATA_DIR "/zones.json");
  std::set<std::string> seen;
  std::map<std::string, std::set<std::string>> zones;
  for (const nlohmann::json& row : file.at("rows")) {
    INFO(row.dump());
    const std::string zone = row.at("zone").get<std::string>();
    const std::string chip = row.at("generation").get<std::string>();
    CHECK(std::count(zone.begin(), zone.end(), '-') >= 2);
    REQUIRE(find_chip(chip).has_value());
    CHECK(find_chip(chip)->name == chip);
    const nlohmann::json& services = file.at("services");
    CHECK(std::find(services.begin(), services.end(), row.at("service")) != services.end());
    const nlohmann::json& source = file.at("sources").at(row.at("source").get<std::string>());
    CHECK(row.at("date") == source.at("date"));
    CHECK(row.at("confidence") == source.at("confidence"));
    for (const nlohmann::json& also : row.value("also", nlohmann::json::array()))
      CHECK(file.at("sources").contains(also.get<std::string>()));
    CHECK(seen.insert(zone + chip + row.at("service").get<std::string>() +
                      row.value("provisioning", nlohmann::json{}).dump())
              .second);
    if (!row.contains("provisioning")) zones[chip + " " + row.at("service").get<std::string>()].insert(zone);
  }
  const auto has = [&](const char* what, const char* zone) { return zones[what].count(zone) == 1; };
  for (const char* zone : {"us-central1-a", "us-central1-c", "us-east4-a", "us-east4-b", "us-east5-c", "us-south1-a",
                           "us-south1-c", "us-west1-c", "asia-east1-c", "asia-south1-b", "asia-south1-c",
                           "asia-southeast1-b", "southamerica-east1-c", "southamerica-west1-a"}) {
    INFO(zone);
    CHECK(has("v6e cloud_tpu", zone));
  }
  CHECK(has("v6e compute_engine", "us-south1-ai1b"));
  for (const char* zone : {"us-east1-d", "us-east5-b", "us-east5-c", "us-south1-a", "us-south1-b", "us-south1-c",
                           "europe-west1-b", "europe-west1-d"}) {
    INFO(zone);
    CHECK((has("v5p cloud_tpu", zone) && has("v5p compute_engine", zone)));
  }
  CHECK((has("v5p compute_engine", "europe-west1-c") && !has("v5p cloud_tpu", "europe-west1-c")));
  CHECK((zones["tpu7x cloud_tpu"].empty() && has("tpu7x gke", "us-central1-ai1a")));
}

TEST_CASE("corrections of November 2026: dates, absent and derived rates, what the chip table was told before") {
  const auto field = [](const std::string& chip, const std::string& key) {
    for (const nlohmann::json& listed : hardware_file().at("generations"))
      if (listed.at("id") == chip) return listed.at("fields").at(key);
    return nlohmann::json{};
  };
  CHECK(field("tpu7x", "cloud_availability").at("value") == "Preview 2025-11-24, GA 2026-03-31");
  CHECK(field("tpu7x", "cloud_availability").at("alternatives")[0].at("value") == "GA 2025-11-06");
  CHECK(field("v6e", "cloud_availability").at("value") == "GA 2024-12-16");
  STATIC_REQUIRE(tpu7x.peak.int8.is_absent() && tpu7x.peak.int4.is_absent());
  STATIC_REQUIRE(v5e.peak.fp8 == known<flops_per_second>{197_TFLOP_per_s});
  CHECK(field("v5e", "peak_fp8_flops").at("confidence") == "medium");
  // JAX's own figures stand beside the ones that are used.
  const auto from_jax = [&](const std::string& chip, const std::string& key) {
    const nlohmann::json figure = field(chip, key);
    for (const nlohmann::json& other : figure.at("alternatives"))
      if (other.at("source") == "jax") return other.at("value").get<double>();
    return 0.0;
  };
  CHECK(from_jax("v3", "peak_bf16_flops") == 1.40e14);
  CHECK(from_jax("v5p", "hbm_bandwidth") == 2.46e12);
  CHECK(from_jax("v5p", "hbm_capacity_bytes") == 103e9);
  CHECK(from_jax("v6e", "peak_fp8_flops") == 9.2e14);
  CHECK(from_jax("tpu8t", "hbm_bandwidth") == 6.4e12);
}

TEST_CASE("announced chips: figures, and no slice of the table") {
  STATIC_REQUIRE(tpu8t.announced_only && tpu8i.announced_only && !tpu7x.announced_only);
  STATIC_REQUIRE(in_tflop_per_s(tpu8t.peak.bf16.value()) == 996.1 && in_tflop_per_s(tpu8i.peak.bf16.value()) == 1101);
  STATIC_REQUIRE(tpu8t.peak.bf16.value() < tpu7x.peak.bf16.value() &&
                 tpu8i.peak.bf16.value() < tpu7x.peak.bf16.value());
  STATIC_REQUIRE(tpu8t.hbm.capacity == 216_GiB && tpu8i.hbm.capacity == 288_GiB);
  STATIC_REQUIRE(vmem(tpu8t) == 128_MiB && vmem(tpu8i) == 384_MiB);
  STATIC_REQUIRE(tpu8t.jax_devices == 1 && tpu8i.jax_devices == 2);
  STATIC_REQUIRE(ici_one_way(tpu8t) == 1.2_TB_per_s);
  STATIC_REQUIRE(find_chip("TPU 8t")->name == "tpu8t" && find_chip("TPU8i")->name == "tpu8i");
  CHECK(says(refusal_of([] { (void)ici_one_way(tpu8i); }).message, "chip.ici.nominal_one_way"));
  CHECK(says(refusal_of([] { (void)ici_axis_both_ways(tpu8i); }).message, "chip.ici.nominal_one_way"));
  for (const char* name : {"tpu8t-128", "tpu8t:4x4x4", "tpu8t-9600", "tpu8i-4", "tpu8i:2x2", "v8i-8"}) {
    INFO(name);
    CHECK_FALSE(find_slice(name).has_value());
    const refusal got = refusal_of([&] { (void)slice_for(name); });
    CHECK(got.code == errc::unknown_name);
    CHECK(says(got.message, "it is announced, and no slice of it is documented"));
  }
  CHECK(says(refusal_of([] { (void)slice_of(tpu8t, {4, 4, 4}); }).message, "it is announced"));
  STATIC_REQUIRE(!find_slice_of_size(tpu8t, 64) && !nearest(tpu8i, 4).larger && detail::slices_of("tpu8t").count == 0);
  // A slice of the caller's own: which of its axes close is not known.
  static constexpr slice mine{tpu8t, {4, 4, 4}, 4};
  STATIC_REQUIRE(chips(mine) == 64 && vms(mine) == 16 && fully_wrapped(mine).is_unknown());
  STATIC_REQUIRE(wraparound(mine)[2].is_unknown());
  CHECK(says(refusal_of([] { (void)hosts(mine); }).message, "chip.host.chips"));
}

TEST_CASE("a wrong shape is told which shapes there are") {
  CHECK(says(refusal_of([] { (void)slice_of(v5p, {{4, 4, 6}, 3}); }).message, "AxBxC of multiples of 4"));
  CHECK(says(refusal_of([] { (void)slice_of(v5e, {4, 6}); }).message, "1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"));
  CHECK(says(refusal_of([] { (void)slice_of(v3, {4, 6}); }).message, "2x2, 4x4, 4x8, 8x8, 8x16, 16x16, 16x32, 32x32"));
}

TEST_CASE("shapes that are none are refused, not walked over") {
  for (const std::int32_t axes : {-1, 0, 1, 4, 1000000}) {
    const topology shape{{4, 4, 4}, axes};
    for (const refusal& got :
         {refusal_of([&] { (void)name(shape); }), refusal_of([&] { (void)chips(shape); }), refusal_of([&] {
            (void)name(slice{v5p, shape, 4});
          }),
          refusal_of([&] {
            (void)fully_wrapped(slice{v5p, shape, 4});
          })}) {
      CHECK(got.code == errc::out_of_range);
      CHECK(says(got.message, "topology.axes"));
    }
  }
  for (const std::int32_t length : {-1, 10000, 2147483647}) {
    const refusal got = refusal_of([&] { (void)chips(topology{{2, length, 1}, 2}); });
    CHECK(says(got.message, "topology.dims"));
    CHECK(refusal_of([&] { (void)name(topology{{2, length, 1}, 2}); }).code == errc::out_of_range);
  }
  STATIC_REQUIRE(chips(topology{{9999, 9999, 1}, 2}) == 99980001);
  CHECK(says(refusal_of([] { (void)chips(topology{{4, 4, 4}, 2}); }).message, "topology.dims is 4"));
  CHECK(says(refusal_of([] { (void)chips(topology{{16, 16, 0}, 2}); }).message, "topology.dims is 0"));
}

TEST_CASE("the sizes next to a number of chips") {
  std::map<std::string, std::set<std::int64_t>> sizes;
  for (const nlohmann::json& row : slices_file().at("slices")) {
    if (row.value("schedulable_single_slice", true)) {
      sizes[row.at("generation").get<std::string>()].insert(row.at("chips").get<std::int64_t>());
    }
  }
  for (const chip_spec& chip : generations) {
    if (chip.announced_only) continue;
    const std::set<std::int64_t>& of_chip = sizes.at(std::string{chip.name.view()});
    for (const std::int64_t wanted :
         {std::int64_t{-3}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{5},
          std::int64_t{24}, std::int64_t{48}, std::int64_t{50}, std::int64_t{64}, std::int64_t{255}, std::int64_t{256},
          std::int64_t{257}, std::int64_t{3000}, std::int64_t{9216}, std::int64_t{9217}, std::int64_t{1} << 40}) {
      INFO(chip.name.view() << " near " << wanted);
      const nearest_slices near = nearest(chip, wanted);
      const auto above = of_chip.lower_bound(wanted);
      CHECK(near.larger.has_value() == (above != of_chip.end()));
      if (near.larger && above != of_chip.end()) CHECK(chips(*near.larger) == *above);
      const auto past = of_chip.upper_bound(wanted);
      CHECK(near.smaller.has_value() == (past != of_chip.begin()));
      if (near.smaller && past != of_chip.begin()) CHECK(chips(*near.smaller) == *std::prev(past));
    }
  }
  STATIC_REQUIRE(chips(*nearest(v5e, 24).smaller) == 16);
}

TEST_CASE("bisection bandwidth") {
  struct row {
    const char* slice_name;
    double tb_per_s;
  };
  // Pod figures of the vendor: 1.6 TB/s for v5e, 3.2 TB/s for v6e. The others: links across the cut times the link
  // rate.
  for (const row& r : {row{"v5litepod-256", 1.6},
                       {"v6e-256", 3.2},
                       {"v5litepod-16", 4 * 0.05},
                       {"v5litepod-128", 8 * 2 * 0.05},
                       {"v5litepod-8", 2 * 0.05},
                       {"v5p-128", 16 * 2 * 0.1},
                       {"v5p-256", 16 * 2 * 0.1},
                       {"v5p-32", 4 * 0.1},
                       {"v5litepod-1", 0},
                       {"v3-2048", 32 * 2 * 0.082}}) {
    INFO(r.slice_name);
    const double got = bisection_bandwidth(slice_for(r.slice_name)).value();
    CHECK(std::abs(got - r.tb_per_s * 1e12) <= 1e-12 * r.tb_per_s * 1e12);
  }
  CHECK(refusal_of([] { (void)bisection_bandwidth(slice_for("v3-32")); }).code == errc::unknown_figure);
}

TEST_CASE("a slice by its number of chips") {
  // The named one, whatever its evenness, for every documented size that is scheduled.
  for (const nlohmann::json& row : slices_file().at("slices")) {
    if (!row.at("accelerator_type").is_string() || !row.value("schedulable_single_slice", true)) continue;
    INFO(label(row));
    const chip_spec chip = chip_for(row.at("generation").get<std::string>());
    const auto found = find_slice_of_size(chip, row.at("chips").get<std::int64_t>());
    REQUIRE(found.has_value());
    CHECK(name(*found) == row.at("accelerator_type").get<std::string>());
  }
  // Where no name stands for a size: of the valid shapes the one whose longest side is shortest.
  for (const auto& entry : slices_file().at("rule_valid_3d_topologies").items()) {
    const chip_spec chip = chip_for(entry.key());
    std::map<std::int64_t, std::int32_t> shortest;
    for (const nlohmann::json& text : entry.value()) {
      const topology shape = parse_topology(text.get<std::string>()).value();
      const auto known_side = shortest.emplace(chips(shape), shape.dims[2]).first;
      known_side->second = std::min(known_side->second, shape.dims[2]);
    }
    for (const auto& [size, side] : shortest) {
      INFO(entry.key() << " with " << size << " chips");
      const auto found = find_slice_of_size(chip, size);
      REQUIRE(found.has_value());
      CHECK(chips(*found) == size);
      if (!says(std::string{name(*found).view()}, "x")) continue;  // named
      CHECK(found->shape.dims[2] == side);
    }
  }
  STATIC_REQUIRE(chips(*find_slice_of_size(v4, 3072)) == 3072);
  for (const std::int64_t none : {std::int64_t{-4}, std::int64_t{0}, std::int64_t{3}, std::int64_t{5},
                                  std::int64_t{100}, std::int64_t{6145}, std::int64_t{8960}, std::int64_t{1} << 50}) {
    INFO(none);
    CHECK_FALSE(find_slice_of_size(v5p, none).has_value());
    CHECK_FALSE(find_slice_of_size(v5e, none).has_value());
  }
}

TEST_CASE("a chip of the caller's own has slices") {
  static constexpr auto my_chip = [] {
    chip_spec chip = v6e;
    chip.name = "v6e-48";
    chip.hbm.capacity = 48_GiB;
    chip.hbm.usable_per_device = unknown;
    return chip;
  };
  static constexpr slice mine = slice_of(my_chip(), {{8, 16, 1}, 2});
  STATIC_REQUIRE(chips(mine) == 128);
  STATIC_REQUIRE(vms(mine) == 32);
  STATIC_REQUIRE(mine.chip.hbm.capacity == 48_GiB);
  STATIC_REQUIRE(usable_hbm_per_device(mine.chip) == 48_GiB);  // no budget known: all of it
  STATIC_REQUIRE(usable_hbm(mine).value() == 128 * 48 * 1073741824.0);
  STATIC_REQUIRE(name(mine) == "v6e-48-8x16");
  STATIC_REQUIRE(!machine_type_of(mine).has_value());
  STATIC_REQUIRE(wraparound(mine)[1] == known<bool>{true});
  STATIC_REQUIRE(chips(*find_slice_of_size(my_chip(), 64)) == 64);
  STATIC_REQUIRE(!nearest(my_chip(), 64).smaller.has_value());
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= 300; ++size) {
    if (find_slice_of_size(my_chip(), size)) sizes.push_back(size);
  }
  CHECK(sizes == std::vector<std::int64_t>{1, 4, 8, 16, 32, 64, 128, 256});
  CHECK(refusal_of([] {
          (void)slice_of(my_chip(), {{16, 32, 1}, 2});
        }).code == errc::unknown_name);  // above the largest
  chip_spec larger = my_chip();
  larger.pod.largest_slice = 1024;
  CHECK(chips(slice_of(larger, {{16, 32, 1}, 2})) == 512);

  chip_spec in_three = v5p;
  in_three.name = "v5p-next";
  CHECK(shape_of(*find_slice_of_size(in_three, 64)) == "4x4x4");
  CHECK(shape_of(*find_slice_of_size(in_three, 8)) == "2x2x2");
  CHECK(shape_of(*find_slice_of_size(in_three, 3072)) == "12x16x16");
  CHECK_FALSE(find_slice_of_size(in_three, 100).has_value());
}

TEST_CASE("peak rates that a chip does not have, or that nobody documents") {
  struct row {
    chip_spec chip;
    dtype type;
    const char* why;
  };
  for (const row& r : {row{v2, dtype::int8, "absent"},
                       {v3, dtype::int8, "absent"},
                       {v3, dtype::fp8, "absent"},
                       {v4, dtype::fp8, "absent"},
                       {v4, dtype::int4, "absent"},
                       {tpu7x, dtype::int8, "absent"},
                       {tpu7x, dtype::int4, "absent"},
                       {tpu8i, dtype::int8, "absent"},
                       {tpu8i, dtype::int4, "unknown"}}) {
    INFO(r.chip.name.view() << " " << name(r.type));
    const refusal got = refusal_of([&] { (void)peak_rate(r.chip, r.type); });
    CHECK(got.code == errc::unknown_figure);
    CHECK(says(got.message, std::string{name(r.type)} + " peak of the chip is " + r.why));
  }
  STATIC_REQUIRE(peak_rate(v5p, dtype::fp32) == peak_rate(v5p, dtype::bf16));
  STATIC_REQUIRE(peak_rate(v5p, dtype::fp16) == peak_rate(v5p, dtype::bf16));
  CHECK(refusal_of([] { (void)peak_rate(chip_spec{}, dtype::bf16); }).code == errc::unknown_figure);
  CHECK(refusal_of([] { (void)usable_hbm_per_device(chip_spec{}); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)vmem_bandwidth(v5p); }).code == errc::unknown_figure);
}

TEST_CASE("a chip whose HBM or links alone were changed is refused, not half believed", "[door]") {
  chip_spec more = v6e;
  more.hbm.capacity = 48_GiB;
  const refusal kept = refusal_of([&] { (void)usable_hbm_per_device(more); });
  CHECK(says(kept.message, "chip.hbm.usable_per_device is"));
  chip_spec less = v6e;
  less.hbm.capacity = 16_GiB;
  CHECK(refusal_of([&] { (void)usable_hbm_per_device(less); }).code == errc::out_of_range);
  const chip_spec both = with_hbm(v6e, 48_GiB);
  CHECK(close(usable_hbm_per_device(both) / usable_hbm_per_device(v6e), 1.5));
  CHECK(both.hbm.documented == 48_GiB);
  for (const chip_spec& chip : generations) {
    CHECK(with_hbm(chip, chip.hbm.capacity).hbm.usable_per_device == chip.hbm.usable_per_device);
    CHECK_FALSE(refusal_of([&] { (void)usable_hbm_per_device(chip); }).refused);
  }
  chip_spec mine;  // made from nothing: the share of the links that is achieved has to be said
  mine.ici.nominal_one_way = 100_GB_per_s;
  CHECK(says(refusal_of([&] { (void)ici_axis_both_ways(mine); }).message, "chip.ici.achievable_fraction is 0"));
  CHECK(close(ici_axis_both_ways(with_achieved_links(v5p, 85_GB_per_s)).value(), 170e9));
}

TEST_CASE("counts that no chip has are refused by name", "[door]") {
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{65}, std::int64_t{1} << 40}) {
    chip_spec chip = v6e;
    chip.jax_devices = wrong;
    INFO(wrong);
    CHECK(says(refusal_of([&] { validate(chip); }).message, "chip.jax_devices is"));
    CHECK(says(refusal_of([&] { (void)usable_hbm_per_device(chip); }).message, "chip.jax_devices is"));
  }
}

TEST_CASE("the axes of a shape come from its dimensions", "[door]") {
  CHECK(chips(slice_of(v5p, {4, 4, 12})) == 192);
  CHECK(chips(slice_of(v5p, topology_for("4x4x12"))) == 192);
  CHECK(topology_for("4x8").axes == 2);
}

TEST_CASE("each length of a shape is up to 9999 chips") {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const std::int32_t length : {-1, 10000}) {
      topology shape{4, 4, 4};
      shape.dims[axis] = length;
      CHECK(says(refusal_of([&] { (void)chips(shape); }).message, "topology.dims is " + std::to_string(length)));
    }
  }
}

}  // namespace hardware_slice_tests
