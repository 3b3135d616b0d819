#include "cli/own_words.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace cli {

using namespace tpuplan;

namespace {

/// A field of the library and the options that fill it, the usual one first.
struct filled_field {
  std::string_view field;
  std::initializer_list<std::string_view> options;
};

const filled_field filled_fields[] = {
    {"training_job.global_batch", {"--batch", "--batch-tokens", "--batch-per-core", "--maxtext"}},
    {"network_job.global_batch", {"--batch", "--batch-per-core"}},
    {"plan.job.global_batch", {"--batch", "--batch-tokens"}},
    {"training_job.sequence_length", {"--seq", "--maxtext"}},
    {"training_job.gradient_accumulation", {"--accumulation", "--maxtext"}},
    {"training_job.images_per_sequence", {"--images"}},
    {"training_job.compute", {"--dtype"}},
    {"network_job.compute", {"--dtype"}},
    {"training_job.weights", {"--weights"}},
    {"training_job.moments", {"--moments"}},
    {"training_job.optimizer", {"--optimizer"}},
    {"training_job.remat", {"--remat"}},
    {"training_job.vocabulary_tiles", {"--vocabulary-tiles"}},
    {"training_job.lora_rank", {"--lora"}},
    {"training_job.lora", {"--lora"}},
    {"training_job.capacity_factor", {"--capacity-factor"}},
    {"layout.data", {"--data"}},
    {"layout.fsdp", {"--fsdp"}},
    {"layout.tensor", {"--tensor"}},
    {"layout.expert", {"--expert"}},
    {"layout.context", {"--context"}},
    {"layout.pipeline", {"--pipeline"}},
    {"layout.dcn_data", {"--slices"}},
    {"chip", {"--generation"}},
    {"plan.degrees.data", {"--data"}},
    {"plan.degrees.fsdp", {"--fsdp"}},
    {"plan.degrees.tensor", {"--tensor"}},
    {"plan.degrees.expert", {"--expert"}},
    {"plan.degrees.context", {"--context"}},
    {"plan.degrees.pipeline", {"--pipeline"}},
    {"serving_layout.tensor", {"--tensor"}},
    {"serving_layout.cache", {"--kv-by-batch"}},
    {"serving_layout.weights", {"--mlp-sharding"}},
    {"serving_layout.attention", {"--attention-group"}},
    {"serving_fleet.slices", {"--slices"}},
    {"serving_job.request_rate", {"--rate"}},
    {"serving_job.concurrency", {"--concurrency"}},
    {"serving_job.prompt.mean", {"--input-len"}},
    {"serving_job.prompt.longest", {"--input-len"}},
    {"serving_job.output.mean", {"--output-len"}},
    {"serving_job.output.longest", {"--output-len"}},
    {"simulated_traffic.prompt", {"--input-len"}},
    {"simulated_traffic.output", {"--output-len"}},
    {"simulated_traffic.rate", {"--rate"}},
    {"requests of a replica in a day", {"--day"}},
    {"simulated_traffic.requests", {"--requests", "--trace", "--day"}},
    {"simulated_traffic.variation", {"--variation"}},
    {"serving_job.ttft_target", {"--ttft"}},
    {"serving_job.tpot_target", {"--tpot"}},
    {"serving_job.weights", {"--serving-weights", "--weights"}},
    {"serving_job.activations", {"--dtype"}},
    {"serving_job.cache", {"--kv-dtype"}},
    {"serving_job.prefill_chunk", {"--prefill-chunk"}},
    {"serving_job.prefix_hit_rate", {"--prefix-hit-rate"}},
    {"serving_job.max_running", {"--max-running"}},
    {"serving_job.block_tokens", {"--block"}},
    {"serving_job.memory_fraction", {"--memory-fraction"}},
    {"serving_job.policy", {"--reserved"}},
    {"spot_run: work", {"--work", "--run", "--tokens"}},
    {"spot_run: checkpoint_interval", {"--interval"}},
    {"spot_run: checkpoint_time", {"--checkpoint", "--parameters", "--model"}},
    {"spot_run: restart_time", {"--restart"}},
    {"spot_run: queue_time", {"--queue"}},
    {"spot_run: mean_time_between_preemptions",
     {"--mtbp", "--preemption-rate", "--preemptions-per-hour", "--preemptions", "--market"}},
    {"spot_terms.mean_time_between_preemptions", {"--mtbp", "--market"}},
    {"spot_terms.checkpoint_time", {"--checkpoint", "--parameters"}},
    {"spot_terms.restart_time", {"--restart"}},
    {"spot_terms.queue_time", {"--queue"}},
    {"optimal_interval: checkpoint_time", {"--checkpoint"}},
    {"optimal_interval: mean_time_between_preemptions", {"--mtbp"}},
    {"young_interval: checkpoint_time", {"--checkpoint"}},
    {"young_interval: mean_time_between_preemptions", {"--mtbp"}},
    {"flex_start_terms.checkpoint_time", {"--checkpoint"}},
    {"flex_start_terms.restart_time", {"--restart"}},
    {"flex_start_terms.queue_time", {"--queue"}},
    {"migration.jobs_per_month", {"--jobs"}},
    {"migration.engineering", {"--engineering"}},
    {"migration.discount", {"--discount"}},
    {"payment_terms.rest_of_term_used", {"--rest-used"}},
    {"run time", {"--run", "--work", "--tokens"}},
    {"plan.generations", {"--generation"}},
    {"plan.tokens", {"--tokens", "--steps", "--examples"}},
    {"plan.deadline in seconds", {"--deadline"}},
    {"plan.deadline", {"--deadline"}},
    {"plan.budget", {"--budget"}},
    {"plan.regions", {"--region"}},
    {"plan.region", {"--region"}},
    {"plan.kinds", {"--provisioning"}},
    {"plan.quotas", {"--quota"}},
    {"plan.smallest_chips", {"--min-chips"}},
    {"plan.largest_chips", {"--max-chips"}},
    {"plan.largest_slices", {"--max-slices"}},
    {"plan.smallest_batch_tokens", {"--min-batch-tokens"}},
    {"plan.largest_batch_tokens", {"--max-batch-tokens"}},
    {"rest of the term in use", {"--rest-used"}},
    {"batch_tokens", {"--batch-tokens"}},
    {"smallest_batch_tokens", {"--min-batch-tokens"}},
    {"capacity_factor", {"--capacity-factor"}},
    {"images_per_sequence", {"--images"}},
    {"freeze_vision", {"--freeze"}},
    {"may_be_split", {"--whole"}},
    {"slice", {"--slice"}},
    {"slices", {"--slices"}},
    {"slice.chips_per_vm", {"--machine-type", "--slice"}},
    {"slice shape", {"--slice"}},
    {"gpu", {"--gpu"}},
    {"machine_type", {"--machine-type"}},
    {"max_run", {"--max-run"}},
    {"max_restarts", {"--max-restarts"}},
    {"service_account", {"--service-account"}},
    {"provisioning", {"--provisioning"}},
    {"reservation", {"--reservation"}},
    {"name", {"--name"}},
    {"project", {"--project"}},
    {"zone", {"--zone"}},
    {"cluster", {"--cluster"}},
    {"image", {"--image"}},
    {"checkpoint", {"--checkpoint"}},
    {"output", {"--output"}},
    {"queue", {"--queue"}},
    {"location", {"--location"}},
    {"tensorboard", {"--tensorboard"}},
    {"command", {"--command"}},
    {"args", {"--args"}},
    {"run", {"--run"}},
};

/// The option of the command that filled the field: the first that was given, else the first that the command has.
const option* option_of(const command& asked, std::string_view field) {
  const auto* found = std::find_if(std::begin(filled_fields), std::end(filled_fields),
                                   [&](const filled_field& one) { return one.field == field; });
  if (found == std::end(filled_fields)) return nullptr;
  const option* there = nullptr;
  for (const std::string_view name : found->options) {
    const option* one = asked.find(name);
    if (one == nullptr) continue;
    if (one->is_given()) return one;
    if (there == nullptr) there = one;
  }
  return there;
}

bool is_number(std::string_view words) {
  return !words.empty() && words.find_first_not_of("0123456789.e+-") == std::string_view::npos &&
         words.find_first_of("0123456789") == 0;
}

/// The typed text, followed by the refused number if that differs from it.
std::string typed(const option& one, std::string_view refused, errc why) {
  if (!one.is_given()) {
    if (why == errc::missing_field) return "missing";
    return std::string(refused) + (is_number(refused) ? " where it is not given" : "");
  }
  if (one.form == option::shape::flag) return "given";
  const std::string& words = one.given.back();
  if (!is_number(refused)) return std::string(refused);
  const bool another = is_number(words)
                           ? std::strtod(words.c_str(), nullptr) != std::strtod(std::string(refused).c_str(), nullptr)
                           : words.find_first_of("smhdw") == std::string::npos;
  return another ? words + ", which is " + std::string(refused) : words;
}

/// Where the field stands in the words, not as a part of a longer name; npos if nowhere.
std::size_t find_whole(const std::string& words, std::string_view field) {
  const auto is_part = [&](std::size_t i) {
    return i < words.size() && (std::isalnum(static_cast<unsigned char>(words[i])) != 0 || words[i] == '_');
  };
  for (std::size_t at = words.find(field); at != std::string::npos; at = words.find(field, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + field.size())) return at;
  }
  return std::string::npos;
}

