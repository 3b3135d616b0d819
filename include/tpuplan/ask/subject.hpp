#ifndef TPUPLAN_ASK_SUBJECT_HPP
#define TPUPLAN_ASK_SUBJECT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/ask/regions.hpp>
#include <tpuplan/estimate/training/critical_batch.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/model/remat.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/model/usual_job.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/read/stored_format.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// What questions have in common: the model they are about, its training job, its sharding and its prices, each filled
/// in where the question leaves it open. What was filled in is listed.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The time of a run; refuses more than a hundred years, as all doors do.
inline seconds run_time(words field, seconds time) {
  return seconds{in_range(field, positive(field, time.value()), 1e-6, 3.2e9, "1e-6 to 3.2e9 s, a hundred years")};
}

/// JSON that a question hands on as it is: a config.json, a price file.
template <>
struct json_form<nlohmann::json> {
  static void read(const nlohmann::json& given, const json_place&, const json_reading&, nlohmann::json& into) {
    into = given;
  }
};

}  // namespace detail

namespace detail {
/// "8,030,261,248".
[[nodiscard]] inline std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}
}  // namespace detail

/// The model of a config.json of Hugging Face, or of a `transformer` as `json_document` writes it. `source` stands for
/// it in messages, and is its name where it does not say one itself. Worked: {"model_type": "gpt2"} has 124439808
/// parameters.
[[nodiscard]] inline model_config model_of(const nlohmann::json& config, const std::string& source = "config") {
  if (config.is_null()) detail::fail(errc::missing_field, source, "missing", "a config.json or a transformer");
  if (!config.is_object() || !config.contains("schema")) return read_hf_file(config, source);
  model_config own;
  own.model_type = "transformer";
  own.model = read_json_document<transformer>(config, {}, source);
  validate(own.model);
  const transformer& model = own.model;
  if (has_experts(model) && model.mlp.d_ff > 0 && moe_layers(model) == model.layers) own.not_read.push_back("mlp.d_ff");
  return own;
}

/// The name under which the time between preemptions stands among what was assumed.
inline constexpr std::string_view assumed_preemptions = "a spot slice lasts";
/// The name under which the time of a checkpoint stands there.
inline constexpr std::string_view assumed_checkpoint_time = "a checkpoint stops the step for";

/// Why a value of the question was assumed.
inline constexpr std::string_view not_given = "not given";
/// What was assumed of the model, then of the question, in one list. Worked: {"remat policy", "full"} of the question
/// is the entry "remat policy", "full", "not given".
[[nodiscard]] inline std::vector<assumption> all_assumed(const model_config& config, const assumed_values& assumed) {
  std::vector<assumption> list = config.assumed;
  for (const auto& [field, value] : assumed) list.push_back({field, value, std::string(not_given)});
  return list;
}

