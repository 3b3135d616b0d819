// The names of slices that XPK, MaxText, GKE, Compute Engine and people write, against data/names.json: each is read as
// the slice that its source means, or refused with what is meant.

#include <array>
#include <map>
#include <string>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json/file.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace oracle_names_tests {

namespace {

const nlohmann::json& names_file() {
  static const nlohmann::json file = load_json(TPUPLAN_DATA_DIR "/names.json");
  return file;
}

std::string text_of(const nlohmann::json& row, const char* key) { return row.at(key).get<std::string>(); }

void check_read(const nlohmann::json& row) {
  const auto found = find_slice(text_of(row, "name"));
  REQUIRE(found.has_value());
  CHECK(name(*found) == text_of(row, "slice"));
  CHECK(name(slice_for(text_of(row, "slice"))) == text_of(row, "slice"));
  if (row.contains("shape")) {
    const topology theirs = detail::ascending(topology_for(text_of(row, "shape")));
    CHECK(chips(*found) == chips(theirs));
    CHECK(found->shape == (row.contains("here") ? topology_for(text_of(row, "here")) : theirs));
  }
  if (row.contains("vms")) {
    // As many VMs as there, or the other division of the slice has them.
    const auto other = other_vm_layout(*found);
    const std::int64_t theirs = row.at("vms").get<std::int64_t>();
    CHECK((vms(*found) == theirs || (text_of(row, "from") == "xpk" && other && vms(*other) == theirs)));
  }
  if (row.contains("devices")) CHECK(devices(*found) == row.at("devices").get<std::int64_t>());
  if (row.contains("wraps")) {
    const std::array<known<bool>, 3> wraps = wraparound(*found);
    for (std::size_t axis = 0; axis < row.at("wraps").size(); ++axis)
      CHECK(wraps[axis] == known<bool>{row.at("wraps")[axis].get<bool>()});
  }
}

}  // namespace

TEST_CASE("every name of XPK, MaxText, GKE and Compute Engine is read, or refused with what is meant") {
  std::map<std::string, int> count;
  for (const nlohmann::json& row : names_file().at("names")) {
    INFO(row.dump());
    ++count[text_of(row, "from")];
    CHECK(names_file().at("sources").contains(text_of(row, "from")));
    if (row.contains("slice")) {
      check_read(row);
      continue;
    }
    CHECK_FALSE(find_slice(text_of(row, "name")).has_value());
    const refusal got = refusal_of([&] { (void)slice_for(text_of(row, "name")); });
    INFO(got.message);
    CHECK(got.code == errc::unknown_name);
    CHECK(says(got.message, text_of(row, "says")));
    CHECK_FALSE(text_of(row, "refused").empty());
  }
  CHECK(count["xpk"] == 2020);
  CHECK(count["maxtext"] == 223);
  CHECK((count["gke"] > 30 && count["compute_engine"] > 8 && count["cluster_toolkit"] > 10));
}

TEST_CASE("both divisions of a slice into VMs can be named, and each name is read back") {
  for (const char* one_slice : {"v6e-8", "v5litepod-8"}) {
    INFO(one_slice);
    const slice whole = slice_for(one_slice);
    CHECK(vms(whole) == 1);
    const auto halves = other_vm_layout(whole);
    REQUIRE(halves.has_value());
    CHECK(vms(*halves) == 2);
    CHECK(name(*halves) == one_slice);
    CHECK(vms(*other_vm_layout(*halves)) == 1);
    for (const slice& where : {whole, *halves}) {
      const auto again = find_slice(machine_name(where));
      REQUIRE(again.has_value());
      CHECK((again->shape == where.shape && again->chips_per_vm == where.chips_per_vm));
    }
  }
  CHECK(machine_name(*other_vm_layout(slice_for("v6e-8"))) == "ct6e-standard-4t:2x4");
  CHECK_FALSE(other_vm_layout(slice_for("v6e-16")).has_value());
  CHECK(machine_name(slice_for("v2-8")).empty());
}

}  // namespace oracle_names_tests
