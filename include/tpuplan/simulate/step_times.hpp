#ifndef TPUPLAN_SIMULATE_STEP_TIMES_HPP
#define TPUPLAN_SIMULATE_STEP_TIMES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/serving/engine.hpp>
#include <utility>
#include <vector>

/// @file
/// The time of each step of an engine, by the closed forms for decode, prefill and engine, prepared so that a
/// simulation can ask millions of times a second.

namespace tpuplan {
inline namespace abi_0 {

/// What an engine computes in one step.
struct step_work {
  std::int64_t sequences = 0;      ///< sequences that decode
  std::int64_t context = 0;        ///< tokens that these attend to, all together
  std::int64_t prompt_tokens = 0;  ///< tokens of prompts that are computed
  seconds prompt_attention{};      ///< attention of these prompt tokens to those before them
  std::int64_t paused = 0;         ///< sequences that wait because the step computes prompts alone
  std::int64_t prompts = 1;        ///< that these tokens are of
  std::int64_t first_tokens = 0;   ///< of these prompts those that end with the step, but for one that came to an idle
                                   ///< replica: the host's work for that is in its prefill
};

/// How many times as long as estimated steps take.
struct step_factors {
  double prompts = 1;  ///< those that compute prompts alone
  double tokens = 1;   ///< those in which sequences decode
};

/// Step times of one replica. A step without prompts is `decode_step`, or the host's time where that is longer, or
/// their sum where device and host take turns. Prompts alone are `engine_prefill` times `prefill_time`. Prompts in a
/// step that decodes are the same without weights and latency, which belong to the sequences that decode. Under
/// data-parallel attention a group attends for the prompts that it has: of one prompt in a step all other groups wait.
/// Where the engine speculates a step is a round: its drafts, and the step that verifies them.
class replica_step_times {
 public:
  /// Prepares steps of up to that many sequences. Throws as `serve` does.
  replica_step_times(const transformer& model, const serving_job& job, const serving_layout& mesh, const slice& where,
                     std::int64_t most_sequences, const serving_calibration& constants = default_serving_calibration,
                     const step_factors& longer = {})
      : block_tokens_{detail::block_of(job)}, alone_{detail::positive("step_factors.prompts", longer.prompts)} {
    validate(job, model);
    detail::positive("step_factors.tokens", longer.tokens);
    const detail::engine_constants own = detail::constants_of(constants, job.engine);
    detail::check_part("most_sequences", detail::positive_count("most_sequences", most_sequences),
                       std::int64_t{1} << 24, "1 to 2^24");
    detail::with_stacks(model, job, mesh, where, true, [&](const auto& of) {
      takes_in_ = of.takes_in;
      if (model.kind == architecture::encoder)
        prepare_requests(of, job, mesh, own);
      else
        prepare_sequences(of, model, job, mesh, own, most_sequences, longer.tokens);
      prepare_prompts(of.prompts, job, mesh, own);
      return true;
    });
  }

  /// The time of attention for the prompt tokens from `from` to before `to`, in a prefill by itself. Worked: with
  /// causal attention the second 512 of 1024 tokens take three times as long as the first 512.
  [[nodiscard]] seconds attention(std::int64_t from, std::int64_t to) const {
    const flops work = detail::attention_between(takes_in_, static_cast<double>(from), static_cast<double>(to));
    return seconds{attention_per_flop_ * work.value()};
  }

  /// The time of a step. Precondition: at most `most_sequences` sequences decode or are paused. Worked: where
  /// `engine_step` is 1 s and the host does nothing else, a step in which 7 sequences decode takes 1 s.
  [[nodiscard]] seconds step(const step_work& work) const {
    const double prompts =
        work.prompt_tokens == 0 ? 0 : each_ * static_cast<double>(work.prompt_tokens) + attention_of(work);
    const double begun = host_request_ * static_cast<double>(work.first_tokens);
    if (work.sequences == 0) {
      const double device =
          running_[static_cast<std::size_t>(work.paused)].beside * engine_prefill_ * (fixed_ + prompts);
      if (host_ == 0) return seconds{alone_ * std::max(device, begun)};
      const double host = host_ + host_each_ * static_cast<double>(work.prompt_tokens);
      return seconds{alone_ * detail::with_host(device, host, in_turn_)};
    }
    const of_running& at = running_[static_cast<std::size_t>(work.sequences)];
    // Whole blocks of the mean context, as in `held_tokens`.
    const double blocks = (static_cast<double>(work.context) - 0.5) * at.per_block;
    const double context = static_cast<double>((static_cast<std::int64_t>(blocks) + 1) * block_tokens_);
    const double cache = detail::read_of(reads_, context) * std::max(static_cast<double>(work.sequences), holders_);
    const double device = at.device + at.own * (cache + engine_prefill_ * prompts);
    const double step = detail::with_host(device, at.host + at.own * begun, in_turn_);
    if (draft_ == 0) return seconds{step};
    const auto& [plain, host] = plain_[static_cast<std::size_t>(work.sequences)];
    return seconds{step + draft_ * detail::with_host(plain + at.own * cache, host, in_turn_)};
  }

 private:
  /// Seconds of attention of the prompts, of which each group has its share.
  [[nodiscard]] double attention_of(const step_work& work) const {
    const double prompts = static_cast<double>(std::max<std::int64_t>(work.prompts, 1));
    return work.prompt_attention.value() / std::min(prompts, groups_);
  }
  /// Steps of up to that many sequences that decode, that many times as long.
  void prepare_sequences(const detail::served_stacks& of, const transformer& model, const serving_job& job,
                         const serving_layout& mesh, const detail::engine_constants& own, std::int64_t most,
                         double longer) {
    detail::token_terms terms = detail::token_terms_of(
        of.served, model, 0, detail::prompts_taken_of(of.prompts, of.takes_in, 1, job, mesh, own), job, mesh, own);
    in_turn_ = terms.in_turn;
    host_request_ = terms.host_each;  // for a first token, as for any other
    reads_ = terms.step.reads;
    holders_ = terms.step.holders;
    terms.step.cache = 0;
    draft_ = terms.draft;
    running_.reserve(static_cast<std::size_t>(most) + 1);
    for (std::int64_t running = 0; running <= most; ++running) {
      const auto sequences = static_cast<double>(running);
      const double beside = detail::factor_at(terms.step.own, sequences), factor = longer * beside;
      const double plain = longer * detail::step_at(terms.step, sequences);
      const double host = factor * (terms.host + terms.host_each * sequences);
      const double requests = factor * terms.request * (terms.round - 1) * sequences;  // whose tokens come together
      running_.push_back({draft_ > 0 ? longer * detail::verify_at(terms.step, sequences, terms.verified) : plain,
                          host + requests, factor, running > 0 ? beside : 1,
                          1 / static_cast<double>(std::max<std::int64_t>(1, running) * block_tokens_)});
      if (draft_ > 0) plain_.emplace_back(plain, host);
    }
  }
  /// Steps of an encoder, which end its requests: nothing decodes.
  void prepare_requests(const detail::served_stacks& of, const serving_job& job, const serving_layout& mesh,
                        const detail::engine_constants& own) {
    const detail::encoder_terms terms = detail::encoder_terms_of(of, job, mesh, own);
    in_turn_ = terms.in_turn;
    host_ = terms.host;
    host_each_ = terms.host_each / job.prompt.mean;
    running_.assign(2, {0, 0, 1, 1, 1});
  }
  /// Every part but attention is fixed or linear in the tokens. What runs of the caller's own say is taken at the mean
  /// prompt, as in the closed form.
  void prepare_prompts(const detail::served_model& served, serving_job job, const serving_layout& mesh,
                       const detail::engine_constants& constants) {
    job.prefill_chunk = 0;
    const auto sample = static_cast<double>(detail::fresh_tokens(job));
    const prefill_breakdown one = detail::mean_prefill(served, takes_in_, 1, job, mesh, constants);
    const bool gathered = mesh.weights == weight_sharding::gathered;
    const seconds fixed = one.weights + one.latency + (gathered ? one.collectives : seconds{0});
    const seconds linear = detail::beside_decode(one, mesh) - one.attention;
    const detail::own_question own =
        detail::own_question_of(constants.common.own_prefill, prefill_spreads, served.about_prompts);
    fixed_ = fixed.value();
    groups_ = served.groups;
    each_ = linear.value() / sample;
    engine_prefill_ = constants.engine_prefill;
    attention_per_flop_ = detail::factor_at(own, sample) * detail::seconds_per_attention(served, 1, constants);
  }

  transformer takes_in_{};  // what takes prompts in
  std::int64_t block_tokens_ = 1;
  double alone_ = 1;  // times as long are steps of prompts alone
  struct of_running {
    double device, host;  // seconds, keys and values apart
    double own;           // factor of keys, values and prompts
    double beside;        // of prompts alone for which so many wait
    double per_block;     // 1 over the tokens of a block for each sequence
  };
  std::vector<of_running> running_;               // by the number of sequences
  std::vector<std::pair<double, double>> plain_;  // on the device and the host without drafts, where there are drafts
  detail::cache_reads reads_{};                   // seconds of keys, values and states, by the tokens of a sequence
  double holders_ = 0;                            // of which each keeps whole sequences, where there are several
  double fixed_ = 0, each_ = 0, engine_prefill_ = 1, attention_per_flop_ = 0;  // prompts
  double groups_ = 1;                // of devices that attend each to prompts of their own
  double host_ = 0, host_each_ = 0;  // of a step of an encoder, and of each of its tokens
  double host_request_ = 0;          // of each first token of a decoder
  double draft_ = 0;                 // of a round, as a share of a step without drafts
  bool in_turn_ = false;             // the device waits while the host works
};

}  // namespace abi_0
}  // namespace tpuplan

#endif
