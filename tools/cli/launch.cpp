// tpuplan launch
#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/show/views/common.hpp>

#include "cli/commands.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/print.hpp"
#include "cli/zones.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct launch_options {
  std::string plan, target, slice_name, machine, command, engine, model, drafts, flags, scaler, secret;
  std::int64_t rank = 1;
  std::optional<std::int64_t> slices, restarts, boot_disk;
  std::optional<provisioning> capacity;
  bool maxtext = false, maxdiffusion = false, tpu_vm = false;
  std::vector<std::string> maxtext_extra;
  launch_request request;
};

nlohmann::json read_standard_input() {
  std::string characters;
  char block[65536];
  while (const std::size_t got = std::fread(block, 1, sizeof(block), stdin)) {
    characters.append(block, got);
    if (characters.size() > json_limits{}.bytes) break;  // which parse_json refuses
  }
  return parse_json(characters, "standard input");
}

/// The document of a plan, from a file or from standard input.
nlohmann::json read_plan_document(const std::string& given) {
  nlohmann::json document = given == "-" ? read_standard_input() : load_json(given);
  if (!is_of_pictures(document) && (!document.is_object() || !document.contains("plans")))
    refuse("PLAN.json", given + " without plans",
           "the output of tpuplan plan --json; of images also that of generate and train", errc::missing_field);
  return document;
}

/// The plan to launch and the question that it answers, where a document was given.
struct planned_training {
  plan_request asked;
  plan best;
};

/// What a document plans: the training of a text model, or images and clips; neither without one.
struct planned_work {
  std::optional<planned_training> training;
  std::optional<planned_pictures> pictures;
};

planned_work plan_of(const launch_options& given) {
  constexpr std::string_view valid = "either the output of tpuplan plan --json, or --slice";
  if (given.plan.empty() && given.slice_name.empty()) refuse_missing("PLAN.json", valid);
  if (given.plan.empty()) return {};
  if (!given.slice_name.empty()) refuse("PLAN.json", "given with --slice", valid);
  const nlohmann::json document = read_plan_document(given.plan);
  const std::string source = given.plan == "-" ? "plan" : given.plan;
  if (is_of_pictures(document)) {
    if (given.rank != 1 && !document.contains("plans"))
      refuse("--rank", std::to_string(given.rank), "1: the document has one answer");
    const maybe<provisioning> capacity = given.capacity ? maybe<provisioning>(*given.capacity) : nothing;
    return {std::nullopt, read_pictures(document, given.rank, capacity, given.request, source)};
  }
  const plan best = tpuplan::read_plan(document, given.rank, source);
  return {planned_training{read_plan_request(document, source), best}, std::nullopt};
}

/// Whether Compute Engine lists the machine type of the slice under this name too: "ct6e-standard-8t-tpu".
bool is_listed_like(const machine_type& type, const slice& where) {
  const maybe<machine_type> usual = machine_type_of(where);
  return usual && same_name(std::string(usual->name.view()) + "-tpu", type.name);
}

/// Refuses a plan that is paid by a commitment unless the options say where its capacity comes from.
void check_commitment(provisioning planned, const launch_options& given) {
  if (!is_commitment(planned) || given.capacity || !given.request.reservation.empty()) return;
  refuse(
      "--provisioning", fmt::format("missing for a plan that {} pays for", name(planned)),
      "--reservation with what was reserved for the commitment, or --provisioning on_demand: it is a discount on use",
      errc::missing_field);
}