/// The model of a question.
inline constexpr question_row model_rows[] = {
    rows::file("config", "config",
               "a Hugging Face config.json or its folder, or a model of your own as JSON: docs/models.md; - reads it"),
};
namespace detail {
inline constexpr text<240> kernel_help =
    names_of<attention_kernel>().append("; unfused has scores in HBM, tuned is a kernel of 2026 with tuned blocks");
inline constexpr text<240> software_help =
    text<240>("software: ")
        .append(names_of<software_level>())
        .append("; tuned are recipes of MaxText and MLPerf, unnamed has the band of all");
}  // namespace detail
/// What the program of a training job does with shards and tiles, of which memory knows nothing.
inline constexpr question_row tuning_rows[] = {
    rows::flag("job.default_tiles", "--default-tiles", "true",
               "grouped products of experts run in blocks that nobody tuned to their shapes"),
    rows::flag("job.context_balanced", "--context-unbalanced", "false",
               "each chip has one part of a causal sequence, not an early and a late one as in MaxText")
        .with("--context"),
    rows::flag("job.ring_attention", "--ring-attention", "true",
               "keys and values go around a ring of chips instead of being gathered first")
        .with("--context"),
};
/// The training job of a question; what is left open is filled in.
inline constexpr question_row job_rows[] = {
    rows::count("job.global_batch", "--batch", "Global batch", "sequences", "global batch in sequences")
        .within(1, 1e12)
        .not_with("--batch-tokens"),
    rows::count("batch_tokens", "--batch-tokens", "Batch", "tokens a step",
                "global batch in tokens, 4M or 4Mi: the sequences nearest to it that divide well")
        .within(1, 1e15)
        .deciding("job.global_batch"),
    rows::count("job.sequence_length", "--seq", "Sequence length", "tokens", "sequence length in tokens")
        .within(1, 1e9),
    rows::count("job.source_length", "--source-length", "Source length", "tokens",
                "tokens of the encoder's sequence, of a model with an encoder and a decoder")
        .within(1, 1e9)
        .usually("all that a stem makes of a recording, else as many as the target"),
    rows::count("job.images_per_sequence", "--images", "Images", "in a sequence",
                "images in each sequence, of a model with a vision tower")
        .within(1, 1 << 20),
    rows::choice("job.freeze_vision", "--freeze", "Not trained", frozen_choices,
                 "vision: the tower is not trained, only its projector and the text")
        .with("--images"),
    rows::choice("job.compute", "--dtype", "Arithmetic", arithmetic_choices, "arithmetic: bf16, fp32, int8, fp8")
        .usually("bf16"),
    rows::choice("job.weights", "--weights", "Master weights", format_choices,
                 "master weights; with --lora the frozen base, whose adapters are in fp32")
        .usually("fp32; with --lora as stored"),
    rows::choice("job.moments", "--moments", "Optimizer state", format_choices, "optimizer state").usually("fp32"),
    rows::flag("job.first_moment_bf16", "--first-moment-bf16", "true",
               "of AdamW, whatever format the other moment has"),
    rows::choice("job.optimizer", "--optimizer", "Optimizer", optimizer_choices, optimizer_choices.valid)
        .usually("adamw"),
    rows::choice("job.remat", "--remat", "Remat policy", policy_choices, policy_choices.valid),
    rows::choice("job.attention", "--attention", "Attention", kernel_choices, detail::kernel_help.view())
        .usually("flash"),
    rows::choice("job.software", "--software", "Software", software_choices, detail::software_help.view())
        .usually("unnamed"),
    rows::count("job.vocabulary_tiles", "--vocabulary-tiles", "Pieces of the logits", "pieces",
                "pieces in which logits are made")
        .within(1, 1 << 20)
        .usually("1"),
    rows::count("job.lora_rank", "--lora", "Adapters", "rank", "rank of adapters on a frozen base")
        .within(1, 1 << 20)
        .deciding("job.lora"),
    rows::flag("job.state_on_host", "--offload-optimizer", "optimizer", "keep optimizer state in host memory"),
    rows::number("job.capacity_factor", "--capacity-factor", "Capacity factor", "", "of experts").within(0.1, 100),
};
/// Of a job whose microbatches are not searched for.
inline constexpr question_row step_rows[] = {
    rows::count("job.gradient_accumulation", "--accumulation", "Gradient accumulation", "microbatches",
                "microbatches in a step")
        .within(1, 1 << 20)
        .usually("1"),
};
/// The slice of a training job, and its layout.
inline constexpr question_row mesh_rows[] = {
    rows::words("slice", "--slice", "Slice", "v5p-128, v5e-16, v6e-8x16 …"),
    rows::count("mesh.dcn_data", "--slices", "Slices over DCN", "slices", "slices, data parallel over DCN")
        .within(1, 1024)
        .usually("1")
        .deciding("slices"),
    rows::count("mesh.data", "--data", "Sharding: data", "shards", "replicas in a slice")
        .within(1, 1 << 20)
        .usually("1"),
    rows::count("mesh.fsdp", "--fsdp", "Sharding: fsdp", "shards",
                "shards of the weights; what the others leave of the slice, if not given")
        .within(1, 1 << 20),
    rows::count("mesh.tensor", "--tensor", "Sharding: tensor", "shards", "shards of each product")
        .within(1, 1 << 20)
        .usually("1"),
    rows::count("mesh.expert", "--expert", "Sharding: expert", "shards", "shards of the experts")
        .within(1, 1 << 20)
        .usually("1"),
    rows::count("mesh.context", "--context", "Sharding: context", "shards", "shards of each sequence")
        .within(1, 1 << 20)
        .usually("1"),
    rows::count("mesh.pipeline", "--pipeline", "Sharding: pipeline", "shards", "stages in a slice")
        .within(1, 1 << 20)
        .usually("1"),
};
/// The prices of a question, and what is expected of capacity that ends.
inline constexpr question_row price_rows[] = {
    rows::words("region", "--region", "Region of the prices",
                "us, or a region of the prices, such as us-east5 or europe-west4")
        .usually("us"),
    rows::file("prices", "--prices",
               "a price file like data/prices.json, vms.csv of SkyPilot or SKUs of Google as JSON: docs/prices.md"),
};
/// The row of the rest of a commitment.
inline constexpr question_row rest_rows[] = {
    rows::share("rest_of_term_used", "--rest-used", "Rest of a commitment used",
                "share of a commitment's other hours that other work uses: 0.4 or 40%")
        .usually("0")
        .deciding("rest_of_the_term"),
};
/// The rows of how often spot is preempted, and where.
inline constexpr question_row preemption_rows[] = {
    rows::time("mean_time_between_preemptions_s", "--mtbp", "Time between preemptions",
               "mean time between preemptions of one slice on spot")
        .within(1e-3, 1e12)
        .usually("what is published for the generation and place, else 4h"),
    rows::words("zone", "--zone", "Zone",
                "of the slices: its chips, the prices of its region, and preemptions as they are published there"),
};