/// The valid values with options in place of fields, without fields for which there is no option.
std::string valid_words(const command& asked, std::string valid) {
  for (const std::string_view none : {", or one of plan.chips", ", or beyond_max_positions"}) {
    const std::size_t at = valid.find(none);
    if (at == std::string::npos) continue;
    const bool has_flag = none == ", or beyond_max_positions" && asked.find("--beyond-max") != nullptr;
    valid.replace(at, none.size(), has_flag ? ", or --beyond-max" : "");
  }
  for (const filled_field& one : filled_fields) {
    const bool is_no_word = one.field.find_first_of("._") != std::string_view::npos;
    const std::size_t at = is_no_word ? find_whole(valid, one.field) : std::string::npos;
    const option* const there = at == std::string::npos ? nullptr : option_of(asked, one.field);
    if (there != nullptr) valid.replace(at, one.field.size(), there->name);
  }
  return valid;
}

/// "--fsdp 8, --tensor 3".
std::string degrees_given(const command& asked) {
  std::string words;
  for (const char* name : {"--data", "--fsdp", "--tensor", "--expert", "--context", "--pipeline"}) {
    const option* one = asked.find(name);
    if (one != nullptr && one->is_given()) words += (words.empty() ? "" : ", ") + one->name + " " + one->given.back();
  }
  return words;
}