launch_request make_request(const launch_options& given, const planned_work& planned) {
  launch_request request = planned.pictures ? planned.pictures->request : given.request;
  request.boot_disk = static_cast<double>(given.boot_disk.value_or(0)) * 1_GB;
  const std::optional<planned_training>& plan = planned.training;
  if (given.slices && !given.plan.empty())
    refuse("--slices", std::to_string(*given.slices), "none with a plan, which has its own");
  if (plan) {
    if (!plan->best.costs.empty()) check_commitment(chosen_cost(plan->best).kind, given);
    request = given.capacity ? launch_of(plan->best, plan->asked, *given.capacity, request)
                             : launch_of(plan->best, plan->asked, request);
  } else if (!planned.pictures) {
    request.where = slice_for(given.slice_name);
    request.slices = given.slices.value_or(1);
    request.capacity = given.capacity.value_or(provisioning::on_demand);
  }
  const std::string machine = given.slice_name.substr(0, given.slice_name.find_first_of(":, "));
  for (const machine_type& type : machine_types()) {  // a slice named by its machine type is on it
    if (same_name(type.name, machine) && !is_listed_like(type, request.where))
      request.where = on_machine_type(request.where, type.name);
  }
  if (!given.machine.empty()) request.where = on_machine_type(request.where, given.machine);
  request.max_restarts = given.restarts.value_or(request.max_restarts);
  if (request.max_restarts < 0) refuse("--max-restarts", std::to_string(request.max_restarts), "a whole number");
  return request;
}

/// What a run leaves in its folder, and what a month of it costs where the slice is.
void say_of_checkpoints(const launch_request& request, bytes each, std::int64_t steps, std::int64_t period,
                        std::int64_t kept) {
  const std::string region = request.zone.empty() ? request.location : region_of_zone(request.zone);
  const auto all = static_cast<double>(steps);
  const seconds every{period > 0 ? static_cast<double>(period) : all};
  write_error("tpuplan: " + readable::words_of_checkpoints(checkpoints_of(each, all, 1_s, every, region, kept)));
}

bool gives_any(const std::vector<std::string>& extra, std::initializer_list<std::string_view> keys) {
  const auto begins = [&](std::string_view key) {
    const std::string start = std::string(key) + '=';
    return std::any_of(extra.begin(), extra.end(), [&](const std::string& one) { return one.rfind(start, 0) == 0; });
  };
  return std::any_of(keys.begin(), keys.end(), begins);
}

/// The whole number that an argument gives a key, if one does.
std::optional<std::int64_t> number_of(const std::vector<std::string>& extra, std::string_view key) {
  for (const std::string& one : extra) {
    if (one.size() > key.size() + 1 && one.compare(0, key.size(), key) == 0 && one[key.size()] == '=')
      if (const std::int64_t number = std::atoll(one.c_str() + key.size() + 1); number > 0) return number;
  }
  return std::nullopt;
}

/// What the plan counts on and MaxText does not do by itself: tuned kernels and tiles, and evaluations.
void say_of_tuning(const planned_training& plan, const maxtext_run& run) {
  const training_job& job = run.job;
  const bool grouped = has_experts(run.model) && job.capacity_factor == 1 && !job.default_tiles;
  const auto sets = [&](std::string_view start) {
    return std::any_of(run.extra.begin(), run.extra.end(),
                       [&](const std::string& one) { return one.rfind(start, 0) == 0; });
  };
  if (grouped && !sets("wi_tile_") && !sets("wo_tile_"))
    write_error(
        "tpuplan: the plan's time is that of grouped products in tiles for their shapes (wi_tile_*, wo_tile_* by "
        "--set); MaxText's own tiles are for none: plan with --default-tiles for these");
  if (job.attention == attention_kernel::tuned && !sets("sa_") && !sets("use_tokamax"))
    write_error(
        "tpuplan: the plan's time is that of an attention kernel that was tuned: set its blocks (sa_block_*, "
        "use_tokamax_splash by --set), or plan with --attention flash");
  if (plan.asked.around.evaluate_every > 0 && !sets("eval_interval="))
    write_error(
        fmt::format("tpuplan: MaxText evaluates nothing by itself: the plan counts an evaluation every {} steps: --set "
                    "eval_interval={}, with eval_steps and its data set",
                    plan.asked.around.evaluate_every, plan.asked.around.evaluate_every));
}