/// What is known of the gradient of the run.
inline constexpr question_row noise_rows[] = {
    rows::number("noise_scale", "--noise-scale", "Gradient noise scale", "tokens",
                 "of the gradient near the end of such a run: a larger batch hardly helps")
        .within(1, 1e15)
        .usually("what published laws of the critical batch say"),
};

/// The limits of a plan, of training or of serving.
inline constexpr question_row limit_rows[] = {
    rows::choice("best", "--objective", "Best is the", objective_choices, objective_choices.valid).usually("cheapest"),
    rows::choice("kinds", "--provisioning", "Ways of paying", payment_choices,
                 "ways of paying that count: on_demand, spot … or all")
        .usually("on_demand")
        .list(),
    rows::words("regions", "--region", "Region of the prices",
                "us, regions such as us-east5 of the prices, areas such as europe; all")
        .usually("us")
        .deciding("region")
        .list(),
    rows::file("prices", "--prices",
               "a price file like data/prices.json, vms.csv of SkyPilot or SKUs of Google as JSON: docs/prices.md"),
    rows::words("generations", "--generation", "Only these chips", "only these chips: v5e,v6e").deciding("chip").list(),
    rows::count("smallest_chips", "--min-chips", "Chips, at least", "chips",
                "the fewest chips of a plan, all its slices counted")
        .within(1, 1 << 20),
    rows::count(
        "largest_chips", "--max-chips", "Chips, at most", "chips",
        "the most chips of a plan, all its slices counted; 1024 for serving and for images and clips, if not given")
        .within(1, 1 << 20),
    rows::flag("accept_uncertain", "--accept-uncertain", "true",
               "also take slices that the job may not fit, as the compiler decides"),
};

/// A run of fewer steps than these is said to have few, and without a batch none is planned with so few of which no
/// published law speaks (`take_usual_batch`). Source: a convention of this library; warm-up and decay of usual
/// schedules take hundreds of steps.
inline constexpr std::int64_t few_steps = 1000;

