#include "cli/maxtext.hpp"

#include <fmt/format.h>
#include <utility>

#include <tpuplan/hardware/slice.hpp>

#include "cli/config.hpp"

namespace cli {

using namespace tpuplan;

void add_maxtext_options(command& to, maxtext_options& into) {
  for (option& one : to.options) {
    const bool beside = one.form == option::shape::argument || one.name == "--slice" || one.name == "--slices" ||
                        one.name == "--software";
    if (!beside) one.excludes({"--maxtext"});
  }
  to.add("--maxtext", into.file, "a MaxText configuration, flat YAML, which decides model, job and layout")
      .decides("job.global_batch job.sequence_length job.gradient_accumulation");
  to.add("--set", into.settings, "its arguments, which stand above it: remat_policy=full").whole().needs({"--maxtext"});
}

maxtext_question ask_maxtext(const maxtext_options& given, const std::string& slice_name, std::int64_t slices,
                             const std::string& config) {
  maxtext_keys keys = read_maxtext_keys(read_maxtext_file(given.file), given.file);
  for (const std::string& one : given.settings) add_maxtext_argument(keys, one);
  std::string where = slice_name;
  if (where.empty()) {
    const auto named = keys.values.find("compile_topology");
    if (named == keys.values.end() || named->second.value.empty())
      refuse_missing("--slice", "v5p-128, v5e-16, v6e-8x16 ..., or compile_topology in the configuration");
    named->second.is_asked_for = true;
    where = named->second.value;
  }
  const model_config own = config.empty() ? model_config{} : load_model(config);
  maxtext_question asked =
      read_maxtext(std::move(keys), slice_for(where), slices, config.empty() ? nullptr : &own.model);
  if (asked.steps > 0 && !given.has_run) asked.unused.emplace_back("steps");
  return asked;
}

model_config model_of(const maxtext_question& asked) {
  model_config config;
  config.model = asked.model;
  config.model_type = "maxtext";
  for (const auto& [key, value] : asked.assumed) config.assumed.push_back({key, value, "MaxText's configuration"});
  return config;
}

ordered_json json_of_unused(const maxtext_question& asked) {
  ordered_json list = asked.unused;
  for (const std::string& key : asked.skipped) list.push_back(key);
  return list;
}

view_part unused_part(const maxtext_question& asked) {
  view_part part;
  const std::size_t count = asked.unused.size() + asked.skipped.size();
  if (count == 0) return part;
  part.title = "keys that mean nothing here";
  std::string line;
  std::size_t listed = 0;
  const auto add = [&](const std::string& one) {
    if (++listed > 40) return;
    const std::string shown = one.size() > 60 ? one.substr(0, 57) + "..." : one;
    if (line.size() + shown.size() > 108) part.sentences.push_back(std::exchange(line, {}));
    line += (line.empty() ? "" : " ") + shown;
  };
  for (const std::string& one : asked.unused) add(one);
  for (const std::string& one : asked.skipped) add(one + " (over several lines)");
  part.sentences.push_back(line);
  if (count > 40) part.sentences.push_back(fmt::format("and {} more: --json lists them all", count - 40));
  return part;
}

}  // namespace cli
