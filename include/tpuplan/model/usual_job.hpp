#ifndef TPUPLAN_MODEL_USUAL_JOB_HPP
#define TPUPLAN_MODEL_USUAL_JOB_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/model/pair_work.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// What a training job has where its user does not say: the length of a sequence, what an encoder predicts, the layers
/// with adapters, and the batch near a number of tokens.

namespace tpuplan {
inline namespace abi_0 {

/// The sequence length where none is given: 4096, or the longest that the model takes. Worked: 1024 for GPT-2, whose
/// table of positions ends there.
[[nodiscard]] constexpr std::int64_t usual_sequence(const transformer& model) {
  return model.max_positions > 0 && model.max_positions < 4096 ? model.max_positions : 4096;
}

/// The share of its positions that an encoder predicts: the masked ones, as BERT trains. Worked: 0.15.
inline constexpr double masked_share = 0.15;

namespace detail {
/// Refuses sequences that are longer than the model's table of positions: their step would fail.
constexpr void check_positions(const transformer& model, const training_job& job) {
  if (model.learned_positions > 0 && job.sequence_length > model.learned_positions)
    fail(errc::out_of_range, "training_job.sequence_length", job.sequence_length,
         text<96>{"at most "}.append(model.learned_positions).append(", the rows of its table of positions").view());
}
/// Refuses what a model has no use for.
constexpr void check_of_model(const transformer& model, const training_job& job) {
  if (job.freeze_vision && job.lora_rank > 0)
    fail(errc::invalid_argument, "freeze_vision", "given with LoRA", "either: adapters leave the whole base frozen");
  if (job.images_per_sequence > 0 && !has_vision(model))
    fail(errc::unsupported, "images_per_sequence", job.images_per_sequence, "a model with a vision tower");
  if (job.freeze_vision && !has_vision(model))
    fail(errc::unsupported, "freeze_vision", "given", "a model with a vision tower");
  if (job.attention != attention_kernel::flash && has_text(model) && attention_layers(model) == 0)
    fail(errc::invalid_argument, "training_job.attention", name(job.attention), "none: the model has no attention");
  if (job.vocabulary_tiles > 1 && job.vocabulary_tiles > model.vocab)
    fail(errc::out_of_range, "training_job.vocabulary_tiles", job.vocabulary_tiles, "1 to the words of the vocabulary");
}
}  // namespace detail

/// The job with its sequence length, if that is 0, and that of the source of a pair; of an encoder with the 15 % of its
/// positions that are predicted, and with adapters on every linear layer where they have a rank. Refuses images and a
/// frozen tower for a model without one, a frozen tower beside adapters, which leave the whole base frozen, a kernel of
/// attention for a model without attention, more tiles of the vocabulary than it has words, sequences beyond a table
/// of positions, and what `source_length` refuses. Worked: of a job that says nothing, llama-3-8b has sequences of 4096
/// tokens.
[[nodiscard]] constexpr training_job usual_job(training_job job, const transformer& model) {
  if (job.sequence_length == 0) job.sequence_length = usual_sequence(model);
  detail::check_positions(model, job);
  job.source_length = source_length(model, job);
  detail::check_of_model(model, job);
  if (model.kind == architecture::encoder) job.logits_fraction = masked_share;
  if (job.lora_rank != 0) job.lora = {true, true, true, true, true, true, true};
  return job;
}

/// The multiple of `unit` near `sequences` that has most factors of two: within a sixteenth if there is one. Worked:
/// 488.3 sequences in units of 1 are 512; 366 are 384.
[[nodiscard]] constexpr std::int64_t round_batch(double sequences, std::int64_t unit) {
  const double wanted = detail::in_range("sequences", sequences, 0, 9e15, "0 to 9e15") /
                        static_cast<double>(detail::positive_count("unit of the batch", unit));
  if (wanted < 1) return unit;
  const auto multiple = [&](double size) { return math::floor(wanted / size + 0.5) * size; };
  std::int64_t step = std::int64_t{1} << 52;
  for (; step > 1; step /= 2) {
    const double rounded = multiple(static_cast<double>(step));
    if (rounded > 0 && rounded - wanted <= wanted / 16 && wanted - rounded <= wanted / 16) break;
  }
  return checked_multiply(static_cast<std::int64_t>(multiple(static_cast<double>(step))), unit);
}

/// The sequences of a step of so many tokens: exactly, where these are whole sequences and a multiple of `unit`, else
/// the multiple near them that divides well. Throws for fewer tokens than a sequence has. Worked: 4194304 tokens in
/// sequences of 4096 are 1024 where the unit is 64; 4000000 in sequences of 8192 are 512.
[[nodiscard]] constexpr std::int64_t batch_of_tokens(std::int64_t tokens, std::int64_t sequence_length,
                                                     std::int64_t unit = 1) {
  detail::positive_count("training_job.sequence_length", sequence_length);
  detail::positive_count("unit of the batch", unit);
  if (tokens < sequence_length) detail::fail(errc::invalid_argument, "batch_tokens", tokens, "at least one sequence");
  const std::int64_t whole = tokens / sequence_length;
  if (tokens % sequence_length == 0 && whole % unit == 0) return whole;
  return round_batch(static_cast<double>(tokens) / static_cast<double>(sequence_length), unit);
}

/// The sequences of a step where a run of so many tokens says nothing of them: those of 4 Mi tokens, or a longer one,
/// halved until the run has as many. Throws for a run shorter than a sequence. Worked: 1024 sequences of 4096 tokens, and 128 where
/// there are 1e6 tokens.
[[nodiscard]] constexpr std::int64_t usual_batch(double tokens, std::int64_t sequence_length) {
  constexpr std::int64_t usual = std::int64_t{4} << 20;
  std::int64_t batch = sequence_length > usual ? 1 : batch_of_tokens(usual, sequence_length);
  const double sequences = tokens / static_cast<double>(sequence_length);
  if (sequences < 1) {
    text<64> valid{"at least a sequence, of "};
    detail::fail(errc::out_of_range, "plan.tokens", tokens, valid.append(sequence_length).view());
  }
  while (batch > 1 && sequences < static_cast<double>(batch)) batch /= 2;
  return batch;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