/// That a batch is beyond the critical one, in words. Worked: "batch beyond the critical one of 4.13 M to 7.84 M
/// tokens".
[[nodiscard]] inline std::string critical_words(const critical_batch_band& band) {
  const std::string high = readable::count(band.high) + " tokens";
  return band.is_own ? "batch beyond the noise scale of " + high
                     : "batch beyond the critical one of " + readable::count(band.low) + " to " + high;
}

/// A training job as far as a question says: a batch, a sequence length and a policy may be left open.
struct asked_job {
  /// @{
  /// The training job as given.
  training_job job{};
  std::int64_t batch_tokens = 0;        ///< tokens of a step instead of the batch in sequences
  std::optional<remat_policy> remat{};  ///< nothing: full, or the best policy that a search finds
  std::optional<double> capacity{};     ///< capacity factor of a mixture of experts
  std::optional<dtype> base{};          ///< format of the frozen base under adapters; nothing: that of the checkpoint
  /// @}
};

namespace detail {

/// Refuses moments in a format of their own under an optimizer that keeps none in it, and their place on the hosts.
template <class Job>
void check_moments(const Job& job, bool on_host = false) {
  if (optimizer_bytes_per_parameter(job.optimizer, dtype::fp32) !=
      optimizer_bytes_per_parameter(job.optimizer, dtype::bf16))
    return;
  const std::string valid = "an optimizer that keeps moments in that format, not " + std::string(name(job.optimizer));
  if (job.moments != dtype::fp32) fail(errc::invalid_argument, "job.moments", name(job.moments), valid);
  if (on_host && optimizer_bytes_per_parameter(job.optimizer).value() == 0)
    fail(errc::invalid_argument, "job.state_on_host", "given without effect",
         "an optimizer that keeps state, not " + std::string(name(job.optimizer)));
}

}  // namespace detail

/// What is assumed of a job on a model, whatever of it was given: images, positions, products and software that an
/// estimate does not take as they are. Worked: of GPT-2 with 4096 tokens that it is made for 1,024.
inline void assume_of_job(const transformer& model, const training_job& job, assumed_values& assumed) {
  const step_remarks remarks = remarks_on(model, job);
  if (remarks.text_alone)
    assumed.emplace_back("images", "none: text alone, the vision tower does not run; see images_per_sequence");
  if (remarks.beyond_positions)
    assumed.emplace_back("positions", "the model is made for " + detail::grouped(model.max_positions) +
                                          " tokens, fewer than a sequence has");
  if (remarks.products_in_bf16)
    assumed.emplace_back("products", "of fp32 are rounded to bf16, as XLA does by default: their rate is that of bf16");
  if (job.software == software_level::unnamed)
    assumed.emplace_back("software",
                         "not named: the time of tuned recipes, the band of all that ran; see job.software");
}

/// Runs of the user's own, of one kind.
struct counted_runs {
  std::size_t count = 0;       ///< how many
  std::string_view one{};      ///< "step"
  std::string_view several{};  ///< "steps"
};
/// Worked: of two steps and a peak "2 steps, 1 peak of memory of your own".
[[nodiscard]] inline std::string words_of(const std::vector<counted_runs>& runs) {
  std::string words;
  for (const counted_runs& kind : runs) {
    if (kind.count == 0) continue;
    words.append(words.empty() ? "" : ", ").append(std::to_string(kind.count)).append(" ");
    words.append(kind.count == 1 ? kind.one : kind.several);
  }
  return words + " of your own";
}
/// Which of them correct the estimates, as what is assumed; nothing where there are none.
[[nodiscard]] inline assumed_values assumed_runs(const std::vector<counted_runs>& runs) {
  if (std::all_of(runs.begin(), runs.end(), [](const counted_runs& kind) { return kind.count == 0; })) return {};
  return {{"estimates", "corrected by " + words_of(runs) + ", the more the more alike they are"}};
}

