#ifndef TPUPLAN_MODEL_SERVING_JOB_HPP
#define TPUPLAN_MODEL_SERVING_JOB_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/engines.hpp>
#include <tpuplan/model/software.hpp>
#include <tpuplan/model/speculation.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/model/weight_bits.hpp>

/// @file
/// A serving job: its traffic, its latency targets, and the settings of its engine.

namespace tpuplan {
inline namespace abi_0 {

/// The lengths of prompts or of outputs, in tokens. A long output runs for longer than a short one, so that the
/// sequences that run at any moment are longer than the average request: the mean square says by how much.
struct token_lengths {
  double mean = 0;           ///< tokens
  double mean_square = 0;    ///< mean of the squared lengths, in tokens squared
  std::int64_t longest = 0;  ///< tokens
};

/// Lengths that are all the same. Throws for a length below 1. Worked: fixed_length(512) has mean 512 and mean square
/// 262144.
[[nodiscard]] constexpr token_lengths fixed_length(std::int64_t tokens) {
  const auto length = static_cast<double>(detail::positive_count("tokens", tokens));
  return {length, length * length, tokens};
}

/// A quantile of lengths: that share of requests has at most that many tokens.
struct length_quantile {
  double share = 0;         ///< of requests, 0 to 1
  std::int64_t tokens = 0;  ///< the length
};

/// Lengths by their quantiles, with straight lines between them. Throws unless shares rise from 0, the shortest, to 1,
/// the longest, and lengths do not fall. Worked: 0 to 1000 evenly has mean 500 and mean square 333333, so that the
/// outputs of the running sequences have 667 tokens on average.
[[nodiscard]] constexpr token_lengths lengths_from(const length_quantile* quantiles, std::size_t count) {
  if (count < 2) detail::fail(errc::missing_field, "quantiles", static_cast<std::int64_t>(count), "two or more");
  if (quantiles[0].share != 0)
    detail::fail(errc::out_of_range, "first quantile", quantiles[0].share, "0: the shortest");
  if (quantiles[count - 1].share != 1)
    detail::fail(errc::out_of_range, "last quantile", quantiles[count - 1].share, "1: the longest");
  token_lengths result;
  result.longest = detail::positive_count("longest", quantiles[count - 1].tokens);
  detail::count_from("shortest", quantiles[0].tokens, 0);
  for (std::size_t i = 1; i < count; ++i) {
    const double weight = quantiles[i].share - quantiles[i - 1].share;
    if (!(weight > 0)) detail::fail(errc::out_of_range, "share of a quantile", quantiles[i].share, "rising shares");
    if (quantiles[i].tokens < quantiles[i - 1].tokens)
      detail::fail(errc::out_of_range, "tokens of a quantile", quantiles[i].tokens, "rising lengths");
    const auto from = static_cast<double>(quantiles[i - 1].tokens);
    const auto to = static_cast<double>(quantiles[i].tokens);
    result.mean += weight * (from + to) / 2;
    result.mean_square += weight * (from * from + from * to + to * to) / 3;
  }
  return result;
}

/// Lengths by an array of quantiles: lengths_from({{0, 16}, {0.5, 400}, {1, 8192}}). Worked: that mean is 0.5 x (16 +
/// 400) / 2 + 0.5 x (400 + 8192) / 2 = 2252.
template <std::size_t Count>
[[nodiscard]] constexpr token_lengths lengths_from(const length_quantile (&quantiles)[Count]) {
  return lengths_from(quantiles, Count);
}

/// A limit on a time of requests, for that share of them or for their mean.
struct latency_target {
  double share = 0;  ///< of the requests: 0.99 for a p99; 0: the limit is for the mean
  seconds limit{};   ///< 0: there is no target
};

/// Latency targets by percentile, which only a simulation can check.
struct latency_targets {
  latency_target first_token{};  ///< from arrival to the first output token (TTFT)
  latency_target per_token{};    ///< from the first output token to the last, for each token after the first (TPOT)
  latency_target end_to_end{};   ///< from arrival to the last output token
};

/// Whether any of the targets is set. Worked: a p99 of 1.5 s for the first token is one.
[[nodiscard]] constexpr bool any_target(const latency_targets& targets) noexcept {
  return targets.first_token.limit.value() > 0 || targets.per_token.limit.value() > 0 ||
         targets.end_to_end.limit.value() > 0;
}

/// Whether a model writes output tokens one by one. Worked: yes for Llama and T5, no for BERT.
[[nodiscard]] constexpr bool writes_tokens(const transformer& model) noexcept {
  return model.kind == architecture::decoder || model.kind == architecture::encoder_decoder;
}

/// Traffic, targets and engine. Of an encoder, which writes no tokens, `output` stays empty. Fields without a sensible
/// default are 0 and refused by name when used.
struct serving_job {
  token_lengths prompt{};           ///< input tokens of a request
  token_lengths output{};           ///< output tokens of a request
  std::int64_t concurrency = 0;     ///< requests in flight, over all replicas; 0: as many as can run at once
  per_second request_rate{};        ///< random arrivals, over all replicas; 0: a new request comes when one ends
  seconds ttft_target{};            ///< mean time to the first token; 0: none
  seconds tpot_target{};            ///< mean time per output token; 0: none
  dtype weights = dtype::bf16;      ///< as they are stored
  dtype cache = dtype::bf16;        ///< keys and values as they are stored
  dtype activations = dtype::bf16;  ///< int8 or fp8 where products run quantised, not for weights alone
  double prefix_hit_rate = 0;       ///< share of prompt tokens whose keys and values are in the prefix cache
  std::int64_t shared_prefix = 0;   ///< first tokens of each prompt that sequences of a group hold once, together
  std::int64_t prefix_groups = 1;   ///< how many such prefixes a replica meets
  std::int64_t prefill_chunk = 0;   ///< tokens that one step takes of prompts; 0: all of one
  std::int64_t max_running = 0;     ///< sequences that the engine decodes at once, per replica; 0: what memory allows
  std::int64_t block_tokens = 0;    ///< tokens in a block of the cache; 0: as the engine has it, or 1
  cache_policy policy = cache_policy::paged;        ///< how the engine holds the cache
  serving_engine engine = serving_engine::unnamed;  ///< the program that serves
  double memory_fraction = 0.9;        ///< of usable HBM, for weights and cache: vLLM's gpu_memory_utilization
  bool beyond_max_positions = false;   ///< allows contexts longer than the model was made for
  latency_targets percentiles{};       ///< targets for `plan_serving`: the closed form `serve` refuses them
  weight_bits weights_by_part{};       ///< of a quantised checkpoint, where they are not in `weights`
  std::int64_t images = 0;             ///< in each prompt, whose tokens are among those of the prompt
  bytes beside{};                      ///< that each device holds beside weights and cache, such as half of adapters
  bytes shared_beside{};               ///< that the devices of a replica hold together, such as the other half
  tpuplan::speculation speculation{};  ///< drafts of the engine, if it speculates
  software_level software = software_level::unnamed;  ///< how well the program is tuned
};

namespace detail {

/// The most requests in flight, or running sequences.
inline constexpr std::int64_t most_requests = 1000000000;

/// Refuses a model that makes no output tokens one by one.
constexpr void check_decoder(const transformer& model) {
  if (!writes_tokens(model)) fail(errc::unsupported, "model.kind", name(model.kind), "decoder or encoder_decoder");
}

/// Refuses a model that takes no tokens, and one of two towers, each of which takes what the other does not.
constexpr void check_served_kind(const transformer& model) {
  if (model.kind == architecture::decoder) return;
  if (model.kind == architecture::vision)
    fail(errc::unsupported, "model.kind", name(model.kind), "decoder, encoder or encoder_decoder");
  if (has_vision(model))
    fail(errc::unsupported, "model.kind", "two towers", "decoder, encoder of texts alone or encoder_decoder");
}

/// Refuses a level of software of which no run says what it takes of such a model.
constexpr void check_software(const transformer& model, software_level software) {
  if (software == software_level::first_port && !has_experts(model))
    fail(errc::unsupported, "serving_job.software", name(software),
         "unnamed, tuned or general without experts: no run says what a first port of such a model takes");
}

/// Refuses an engine that does not run models of that architecture.
constexpr void check_runs(serving_engine engine, architecture kind) {
  if (is_listed(row_of(engine).kinds, name(kind))) return;
  const bool pair = kind == architecture::encoder_decoder;
  text<240> valid{"for an "};
  valid.append(name(kind)).append(" ").append(names_where<serving_engine>(pair ? runs_pairs : runs_encoders).view());
  fail(errc::unsupported, "serving_job.engine", row_of(engine).name, valid.view());
}

/// Tokens of a block of the cache: 1 where the job leaves them open.
constexpr std::int64_t block_of(const serving_job& job) noexcept {
  return job.block_tokens == 0 ? 1 : job.block_tokens;
}

/// Refuses formats and blocks of keys and values where there are none, for that reason.
constexpr void check_no_keys(const serving_job& job, std::string_view why) {
  const auto refuse = [&](std::string_view field, auto given, std::string_view valid) {
    fail(errc::invalid_argument, field, given, text<96>{valid}.append(why).view());
  };
  if (job.cache != dtype::bf16) refuse("serving_job.cache", name(job.cache), "bf16");
  if (job.policy != cache_policy::paged) refuse("serving_job.policy", name(job.policy), "paged");
  if (block_of(job) != 1) refuse("serving_job.block_tokens", job.block_tokens, "1");
}

/// Whether it keeps a state of each sequence, and no keys and values.
constexpr bool keeps_states_alone(const transformer& model) noexcept {
  return model.kind == architecture::decoder && attention_layers(model) == 0;
}

/// Refuses blocks of a cache of which the longest sequence would not fill one, beyond those that engines have.
constexpr void check_block(const serving_job& job) {
  const std::int64_t longest = job.prompt.longest + job.output.longest, most = longest > 256 ? longest : 256;
  if (block_of(job) <= most) return;
  text<96> valid{"1 to "};
  valid.append(most).append(longest > 256 ? ", the longest context" : ": no engine has longer ones");
  fail(errc::out_of_range, "serving_job.block_tokens", job.block_tokens, valid.view());
}

/// Refuses what has no effect on a model that keeps nothing between tokens, or takes prompts whole.
constexpr void check_plain(const serving_job& job, bool keeps) {
  const auto refuse = [](std::string_view field, auto given, std::string_view valid) {
    fail(errc::invalid_argument, field, given, valid);
  };
  if (job.software != software_level::unnamed)
    refuse("serving_job.software", name(job.software), "unnamed: no run of an encoder that serves is published");
  if (job.prefix_hit_rate > 0)
    refuse("serving_job.prefix_hit_rate", job.prefix_hit_rate, "0: an encoder sees all of a prompt at once");
  if (keeps) {
    if (job.prefill_chunk > 0)
      refuse("serving_job.prefill_chunk", job.prefill_chunk, "0: an encoder sees all of a prompt at once");
    return;
  }
  check_no_keys(job, ": an encoder keeps nothing of a request");
  if (job.tpot_target.value() != 0)
    refuse("serving_job.tpot_target", job.tpot_target.value(), "none: an encoder writes no tokens");
  if (job.percentiles.per_token.limit.value() != 0)
    refuse("serving_job.percentiles.per_token", job.percentiles.per_token.limit.value(),
           "none: an encoder writes no tokens");
  if (job.output.mean != 0) refuse("serving_job.output", job.output.mean, "none: an encoder writes no tokens");
  if (job.prefill_chunk > 0 && job.prefill_chunk < job.prompt.longest)
    fail(errc::out_of_range, "serving_job.prefill_chunk", job.prefill_chunk,
         text<64>{"0 (all), or at least the longest prompt, "}.append(job.prompt.longest).view());
}

/// Refuses a source of another length than the one that a stem makes of every window of sound.
constexpr void check_window(const serving_job& job, const transformer& model) {
  if (model.encoder_stem == 0) return;
  if (job.prompt.longest == model.encoder_positions && job.prompt.mean == static_cast<double>(model.encoder_positions))
    return;
  text<96> valid;
  valid.append(model.encoder_positions).append(", which the encoder makes of each window of sound");
  fail(errc::invalid_argument, "serving_job.prompt", job.prompt.mean, valid.view());
}

/// Refuses more tokens than the model is made for.
constexpr void check_positions(const serving_job& job, const transformer& model, std::int64_t tokens) {
  if (job.beyond_max_positions || model.max_positions == 0 || tokens <= model.max_positions) return;
  text<96> valid{"at most "};
  valid.append(model.max_positions).append(", for which the model is made, or beyond_max_positions");
  fail(errc::out_of_range, "longest context of serving", tokens, valid.view());
}

/// Refuses images of a model that does not see.
constexpr void check_images(const serving_job& job, const transformer& model) {
  check_count("serving_job.images", job.images, 1000, "0 to 1000");
  if (job.images > 0 && !has_vision(model))
    fail(errc::invalid_argument, "serving_job.images", job.images, "none: the model has no vision tower");
  if (job.images > 0 && model.attention.cross_layers > 0)
    fail(
        errc::unsupported, "serving_job.images", job.images,
        "none: images that layers of their own attend to are not served yet, only images among the tokens of a prompt");
}

/// Refuses lengths whose mean is above the longest, or whose mean square is impossible with that mean.
constexpr void check_lengths(std::string_view longest_field, std::string_view mean_field, std::string_view square_field,
                             const token_lengths& lengths) {
  positive(mean_field, lengths.mean);
  check_part(longest_field, positive_count(longest_field, lengths.longest), most_tokens, "1 to 2^40 tokens");
  const auto longest = static_cast<double>(lengths.longest);
  in_range(mean_field, lengths.mean, 1e-9, longest, "above 0 and at most the longest");
  const double least = lengths.mean * lengths.mean * (1 - 1e-9), most = lengths.mean * longest * (1 + 1e-9);
  in_range(square_field, lengths.mean_square, least, most, "mean^2 to mean x longest");
}

constexpr void check_prompts(const serving_job& job) {
  check_lengths("serving_job.prompt.longest", "serving_job.prompt.mean", "serving_job.prompt.mean_square", job.prompt);
}
constexpr void check_lengths(const serving_job& job) {
  check_prompts(job);
  check_lengths("serving_job.output.longest", "serving_job.output.mean", "serving_job.output.mean_square", job.output);
}

constexpr void check_target(const latency_target& target, words field) {
  in_range(field, target.share, 0, 1, "a share of 0 (the mean) to 1");
  in_range(field, not_negative(field, target.limit.value()), 0, 1e9, "a limit of 0 (none) to 1e9 s");
  if (target.share > 0 && target.limit.value() == 0)
    fail(errc::missing_field, field, "missing", "a limit above 0 s, for a share of the requests");
}

constexpr void validate(const latency_targets& targets) {
  check_target(targets.first_token, "percentiles.first_token");
  check_target(targets.per_token, "percentiles.per_token");
  check_target(targets.end_to_end, "percentiles.end_to_end");
}

/// Refuses what a model that is no decoder is not asked.
constexpr void check_other_kind(const serving_job& job, const transformer& model) {
  const bool pair = model.kind == architecture::encoder_decoder;
  check_runs(job.engine, model.kind);
  check_plain(job, pair);
  if (!pair) {
    check_prompts(job);
    return check_positions(job, model, job.prompt.longest);
  }
  check_lengths(job);
  check_block(job);
  check_window(job, model);
  const bool has_window = model.encoder_stem > 0;
  check_positions(job, model,
                  has_window || job.output.longest > job.prompt.longest ? job.output.longest : job.prompt.longest);
}

}  // namespace detail

/// The job with the tokens of a step, and of a block of the cache, that its engine takes where the job leaves them
/// open. Worked: the steps of vLLM have 2048 tokens, its blocks 128 where the longest context has 1280; the steps of
/// JetStream have all of a prompt.
[[nodiscard]] constexpr serving_job as_engine_runs(serving_job job) {
  const detail::engine_row& row = detail::row_of(job.engine);
  if (job.prefill_chunk == 0) job.prefill_chunk = row.step_tokens;
  const auto length = [](std::int64_t tokens) { return tokens < detail::most_tokens ? tokens : detail::most_tokens; };
  if (job.block_tokens == 0 && job.policy == cache_policy::paged)
    job.block_tokens = detail::own_block(row, length(job.prompt.longest) + length(job.output.longest));
  job.block_tokens = detail::block_of(job);
  return job;
}

/// Tokens that a step of an encoder takes where nobody says how many, or those of the longest prompt: the default of
/// Text Embeddings Inference (max_batch_tokens in the log of huggingface/text-embeddings-inference#459, 2025-01-06).
inline constexpr std::int64_t encoder_step_tokens = 16384;

/// The same for a model: the encoder of a pair of stacks takes all of a source, an encoder whole prompts, and where
/// there are no keys and values there are no blocks of them. Worked: vLLM takes 16384 tokens in a step of BERT, 2048 in
/// one of Llama.
[[nodiscard]] constexpr serving_job as_engine_runs(const serving_job& job, const transformer& model) {
  serving_job own = model.kind == architecture::decoder ? as_engine_runs(job) : job;
  if (detail::keeps_states_alone(model)) own.block_tokens = job.block_tokens;
  if (model.kind == architecture::decoder) return own;
  if (model.kind == architecture::encoder && job.prefill_chunk == 0)
    own.prefill_chunk = encoder_step_tokens > job.prompt.longest ? encoder_step_tokens : job.prompt.longest;
  return own;
}

/// The job with prompts that are longer by the tokens of its images. Throws, naming the field, for images of a model
/// without a vision tower. Worked: two images of Gemma 3 make each prompt 512 tokens longer.
[[nodiscard]] constexpr serving_job with_image_tokens(serving_job job, const transformer& model) {
  detail::check_images(job, model);
  if (job.images == 0) return job;
  const std::int64_t more = checked_multiply(job.images, image_tokens(model.vision));
  const auto longer = static_cast<double>(more);
  job.prompt.mean_square += 2 * longer * job.prompt.mean + longer * longer;
  job.prompt.mean += longer;
  job.prompt.longest = checked_add(job.prompt.longest, more);
  return job;
}

/// Tokens of the longest prompt with the longest output. Worked: 2048 for prompts and outputs of 1024.
[[nodiscard]] constexpr std::int64_t longest_context(const serving_job& job) {
  return checked_add(detail::positive_count("serving_job.prompt.longest", job.prompt.longest),
                     detail::positive_count("serving_job.output.longest", job.output.longest));
}

namespace detail {
/// `running_context` of a job that is known to be valid.
constexpr double context_of_valid(const serving_job& job) {
  if (job.policy == cache_policy::reserved) return static_cast<double>(longest_context(job));
  return job.prompt.mean + job.output.mean_square / (2 * job.output.mean);
}
}  // namespace detail

/// Tokens that a running sequence attends to, on average. In a paged cache these are the prompt and half of the output
/// of a running sequence: prompt + mean square / (2 mean). In a reserved cache it is the longest context. Worked: for
/// prompts and outputs of 1024 tokens each, 1536 in a paged cache and 2048 in a reserved one.
[[nodiscard]] constexpr double running_context(const serving_job& job) {
  detail::check_lengths(job);
  return detail::context_of_valid(job);
}

namespace detail {

/// Whole blocks that sequences of a group hold once, as a share of those of a sequence that has run half of its time.
constexpr double shared_blocks(const serving_job& job) {
  const auto blocks = static_cast<double>(job.shared_prefix / block_of(job));
  return blocks / static_cast<double>(ceil_div(ceil_to_count(running_context(job)), block_of(job)));
}

/// Refuses a shared prefix that is none, or is longer than prompts are.
constexpr void check_shared_prefix(const serving_job& job, const transformer& model) {
  check_count("serving_job.shared_prefix", job.shared_prefix, most_tokens, "0 (none) to 2^40 tokens");
  check_dimension("serving_job.prefix_groups", job.prefix_groups);
  if (job.shared_prefix == 0) return;
  if (model.kind != architecture::decoder || has_recurrence(model))
    fail(errc::unsupported, "serving_job.shared_prefix", job.shared_prefix,
         "none but of a decoder whose layers keep keys and values alone");
  if (static_cast<double>(job.shared_prefix) >= job.prompt.mean)
    fail(errc::invalid_argument, "serving_job.shared_prefix", job.shared_prefix,
         "fewer tokens than a prompt has on average");
  if (!(job.prefix_hit_rate > 0))
    fail(errc::invalid_argument, "serving_job.prefix_hit_rate", job.prefix_hit_rate,
         "above 0 beside a shared prefix, which is found in the cache");
  if (job.policy == cache_policy::reserved)
    fail(errc::invalid_argument, "serving_job.policy", name(job.policy), "paged, for blocks that sequences share");
}

/// Refuses sizes of what lies beside weights and cache.
constexpr void check_beside(const serving_job& job) {
  in_range("serving_job.beside", not_negative("serving_job.beside", job.beside.value()), 0, 1e15, "0 to 1e15 B");
  in_range("serving_job.shared_beside", not_negative("serving_job.shared_beside", job.shared_beside.value()), 0, 1e15,
           "0 to 1e15 B");
}

/// Refuses drafts that are none, and those of a model that decodes nothing.
constexpr void check_speculation(const serving_job& job, const transformer& model) {
  if (job.speculation.draft_tokens > 0 && model.kind != architecture::decoder)
    fail(errc::unsupported, "speculation.draft_tokens", job.speculation.draft_tokens, "none but of a decoder");
  validate(job.speculation);
}

}  // namespace detail

/// Throws, naming the field, unless formats, prefill and cache of the engine are ones that can be estimated.
constexpr void validate_engine(const serving_job& job) {
  if (job.activations == dtype::fp32 || job.activations == dtype::int4)
    detail::fail(errc::unsupported, "serving_job.activations", name(job.activations), "bf16, fp16, fp8 or int8");
  validate(job.weights_by_part);
  if (!any_part(job.weights_by_part) && bits(job.weights) > bits(job.activations) && bits(job.activations) < 16)
    detail::fail(errc::invalid_argument, "serving_job.activations", name(job.activations),
                 "not smaller than the weights: products run in the larger format");
  detail::in_range("serving_job.prefix_hit_rate", job.prefix_hit_rate, 0, 0.999, "0 to 0.999");
  detail::check_count("serving_job.prefill_chunk", job.prefill_chunk, detail::most_tokens, "0 (all) to 2^40 tokens");
  detail::check_count("serving_job.max_running", job.max_running, detail::most_requests, "0 (no limit) to 1000000000");
  if (job.block_tokens != 0) detail::check_dimension("serving_job.block_tokens", job.block_tokens);
  detail::in_range("serving_job.memory_fraction", job.memory_fraction, 0.05, 1, "0.05 to 1");
}

/// Throws, naming the field, unless the traffic is one that can be estimated for that model.
constexpr void validate(const serving_job& job, const transformer& model) {
  validate(model);
  detail::check_served_kind(model);
  detail::check_images(job, model);
  detail::check_beside(job);
  if (model.kind == architecture::decoder) {
    detail::check_lengths(job);
    detail::check_positions(job, model, longest_context(job));
    detail::check_block(job);
    if (detail::keeps_states_alone(model))
      detail::check_no_keys(job, ": the model keeps a state of each sequence, no keys");
  } else {
    detail::check_other_kind(job, model);
  }
  detail::check_count("serving_job.concurrency", job.concurrency, detail::most_requests, "0 (not given) to 1000000000");
  const double rate = detail::not_negative("serving_job.request_rate", job.request_rate.value());
  if (rate > 0)
    detail::in_range("serving_job.request_rate", rate, 1e-12, 1e9, "0 (not given), or 1e-12 to 1e9 a second");
  if (job.concurrency > 0 && job.request_rate.value() > 0) {
    detail::fail(errc::invalid_argument, "serving_job.request_rate", job.request_rate.value(),
                 "0 where a concurrency is given: one follows from the other");
  }
  detail::in_range("serving_job.ttft_target", detail::not_negative("serving_job.ttft_target", job.ttft_target.value()),
                   0, 1e9, "0 (none) to 1e9 s");
  detail::in_range("serving_job.tpot_target", detail::not_negative("serving_job.tpot_target", job.tpot_target.value()),
                   0, 1e9, "0 (none) to 1e9 s");
  detail::validate(job.percentiles);
  detail::check_speculation(job, model);
  validate_engine(job);
  detail::check_software(model, job.software);
  detail::check_shared_prefix(job, model);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