/// What a run of MaxText leaves behind in its folder, what it is compiled without, and what sizes do not tell it.
void say_of_maxtext(const launch_options& given, const launch_request& request, const planned_training& plan,
                    const maxtext_run& run, const std::vector<std::string>& command) {
  if (gives_any(command, {"decoder_block"}) && !gives_any(run.extra, {"decoder_block", "model_name"}))
    write_error(
        "tpuplan: MaxText has the sizes of the model, not what has no size: set rope_max_timescale, rope_type, "
        "mlp_activations and, of experts, norm_topk_prob and routed_score_func where they are not its defaults");
  if (given.flags.empty() && !recipe_flags(request.where.chip, run).empty())
    write_error(
        fmt::format("tpuplan: MaxText is compiled without flags; recipes on {} have some: --compiler-flags recipe",
                    request.where.chip.name.view()));
  say_of_tuning(plan, run);
  if (request.checkpoint.empty())
    write_error(
        "tpuplan: without --checkpoint MaxText writes none: a failure starts the run over, and what was learned is not "
        "kept");
  const std::int64_t period = number_of(run.extra, "checkpoint_period").value_or(run.checkpoint_period);
  if (request.checkpoint.empty() || period == 0) return;
  say_of_checkpoints(request, training_state_of(plan.asked.model, plan.best.job).total, run.steps, period,
                     number_of(run.extra, "max_num_checkpoints_to_keep").value_or(run.checkpoints_kept));
}

/// The weights of some models come to who has a token alone: asks for the secret that has it, or says where it has to
/// be.
void check_token(const launch_options& given, const launch_request& request, const maxdiffusion_run& run) {
  const std::string_view gate = maxdiffusion_gate(run);
  if (gate.empty() || !request.secret.empty() || given.secret == "none") return;
  if (given.target == "gke")
    refuse_missing("--secret",
                   fmt::format("a Kubernetes secret whose key hf_api_token has a token of Hugging Face with "
                               "access to {}; or none, where the image has one",
                               gate));
  write_error(
      fmt::format("tpuplan: {} is gated at Hugging Face: the image has to have HF_TOKEN, of somebody with "
                  "access to it; on gke a secret can have it",
                  gate));
}

/// MaxDiffusion with the layout of images or clips, and what it leaves where.
std::vector<std::string> make_pictures(const launch_options& given, const launch_request& request,
                                       const planned_pictures& planned) {
  maxdiffusion_run run = planned.run;
  run.extra = given.maxtext_extra;
  run.compiler_flags = given.flags == "none" ? "" : given.flags;
  std::vector<std::string> command = maxdiffusion_command(request, run);
  if (request.image.empty())
    refuse_missing("--image",
                   "a container of MaxDiffusion, which docker_upload_runner.sh of it builds: its programs "
                   "need Python 3.12 and its packages");
  check_token(given, request, run);
  if (!run.trains) {
    write_error(
        fmt::format("tpuplan: MaxDiffusion makes one batch of one prompt and ends: it is no service; what it makes is "
                    "copied to {}/{}",
                    request.checkpoint, request.name));
  } else if (!gives_any(run.extra, {"checkpoint_every"})) {
    say_of_checkpoints(request, planned.checkpoint, run.steps, run.checkpoint_period, run.steps);  // it keeps all
  }
  return command;
}

