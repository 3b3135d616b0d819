#include "generate/generate.hpp"

#include <stdexcept>

namespace generate {

namespace {

/// The text that an object has under a chip's name; "" where it has none.
std::string of(const json& object, const std::string& chip) {
  return in_quotes(object.contains(chip) ? object.at(chip).get<std::string>() : std::string());
}

std::string gke_offer(const json& gke, const std::string& chip) {
  const json& labels = at(gke, "accelerators", "launch.json: gke");
  const auto label = [&](const char* key) {
    return in_quotes(labels.contains(chip) ? at(labels.at(chip), key, chip).get<std::string>() : std::string());
  };
  const auto listed_in = [&](const char* key) { return literal(has(at(gke, key, "launch.json: gke"), chip)); };
  return joined({label("one_vm"), label("more"), listed_in("multislice"), listed_in("flex_start"),
                 listed_in("pools_of_several_vms"), listed_in("workload_policy"), listed_in("flex_start_several_vms"),
                 listed_in("queued"), listed_in("hyperdisk")});
}

/// The number that an object has under each chip's name; 0 where it has none.
std::string chips_of(const json& numbers, const std::string& chip) {
  return std::to_string(numbers.contains(chip) ? numbers.at(chip).get<std::int64_t>() : 0);
}

std::string gcloud_offer(const json& gcloud, const std::string& chip) {
  const std::string owner = "launch.json: gcloud";
  const json& most = at(gcloud, "most_chips", owner);
  return joined({of(at(gcloud, "runtime_versions", owner), chip), literal(has(at(gcloud, "multislice", owner), chip)),
                 literal(has(at(gcloud, "flex_start", owner), chip)), chips_of(most, chip)});
}

std::string gce_offer(const json& gce, const std::string& chip) {
  const std::string owner = "launch.json: gce";
  return joined({of(at(gce, "image_families", owner), chip), literal(has(at(gce, "hyperdisk", owner), chip)),
                 of(at(gce, "flex_start_fails", owner), chip)});
}

std::string tool_offer(const json& file, const std::string& chip) {
  const auto listed_in = [&](const char* tool, const char* key) {
    return literal(has(at(at(file, tool, "launch.json"), key, tool), chip));
  };
  const json& smallest = at(at(file, "xpk", "launch.json"), "smallest_slice", "xpk");
  return joined({chips_of(smallest, chip), listed_in("xpk", "single_chip"), listed_in("skypilot", "accelerators"),
                 listed_in("skypilot", "machine_types"),
                 of(at(at(file, "skypilot", "launch.json"), "flex_start_zones", "skypilot"), chip),
                 of(at(at(file, "skypilot", "launch.json"), "flex_start_shapes", "skypilot"), chip)});
}

}  // namespace

std::string offer_table(data_folder& data) {
  const json& file = data["launch.json"];
  std::string text = "inline constexpr launch_offer launch_offers[] = {\n";
  for (const std::string& chip : data.chips()) {
    text += "    {" + in_quotes(chip) + ",\n";
    text += "     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,\n";
    text += "       flex_start_several_vms, queued, hyperdisk*/\n";
    text += "     {" + gke_offer(at(file, "gke", "launch.json"), chip) + "},\n";
    text += "     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {" +
            gcloud_offer(at(file, "gcloud", "launch.json"), chip) + "},\n";
    text += "     /*gce: image_family, hyperdisk, flex_fails*/ {" + gce_offer(at(file, "gce", "launch.json"), chip) +
            "},\n";
    text +=
        "     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/\n     {" +
        tool_offer(file, chip) + "}},\n";
  }
  return unformatted(text + "};\n");
}

/// The chips of each service that has a list of them, or an object with its own names of them.
std::string service_chip_table(data_folder& data) {
  std::string text = "inline constexpr service_chip service_chips[] = {\n";
  for (const auto& [service, entry] : data["launch.json"].items()) {
    if (!entry.is_object() || !entry.contains("generations")) continue;
    const json& offered = entry.at("generations");
    std::size_t found = 0;
    for (const std::string& chip : data.chips()) {
      if (offered.is_object() ? !offered.contains(chip) : !has(offered, chip)) continue;
      const std::string called = offered.is_object() ? of(offered, chip) : in_quotes("");
      text += "    {" + joined({in_quotes(service), in_quotes(chip), called}) + "},\n";
      ++found;
    }
    if (found != offered.size()) throw std::runtime_error("launch.json: " + service + ".generations has no such chip");
  }
  return unformatted(text + "};\n");
}

}  // namespace generate
