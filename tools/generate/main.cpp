// Writes the tables that the headers hold from data/, between the marks
//   // generated: NAME ...
//   // end of generated: NAME
// With --check it changes nothing, names the headers whose tables are not what data/ says, and fails where there is
// one.
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "generate/marks.hpp"

namespace {

struct table {
  const char* header;
  const char* name;
  const char* source;
  std::string (*write)(generate::data_folder&);
};

constexpr table tables[] = {
    {"hardware/generations.hpp", "chips", "hardware.json", generate::chip_table},
    {"hardware/generations.hpp", "chip_aliases", "hardware.json", generate::alias_table},
    {"hardware/slice_table.hpp", "slices", "slices.json", generate::slice_table},
    {"hardware/slice_table.hpp", "machine_types", "hardware.json", generate::machine_table},
    {"hardware/gpus.hpp", "gpu_offers", "gpus.json", generate::gpu_table},
    {"cost/price_table.hpp", "us_prices", "prices.json", generate::price_table},
    {"read/world_prices.hpp", "other_prices", "prices.json", generate::other_price_table},
    {"cost/lifetimes.hpp", "spot_lifetimes", "lifetimes.json", generate::lifetime_table},
    {"read/zones.hpp", "zones", "zones.json", generate::zone_table},
    {"simulate/split.hpp", "cache_transfers", "transfers.json", generate::transfer_table},
    {"read/hf/default_rows.hpp", "hf_class_rows", "hf_defaults.json", generate::defaults_table},
    {"launch/offers.hpp", "launch_offers", "launch.json", generate::offer_table},
    {"launch/offers.hpp", "service_chips", "launch.json", generate::service_chip_table},
};

/// The door of a folder of headers: what it includes.
generate::generated_text door_of(const std::string& root, const std::string& folder, const char* name) {
  std::set<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/include/tpuplan/" + folder))
    if (entry.path().extension() == ".hpp")
      lines.insert("#include <tpuplan/" + folder + "/" + entry.path().filename().string() + ">\n");
  return {"include/tpuplan/" + folder + ".hpp", name, "include/tpuplan/" + folder,
          [lines](const std::string&) { return std::accumulate(lines.begin(), lines.end(), std::string()); }};
}

std::vector<generate::generated_text> parts_of(const std::string& root) {
  generate::data_folder data(root + "/data");
  std::vector<generate::generated_text> parts = {door_of(root, "launch", "launch_headers")};
  for (const table& t : tables)
    parts.push_back({std::string("include/tpuplan/") + t.header, t.name, std::string("data/") + t.source,
                     [lines = t.write(data)](const std::string&) { return lines; }});
  return parts;
}

}  // namespace

int main(int count, char** arguments) { return generate::run_generator(count, arguments, "generate", parts_of); }