/// The program: a line for bash as typed, or MaxText or MaxDiffusion with the plan's layout.
std::vector<std::string> make_command(const launch_options& given, const launch_request& request,
                                      const planned_work& planned) {
  if (!given.maxtext && !given.maxdiffusion) {
    if (!given.maxtext_extra.empty())
      refuse("--set", given.maxtext_extra.front(), "an argument for --maxtext or --maxdiffusion");
    if (!given.command.empty()) return {"bash", "-c", given.command};
    if (planned.training || planned.pictures)
      write_error(
          fmt::format("tpuplan: nothing of the plan's layout, batch and steps is passed to the image: {} or "
                      "--command",
                      planned.pictures ? "--maxdiffusion" : "--maxtext"));
    return {};
  }
  const char* const by = given.maxtext ? "--maxtext" : "--maxdiffusion";
  if (!given.command.empty()) refuse("--command", "given", fmt::format("either it or {}", by));
  if (!planned.training && !planned.pictures)
    refuse_missing("PLAN.json", fmt::format("a plan, whose layout {} writes", by));
  if (planned.pictures && given.maxtext) refuse("--maxtext", "given for images or clips", "--maxdiffusion");
  if (planned.training && given.maxdiffusion) refuse("--maxdiffusion", "given for a plan without images", "--maxtext");
  if (planned.pictures) return make_pictures(given, request, *planned.pictures);
  const planned_training& plan = *planned.training;
  if (plan.best.job.sequence_length == 0)
    refuse("--maxtext", "given for a network of layers", "a language model's plan");
  if (request.image.empty())
    refuse_missing("--image", "a container of MaxText: it needs Python 3.12 and its packages, which a VM has not");
  if (given.target == "ray" && vms(request.where) > 1)
    refuse("--maxtext", "given for several VMs with --target ray", "another target: Ray starts it on the head alone",
           errc::unsupported);
  maxtext_run run = maxtext_of(plan.best, plan.asked, request.capacity);
  run.extra = given.maxtext_extra;
  run.compiler_flags = given.flags == "none" ? "" : given.flags;
  std::vector<std::string> command = maxtext_command(request, run);
  say_of_maxtext(given, request, plan, run, command);
  return command;
}

/// Refuses a key of --set that the program's file does not have, with those that are spelled like it: it would end when
/// it starts.
void check_keys(const launch_options& given, const planned_work& planned, const session& with) {
  const std::string file = with.data_dir + "/launch.json";
  if (given.maxtext_extra.empty() || !std::filesystem::exists(file)) return;
  const nlohmann::json facts = load_json(file);
  const std::string config(planned.pictures ? maxdiffusion_model_of(planned.pictures->run).config : "base");
  const nlohmann::json& keys = planned.pictures ? facts.at("maxdiffusion").at("configs").at(config).at("keys")
                                                : facts.at("maxtext").at("all_keys");
  for (const std::string& one : given.maxtext_extra) {
    const std::string key = one.substr(0, one.find('='));
    std::vector<std::string_view> names;
    for (const nlohmann::json& name : keys) names.push_back(name.get_ref<const std::string&>());
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    names = nearest_first(names, key);
    names.resize(3);
    refuse("--set", one, fmt::format("a key of {}.yml, such as {}", config, fmt::join(names, ", ")),
           errc::unknown_name);
  }
}

/// "vertex, gke, ... or ray"; and with what is written for each, "vertex: CustomJob of Vertex AI, ...".
std::string target_names() {
  constexpr std::size_t count = std::size(launch_targets);
  std::string names{launch_targets[0].name};
  for (std::size_t i = 1; i < count; ++i)
    names += fmt::format("{}{}", i + 1 < count ? ", " : " or ", launch_targets[i].name);
  return names;
}
std::string target_help() {
  std::string help;
  for (const launch_target& one : launch_targets)
    help += fmt::format("{}{}: {}", help.empty() ? "" : ", ", one.name, one.writes);
  return help;
}

/// Options for a TPU VM, which is one of the two commands of the target gcloud.
launch_output write_tpu_vm(const launch_request& request) {
  const gcloud_launch commands = gcloud_commands(request, tpu_creation::tpu_vm);
  launch_output output{gcloud_script(request, tpu_creation::tpu_vm),
                       {{"create", commands.create},
                        {"state", commands.state},
                        {"run", commands.run},
                        {"delete", commands.remove},
                        {"max_restarts", request.max_restarts}}};
  if (!commands.copy.empty()) output.json["copy"] = commands.copy;
  return output;
}