/// Takes the program to be as well tuned as that of the latest of the caller's own runs, where the job does not say it.
/// Worked: a job that names no software is general after a run of a general framework.
inline void use_level_of_runs(const own_runs& runs, training_job& job, assumed_values& assumed) {
  if (runs.count == 0 || job.software != software_level::unnamed) return;
  job.software = static_cast<software_level>(runs.items[runs.count - 1].about.level);
  if (job.software == software_level::unnamed) return;
  for (auto& [field, value] : assumed)
    if (field == "software") value = std::string(name(job.software)) + ", as in your latest run";
}

/// The training job of a request as far as it says: only what its `job` leaves out is filled in. The default capacity
/// factor is accepted for a model without experts, so that the `job` of an answer can be asked again. With adapters
/// `weights` are those of the frozen base. Worked: of {"job": {"remat": "minimal"}} the policy is given, the batch
/// open.
[[nodiscard]] inline asked_job asked_job_of(const nlohmann::json& request) {
  asked_job asked;
  if (const auto tokens = request.find("batch_tokens"); tokens != request.end())
    asked.batch_tokens = read_json<std::int64_t>(*tokens, {}, "request.batch_tokens");
  const auto job = request.find("job");
  if (job == request.end()) return asked;
  asked.job = read_json<training_job>(*job, {}, "request.job");
  if (job->contains("remat")) asked.remat = asked.job.remat;
  if (job->contains("capacity_factor") && asked.job.capacity_factor != 1) asked.capacity = asked.job.capacity_factor;
  if (job->contains("frozen_weights")) {
    asked.base = asked.job.frozen_weights;
  } else if (asked.job.lora_rank > 0 && job->contains("weights")) {
    asked.base = std::exchange(asked.job.weights, training_job{}.weights);
  }
  return asked;
}

/// Refuses what says how adapters train where there are none, and quantised gathers of products that are not.
inline void check_effects(const asked_job& given, const training_job& job) {
  const lora_targets& on = job.lora;
  const auto without_effect = [](const char* field, const char* valid) {
    detail::fail(errc::unsupported, field, "given without effect", valid);
  };
  constexpr const char* adapters = "of adapters: lora_rank above 0";
  if (job.gathers_quantised && bits(job.compute) > 8)
    without_effect("job.gathers_quantised", "of products in 8 bits: compute int8 or fp8");
  if (job.lora_rank > 0) return;
  if (given.base && *given.base != training_job{}.frozen_weights && !job.freeze_vision)
    without_effect("job.frozen_weights", adapters);
  if (any_part(job.frozen_by_part)) without_effect("job.frozen_by_part", adapters);
  if (on.q || on.k || on.v || on.o || on.gate || on.up || on.down) without_effect("job.lora", adapters);
}