/// What is meant by several slices in one name, "4 x v6e-256", as the tables write them; empty for other words.
std::string several_slices(const command& asked, std::string_view words) {
  const std::size_t digits = words.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return {};
  const std::size_t cross = words.find_first_not_of(' ', digits);
  if (cross == std::string_view::npos || words[cross] != 'x') return {};
  const std::size_t from = words.find_first_not_of(' ', cross + 1);
  if (from == std::string_view::npos || !find_slice(words.substr(from))) return {};
  const std::string one(words.substr(from));
  return asked.find("--slices") == nullptr ? one + ": one slice"
                                           : one + " with --slices " + std::string(words.substr(0, digits));
}

}  // namespace

error in_own_words(const command& asked, const error& refusal) {
  const std::string_view field = refusal.field();
  const std::string valid = valid_words(asked, std::string(refusal.valid()));
  if (field == "product of the layout's degrees" && !degrees_given(asked).empty())
    return {refusal.code(), "product of the degrees, with " + degrees_given(asked), refusal.given(), valid};
  constexpr std::string_view quotas = "plan.quotas.";
  if (field.substr(0, quotas.size()) == quotas)
    return {refusal.code(), std::string(field.substr(quotas.size())) + " in the file of --quota", refusal.given(),
            valid};
  const option* const there = option_of(asked, field);
  if (there == nullptr) return {refusal.code(), field, refusal.given(), valid};
  if (there->name == "--slice" && there->is_given()) {
    const std::string meant = several_slices(asked, there->given.back());
    if (!meant.empty()) return {refusal.code(), there->name, there->given.back(), meant};
  }
  return {refusal.code(), there->name, typed(*there, refusal.given(), refusal.code()), valid};
}

std::string change_in_own_words(const command& asked, std::string_view field, std::string_view value,
                                std::string_view before) {
  const option* const there = option_of(asked, field);
  if (there != nullptr && there->form == option::shape::flag) return (there->is_given() ? "no " : "") + there->name;
  std::string words = there == nullptr ? std::string(field) : there->name;
  for (const std::string_view one : {std::string_view(" "), value, std::string_view(" instead of "), before})
    words += one;
  return words;
}

}  // namespace cli