/// Refuses options that do not change what the target writes.
void check_placed(const launch_options& given, const session& with) {
  struct placeless {
    const char* target;
    const char* option;
    const char* valid;
    bool has_effect;
  };
  const bool no_pools = given.request.cluster.empty();
  const placeless all[] = {
      {"gke", "--project", "with --cluster, for the commands of its node pools", !no_pools},
      {"gke", "--zone", "with --cluster, for the commands of its node pools", !no_pools},
      {"vertex", "--zone", "--location: Vertex AI takes a region", !given.request.reservation.empty()},
      {"vertex", "--project", "with --location, for the command that creates the job",
       !given.request.location.empty() || !given.request.reservation.empty()},
      {"vertex", "--max-restarts", "0: Vertex AI restarts without counting", given.restarts == 0},
      {"skypilot", "--max-restarts", "0, or not given: SkyPilot recovers from every preemption", given.restarts == 0},
      {"ray", "--max-restarts", "not given: Ray starts a lost VM again", false}};
  for (const placeless& one : all) {
    if (given.target == one.target && !one.has_effect && with.is_given(one.option))
      refuse(one.option, fmt::format("given with --target {}", given.target), one.valid);
  }
}

/// "2:12" or "2:12:40": the fewest and the most slices, and the sequences of a slice; those of the plan, if not given.
service_scaler scaler_for(const std::string& given, const serving_plan& planned) {
  std::int64_t least = 0, most = 0;
  double running = 0;
  int used = 0;
  const char* const text = given.c_str();
  const int read = std::sscanf(text, "%6" SCNd64 ":%6" SCNd64 "%n:%12lf%n", &least, &most, &used, &running, &used);
  if (read < 2 || static_cast<std::size_t>(used) != given.size() || most < 1)
    refuse("--hpa", given, "MIN:MAX slices, or MIN:MAX:SEQUENCES with those that a slice runs: 2:12 or 2:12:40");
  service_scaler scaler = scaler_of(planned, least, most);
  if (read == 3) scaler.running = running;
  return scaler;
}

/// Refuses a zone or region without the chip under that way of paying; says of a zone for single tenants what it is.
void check_places(const launch_request& request, const session& with) {
  if (request.zone.empty() && request.location.empty()) return;
  const std::vector<zone_row> zones = known_zones(with.data_dir);
  const std::string_view chip = request.where.chip.name.view();
  const auto tell = [&](const char* option, const std::string& place) {
    write_error(
        fmt::format("tpuplan: {}: {} has {} for single tenants alone, who have the zone for themselves; for "
                    "everyone: {}",
                    option, place, chip, fmt::join(open_zones_with(zones, chip, request.capacity), ", ")));
  };
  if (!request.location.empty()) {
    check_region_of_zones(zones, request.location, chip, request.capacity);
    if (request.reservation.empty() && request.zone.empty() &&
        offer_in_region(zones, request.location, chip, request.capacity) == region_offer::single_tenants)
      tell("--location", request.location);
  }
  if (request.zone.empty()) return;
  check_zone(zones, request.zone, chip, request.capacity);
  if (request.reservation.empty() && is_for_single_tenants(zones, request.zone, chip, request.capacity))
    tell("--zone", request.zone);
}

/// The region where a plan has its price; empty where it has none.
std::string region_of(const planned_work& planned) {
  if (planned.training && !planned.training->best.costs.empty())
    return std::string(chosen_cost(planned.training->best).price.region.view());
  return planned.pictures ? planned.pictures->region : "";
}

/// The price of a chip: in the region where it will be, else where the plan has it, else in us.
maybe<price_row> price_of(const launch_request& request, const std::string& planned, const session& with) {
  std::vector<std::string> regions = {request.location, region_of_zone(request.zone)};
  if (!planned.empty()) regions.push_back(planned);
  regions.emplace_back("us");
  const loaded_prices prices("", with);
  for (const std::string& region : regions) {
    if (const maybe<price_row> found = find_price(prices.book(), request.where, region, request.capacity)) return found;
  }
  return nothing;
}