/// The job as `usual_job` and with its policy filled in, and what to say of it. A batch that was not given in sequences
/// stays 0. Refuses a capacity factor or default tiles for a model without experts, and a format or a place of moments
/// that the optimizer does not keep. Worked: of a job that says nothing, llama-3-8b has
/// sequences of 4096 tokens.
[[nodiscard]] inline training_job filled_job(const asked_job& given, const transformer& model,
                                             assumed_values& assumed) {
  training_job job = usual_job(given.job, model);
  if (given.job.sequence_length == 0) assumed.emplace_back("sequence length", std::to_string(job.sequence_length));
  if (job.source_length != given.job.source_length)
    assumed.emplace_back("source length", std::to_string(job.source_length) +
                                              (model.encoder_stem > 0 ? ", what the stem makes of every recording"
                                                                      : ", as many tokens as the target has"));
  job.remat = given.remat.value_or(remat::full);
  if (!given.remat) assumed.emplace_back("remat policy", "full");
  if (given.capacity && !has_experts(model))
    detail::fail(errc::unsupported, "capacity_factor", *given.capacity, "a model with experts");
  if (given.capacity) job.capacity_factor = *given.capacity;
  if (job.default_tiles && !has_experts(model))
    detail::fail(errc::unsupported, "job.default_tiles", "given without effect", "a model with experts");
  check_effects(given, job);
  if (job.first_moment_bf16 && !detail::row_at(detail::optimizers, job.optimizer).first_in_bf16)
    detail::fail(errc::unsupported, "job.first_moment_bf16", "given without effect",
                 "of AdamW, whose first moment it is");
  detail::check_moments(job, job.state_on_host == host_state::optimizer);
  if (model.kind == architecture::encoder && model.output_head)
    assumed.emplace_back("logits", "of the 15 % of the tokens that are masked");
  assume_of_job(model, job, assumed);
  if (job.lora_rank != 0)
    assumed.emplace_back("LoRA",
                         "on every linear layer; on each part of one that holds several (query_key_value, gate_up_proj)"
                         ", which takes more parameters than one adapter");
  if (size_of(job.weights) < size_of(dtype::bf16) && job.lora_rank > 0)
    assumed.emplace_back("frozen base",
                         "every weight in " + std::string(name(job.weights)) +
                             ", without scales; files that are stored so keep embeddings and head wider");
  else if (size_of(job.weights) < size_of(dtype::bf16))
    assumed.emplace_back("weights", "in " + std::string(name(job.weights)) +
                                        " between steps, whose steps are larger than most updates: published runs "
                                        "keep fp32 or bf16");
  if (size_of(job.moments) < size_of(dtype::bf16))
    assumed.emplace_back("moments", "in " + std::string(name(job.moments)) +
                                        ", as 8-bit optimizers keep them (arXiv 2110.02861); scales are not counted");
  return job;
}

/// Refuses what a job says of shards of a sequence where no chips share one; a context of 0 is searched for. Worked:
/// `ring_attention` on a layout without context parallelism.
inline void check_sharing(const training_job& job, std::int64_t context, std::int64_t stages = 0) {
  const char* of_stages = "a layout with stages: pipeline above 1";
  if (stages == 1 && job.pipeline_microbatches != 0)
    detail::fail(errc::unsupported, "job.pipeline_microbatches", job.pipeline_microbatches, of_stages);
  if (stages == 1 && job.pipeline_rounds != 1)
    detail::fail(errc::unsupported, "job.pipeline_rounds", job.pipeline_rounds, of_stages);
  if (context != 1) return;
  const char* valid = "a layout with context above 1";
  if (job.ring_attention) detail::fail(errc::unsupported, "job.ring_attention", "given without effect", valid);
  if (!job.context_balanced) detail::fail(errc::unsupported, "job.context_balanced", "given without effect", valid);
}

/// Fills in a batch that was not given in sequences: from its tokens, as a multiple of the unit, else the unit. Worked:
/// 4194304 tokens in sequences of 4096 are 1024 sequences where the unit is 64; without tokens the batch is 64.
inline void fill_batch(std::int64_t batch_tokens, std::int64_t unit, training_job& job, assumed_values& assumed) {
  if (job.global_batch != 0) return;
  if (batch_tokens == 0) {
    job.global_batch = unit;
    assumed.emplace_back("global batch", std::to_string(unit) + " sequences, one for each shard of the batch");
    return;
  }
  const std::int64_t length = job.sequence_length;
  job.global_batch = batch_of_tokens(batch_tokens, length, unit);
  if (job.global_batch * length == batch_tokens) return;
  const std::string taken = std::to_string(job.global_batch) + " sequences, " +
                            detail::grouped(checked_multiply(job.global_batch, length)) + " tokens: ";
  const std::string wanted = detail::grouped(batch_tokens);
  assumed.emplace_back("global batch",
                       taken + (batch_tokens / length < unit ? "the fewest that divide, more than " + wanted
                                                             : "near " + wanted + ", and divides well"));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