/// Refuses a region where a zone belongs, with its zones that have the chip.
void check_zone_is_no_region(const launch_request& request, const session& with) {
  const std::vector<zone_row> zones = known_zones(with.data_dir);
  const std::vector<std::string> all = open_zones_with(zones, request.where.chip.name.view(), request.capacity);
  std::vector<std::string> own;
  for (const std::string& zone : all) {
    if (region_of_zone(zone) == request.zone) own.push_back(zone);
  }
  if (!own.empty())
    refuse("--zone", request.zone, fmt::format("a zone of this region: {}", fmt::join(own, ", ")), errc::unknown_name);
  const bool is_region = std::any_of(zones.begin(), zones.end(),
                                     [&](const zone_row& one) { return region_of_zone(one.zone) == request.zone; });
  if (is_region && !all.empty())
    refuse("--zone", request.zone,
           fmt::format("a zone that has {}: {}", request.where.chip.name.view(), fmt::join(all, ", ")),
           errc::unknown_name);
}

/// The price of the slices of a request where one is known, for who reads no comments.
void say_hourly(const launch_request& request) {
  if (request.price) write_error("tpuplan: " + hourly_words(request));
}

/// Says what a plan for serving rests on that no manifest has.
void say_of_plan(const nlohmann::json& document, const serving_plan& planned, const serving_launch& launch) {
  const serving_engine own = planned.share.engine;
  if (own != launch.engine && own != serving_engine::unnamed)
    write_error(
        fmt::format("tpuplan: times and targets of the plan are those of {}: tpuplan plan --serve --engine {} plans "
                    "for what is started",
                    name(own), name(launch.engine)));
  const auto at = [&document](const char* place) {
    const nlohmann::json::json_pointer there(place);
    return document.contains(there) ? document[there] : nlohmann::json();
  };
  const nlohmann::json routing = at("/traffic/routing"), cache = at("/traffic/host_cache_gib"),
                       zones = at("/request/zones");
  if (routing.is_string() && routing != "random" && planned.slices * planned.estimate.replicas > 1)
    write_error(
        fmt::format("tpuplan: the plan routes requests by {}: a Service does not; a router, such as llm-d's, has "
                    "to stand before these pods",
                    routing.get<std::string>()));
  if (cache.is_number() && cache.get<double>() > 0)
    write_error(
        fmt::format("tpuplan: the plan counts hits in {} GiB of the hosts' memory: no flag is written that keeps "
                    "a cache there",
                    cache.get<double>()));
  const nlohmann::json modules = at("/request/model/prediction_layers");
  if (launch.drafts == "mtp" && modules.is_number() && modules.get<double>() == 0)
    write_error(
        "tpuplan: the config of the model names no modules for multi-token prediction, without which mtp does not "
        "start");
  if (zones.is_number() && zones.get<double>() > 1)
    write_error(fmt::format("tpuplan: the plan's slices lie in {} zones: node pools have to be created in as many",
                            zones.get<std::int64_t>()));
}

/// A plan for serving, which an engine runs on GKE.
void launch_serving(const launch_options& given, const session& with) {
  if (given.target != "gke") refuse("--target", given.target, "gke with --engine", errc::unsupported);
  if (given.plan.empty()) refuse_missing("PLAN.json", "the output of tpuplan plan --serve --json");
  const serving_engine engine = serving_engine_for(given.engine);
  const nlohmann::json document = read_plan_document(given.plan);
  const serving_plan planned = read_serving_plan(document, given.rank, given.plan == "-" ? "plan" : given.plan);
  check_commitment(planned.kind, given);
  serving_launch launch = launch_of(planned, engine, given.request);
  if (given.capacity) launch.request.capacity = *given.capacity;
  if (!given.machine.empty()) launch.request.where = on_machine_type(launch.request.where, given.machine);
  launch.model = given.model;
  use_model_of(document, launch);
  launch.drafts = given.drafts;
  launch.secret = given.secret == "none" ? "" : given.secret.empty() ? "hf-secret" : given.secret;
  if (!given.scaler.empty()) launch.scaler = scaler_for(given.scaler, planned);
  check_zone_is_no_region(launch.request, with);
  const auto write = [&] {
    if (with.json)
      print_json(gke_serving_manifest(launch));
    else
      write_file(gke_serving_file(launch));
  };
  try {
    (void)gke_serving_manifest(launch);
  } catch (const error& refusal) {
    if (planned.share.engine == engine || std::string_view(refusal.field()).find("serving_") != 0) throw;
    refuse(std::string(refusal.field()), std::string(refusal.given()),
           fmt::format("{}; tpuplan plan --serve --engine {} plans what it runs", refusal.valid(), name(engine)),
           refusal.code());
  }
  check_places(launch.request, with);
  launch.request.price = price_of(launch.request, planned.region, with);
  write();
  say_hourly(launch.request);
  write_error(
      fmt::format("tpuplan: requests of more than {} tokens, prompt and answer, are refused: the longest of the "
                  "plan, which --input-len and --output-len of it set",
                  longest_request_tokens(launch)));
  if (launch.adapters > 0)
    write_error(
        fmt::format("tpuplan: the engine has room for {} adapters at once and loads none: --lora-modules of vLLM names "
                    "those of the start, VLLM_ALLOW_RUNTIME_LORA_UPDATING=True lets a server load others",
                    launch.adapters));
  say_of_plan(document, planned, launch);
}

void run_launch(const launch_options& given, const session& with) {
  if (!given.engine.empty()) return launch_serving(given, with);
  const planned_work plan = plan_of(given);
  launch_request request = make_request(given, plan);
  if (given.secret != "none") request.secret = given.secret;
  request.command = make_command(given, request, plan);
  check_keys(given, plan, with);
  if (given.tpu_vm && given.target != "gcloud") refuse("--tpu-vm", "given", "an option of --target gcloud");
  const maybe<launch_target> target = find_launch_target(given.target);
  if (!target) refuse("--target", given.target, target_names(), errc::unknown_name);
  if (!given.restarts && target->ends_with_flex_start && request.capacity == provisioning::flex_start)
    request.max_restarts = 0;
  check_placed(given, with);
  check_zone_is_no_region(request, with);
  request.price = price_of(request, region_of(plan), with);
  const launch_output output = given.tpu_vm ? write_tpu_vm(request) : launch(*target, request);
  check_places(request, with);
  if (with.json) return print_json(output.json);
  write_file(output.text);
  if (plan.pictures && plan.pictures->slices > 1)
    write_error(
        fmt::format("tpuplan: this starts one of the {} slices of the plan, each of which makes batches of its "
                    "own: start as many, by other names",
                    plan.pictures->slices));
  if (output.text.find(" an hour, idle or not") == std::string::npos) say_hourly(request);  // JSON takes no comments
}

}  // namespace

void add_launch_command(session& with) {
  command& added = with.commands.emplace_back("launch", "the file or the commands that start a plan");
  const auto options = std::make_shared<launch_options>();
  launch_request& request = options->request;
  request.name = "tpuplan";
  added.argument("plan", options->plan,
                 "output of tpuplan plan --json, of images also of generate and train; - is standard input");
  added.add("--target", options->target, target_help()).required();
  added.add("--rank", options->rank, {1, 1e6}, "which of the plans").usually("1").excludes({"--slice"});
  added.add("--slice", options->slice_name, "instead of a plan: v6e-256");
  added.add("--slices", options->slices, {1, 1024}, "1 if not given").needs({"--slice"});
  added.add("--machine-type", options->machine, "where the slice is offered on two: ct6e-standard-4t")
      .decides("chips_per_vm");
  added.add("--provisioning", options->capacity, "on_demand, spot, flex_start, calendar; the plan's, or on_demand");
  added.add("--reservation", request.reservation, "its name");
  added.add("--name", request.name, "of the job").usually("tpuplan");
  added.add("--project", request.project, "of Google Cloud");
  added.add("--zone", request.zone, "us-east5-b");
  added.add("--cluster", request.cluster, "of gcluster and xpk; gke: write the commands for its node pools too");
  added.add("--image", request.image, "container with the program");
  added.add("--checkpoint", request.checkpoint, "gs://BUCKET/FOLDER, CHECKPOINT_DIR to the program");
  added.add("--max-restarts", options->restarts, {0, 1e6},
            "after preemptions and failures; 100, or twice the preemptions of the plan at the high end of its band; 0 "
            "on flex-start of GKE");
  added.add("--max-run", request.max_run, {least_max_run, most_max_run}, "after which the service ends the job: 20d");
  added.add("--max-wait", request.max_wait, "gcloud, and gce on flex-start: how long to wait for capacity: 12h");
  added.add("--command", options->command, "a line for bash; what the image starts, if not given")
      .excludes({"--maxtext", "--maxdiffusion"});
  added.add("--args", request.args, "an argument of what the image starts; repeat it for further ones").whole();
  added.add("--service-account", request.service_account, "an e-mail address; on GKE the name of a Kubernetes account");
  added.add("--queue", request.queue, "gke and gcluster: a LocalQueue of Kueue");
  added.add("--location", request.location, "vertex: the region; writes the command that creates the job");
  added.add("--tensorboard", request.tensorboard,
            "vertex: the number of a TensorBoard, or projects/PROJECT/locations/REGION/tensorboards/NUMBER");
  added.add("--output", request.output, "vertex: gs://BUCKET/FOLDER; --checkpoint, if not given");
  added.add("--workdir", request.workdir, "a local folder, copied to every VM; --command starts in its copy");
  added.add("--copy", request.copy, "a further local file or folder, beside what is in --workdir; repeat it").whole();
  added.add("--requirements", request.requirements, "a local file that pip installs: requirements.txt");
  added.add("--framework", request.framework, "jax, torch_xla or tensorflow, installed in a version for the chip");
  added
      .add("--package", request.packages,
           "vertex: gs://BUCKET/trainer.tar.gz, which a prebuilt --image runs; repeat it")
      .decides("packages")
      .whole();
  added.add("--module", request.module, "vertex: the Python module of the packages: trainer.task").needs({"--package"});
  added.add("--boot-disk", options->boot_disk, {least_boot_disk, most_boot_disk, " GB"},
            "GB of each VM; 100 on gce, elsewhere the service's own");
  added.add("--engine", options->engine, fmt::format("of a plan for serving, on gke: {}", startable_engines().view()))
      .excludes({"--slice", "--checkpoint", "--max-restarts", "--max-run", "--max-wait", "--command", "--args",
                 "--queue", "--maxtext", "--maxdiffusion", "--tpu-vm", "--location", "--tensorboard", "--output"});
  added.add("--model", options->model, "its name at Hugging Face: meta-llama/Llama-3.1-70B-Instruct")
      .needs({"--engine"});
  added
      .add("--drafts", options->drafts,
           "what drafts, of a plan with drafts: mtp or ngram, or eagle3:NAME or dflash:NAME with a model at Hugging "
           "Face")
      .needs({"--engine"});
  added
      .add("--secret", options->secret,
           "of Kubernetes, with the key hf_api_token; hf-secret with --engine, if not given; none: a model without a "
           "gate")
      .needs({"--engine", "--maxdiffusion"});
  added
      .add("--hpa", options->scaler,
           "also an autoscaler of MIN:MAX slices by the sequences that run, those of the plan or MIN:MAX:SEQUENCES")
      .decides("service_scaler.least service_scaler.most service_scaler.running")
      .needs({"--engine"});
  added.flag("--maxtext", options->maxtext, "run MaxText with the layout of the plan").excludes({"--maxdiffusion"});
  added.flag("--maxdiffusion", options->maxdiffusion,
             "run MaxDiffusion with the layout of a plan, a generation or a training of images or clips");
  added
      .add("--set", options->maxtext_extra,
           "an argument of the program: model_name=llama3.1-8b, dataset_path=..., checkpoint_period=..., prompt=...")
      .needs({"--maxtext", "--maxdiffusion"})
      .whole();
  added
      .add("--compiler-flags", options->flags,
           "recipe: those of the program's recipes for the chip and the kind of model; none; or flags of XLA, for "
           "LIBTPU_INIT_ARGS")
      .needs({"--maxtext", "--maxdiffusion"});
  added.flag("--tpu-vm", options->tpu_vm, "gcloud: create a TPU VM at once instead of a queued resource");
  added.run = [options, &with] { run_launch(*options, with); };
}

}  // namespace cli
