#ifndef TPUPLAN_ASK_TRAIN_GENERATION_HPP
#define TPUPLAN_ASK_TRAIN_GENERATION_HPP

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/ask/networks.hpp>
#include <tpuplan/estimate/generation/training.hpp>
#include <utility>
#include <vector>

/// @file
/// The question train_generation: a step and a run of training a denoiser of images or clips.

namespace tpuplan {
inline namespace abi_0 {

/// How long does a step of training a denoiser take; how long does a run take, and what does it cost?
struct train_generation_request {
  nlohmann::json config{};                     ///< a folder of diffusers as one document, or one of its files
  std::string slice{};                         ///< "v5p-8"
  std::vector<std::string> sizes{};            ///< "1280x720"; several: buckets, each for as many steps; none: usual
  std::int64_t frames = 0;                     ///< of a clip; 0: usual for the pipeline
  std::int64_t text_tokens = 0;                ///< of a prompt; 0: as many as the pipeline pads to
  diffusion_training_job job{};                ///< a batch of 0: one example on each device
  generation_degrees mesh{};                   ///< of the layout; 0: the fastest that fits
  std::optional<context_exchange> exchange{};  ///< between shards of context; nothing: the fastest that fits
  std::int64_t slices = 1;                     ///< data parallel over DCN
  data_set data{};                             ///< trained on; no examples: only one step is asked about
  std::string region = "us";                   ///< where the slice is paid for
  nlohmann::json prices{};                     ///< a price file; nothing: the built-in prices
  seconds mean_time_between_preemptions = spot_terms{}.mean_time_between_preemptions;  ///< of one slice on spot
  double rest_of_term_used = 0;  ///< share of a commitment's other hours that other work uses, 0 to 1
};
/// The rows of such a step that no other training has.
inline constexpr question_row train_picture_rows[] = {
    rows::words("sizes", "--size", "Size", "pixels, width first: 1280x720; several are buckets of as many steps each")
        .usually("usual for the pipeline")
        .list(),
    detail::row_named(picture_rows, "--frames").but(&question_row::path, "frames"),
    detail::row_named(picture_rows, "--text-tokens").but(&question_row::path, "text_tokens"),
    rows::flag("job.encode", "--encode", "true", "pixels and prompts are encoded in each step, not cached before"),
    rows::flag("job.recompute", "--keep-activations", "false", "layers are not computed again in the backward pass"),
    detail::row_named(generate_rows, "--context-exchange"),
};
/// The rows that it shares with other training.
inline constexpr question_row train_generation_rows[] = {
    rows::count("job.global_batch", "--batch", "Global batch", "examples", "examples in a step, over all slices")
        .within(1, 1e12)
        .usually("one on each device"),
    detail::row_named(job_rows, "--weights").usually("fp32"),
    detail::row_named(job_rows, "--moments"),
    detail::row_named(job_rows, "--optimizer"),
    rows::count("job.lora_rank", "--lora", "Adapters", "rank", "rank of adapters on a frozen base").within(1, 1 << 20),
    detail::row_named(mesh_rows, "--slice"),
    rows::count("slices", "--slices", "Slices over DCN", "slices", "slices, data parallel over DCN")
        .within(1, 1024)
        .usually("1"),
    rows::count("mesh.data", "--data", "Sharding: data", "shards", "groups that share the batch")
        .within(1, 1 << 20)
        .usually("the fastest that fits"),
    detail::row_named(generate_rows, "--fsdp"),
    detail::row_named(generate_rows, "--tensor"),
    detail::row_named(generate_rows, "--context"),
    rows::count("data.examples", "--examples", "Examples", "examples", "of the data set: images or clips"),
    rows::number("data.epochs", "--epochs", "Epochs", "", "passes over the examples").within(1e-6, 1e6).usually("1"),
    rows::flag("data.last", "--keep-remainder", "keep",
               "the examples of an epoch that fill no batch make one of their own"),
};

/// A step at one size.
struct training_bucket {
  picture_size size{};  ///< of its examples
  seconds step_time{};  ///< of a step with them
};
/// A step, its memory, and the run where examples were given.
struct train_generation_answer {
  /// @{
  /// One step, the mean over its buckets, and the run where examples were given.
  seconds step_time{}, step_time_low{}, step_time_high{};  ///< the estimate, and the ends of its band
  double mfu = 0;                                          ///< model FLOPs over the bf16 peak, 0 to 1
  per_second examples{};                                   ///< examples per second over all slices
  diffusion_step breakdown{};                              ///< the step by part
  std::vector<training_bucket> buckets{};                  ///< a row for each size
  verdict fits{};
  bytes used{}, used_low{}, used_high{}, usable{};  ///< on a device, of the bucket that needs most
  memory_breakdown memory{};                        ///< by part
  std::int64_t trained_parameters = 0;              ///< all of the denoiser, or those of adapters
  data_set data{};
  std::optional<epoch_count> epochs{};            ///< its steps
  std::optional<seconds> run{};                   ///< uninterrupted time of all steps
  std::optional<std::vector<run_price>> costs{};  ///< a row for each way of paying, cheapest first
  payment_terms terms{};                          ///< what is expected of capacity that ends
  std::string region{}, slice{};
  std::int64_t slices = 1, chips = 0;
  generation_layout mesh{};
  diffusion_training_job job{};
  bool clips = false;
  std::vector<assumption> assumed{};
  std::string model{};
  std::vector<std::int64_t> denoiser_parameters{};  ///< of each denoiser
  /// @}
};

namespace detail {

/// What is trained at each size, with nothing left open.
struct training_subject {
  std::vector<picture_size> sizes{};
  std::vector<generation_work> works{};
  assumed_values assumed{};
};

[[nodiscard]] inline training_subject subject_of(const diffusion_pipeline& p, const train_generation_request& asked) {
  training_subject about;
  std::vector<std::string> sizes = asked.sizes;
  if (sizes.empty()) sizes.emplace_back();
  for (const std::string& one : sizes) {
    picture_request make;
    make.size = one, make.frames = asked.frames;
    assumed_values assumed;
    about.sizes.push_back(filled_size(make, p, assumed, {"sizes", "frames"}));
    if (about.works.empty()) about.assumed = assumed;
    about.works.push_back(work_of(p, about.sizes.back(), asked.text_tokens));
  }
  if (asked.job.encode) {
    if (!is_present(p.decoder) && p.encoders.size == 0)
      fail(errc::invalid_argument, "job.encode", "given without effect",
           "a pipeline with an autoencoder or an encoder of text");
    assume_parts(p, about.assumed);
  } else {
    about.assumed.emplace_back("latents", "and prompts are encoded before, and cached");
  }
  if (p.denoisers.size > 1) about.assumed.emplace_back("denoiser", "the first of two is trained");
  if (asked.job.lora_rank > 0) about.assumed.emplace_back("LoRA", "on every product, the frozen base in bf16");
  return about;
}

/// The bucket that needs most memory under a layout.
[[nodiscard]] inline memory_breakdown worst_memory(const training_subject& about, const diffusion_training_job& job,
                                                   const generation_layout& mesh, const slice& where,
                                                   std::int64_t slice_total) {
  memory_breakdown worst;
  for (const generation_work& work : about.works) {
    const memory_breakdown one = memory_use(work, job, mesh, where, slice_total);
    if (one.total >= worst.total) worst = one;
  }
  return worst;
}

[[nodiscard]] inline seconds mean_step(const training_subject& about, const diffusion_training_job& job,
                                       const generation_layout& mesh, const slice& where, std::int64_t slice_total) {
  seconds sum{};
  for (const generation_work& work : about.works) sum += step_time(work, job, mesh, where, slice_total).total;
  return sum / static_cast<double>(about.works.size());
}

/// The fastest layout that surely fits, else the fastest that may, else that which needs least.
[[nodiscard]] inline generation_layout training_layout(const training_subject& about, const diffusion_training_job& job,
                                                       const slice& where, const train_generation_request& asked) {
  generation_freedom free{asked.mesh, nothing};
  if (asked.exchange) free.exchange = *asked.exchange;
  std::optional<generation_layout> best;
  verdict fit = verdict::no;
  double value = 0;
  for_each_generation_layout(free, devices(where), [&](const generation_layout& mesh) {
    if (job.global_batch % checked_multiply(mesh.data, asked.slices) != 0) return;
    if (!refusal_of(about.works.front(), {mesh.data, 1, 1}, mesh, where).field.empty()) return;
    const memory_breakdown memory = worst_memory(about, job, mesh, where, asked.slices);
    const verdict one = tpuplan::fits(memory);
    const double cost =
        one == verdict::no ? memory.low.value() : mean_step(about, job, mesh, where, asked.slices).value();
    if (best && (one > fit || (one == fit && cost >= value))) return;
    best = mesh, fit = one, value = cost;
  });
  if (best) return *best;
  validate(about.works.front(), job, layout_as_given(asked.mesh, asked.exchange), where, asked.slices);
  fail(errc::infeasible, "slice", name(where).view(), "a slice whose devices such a batch can be shared by");
}

inline void add_step(diffusion_step& to, const diffusion_step& one, double share) {
  to.products += share * one.products, to.attention += share * one.attention;
  to.elementwise += share * one.elementwise, to.collectives += share * one.collectives;
  to.gradients += share * one.gradients, to.update += share * one.update, to.encoding += share * one.encoding;
  to.overhead += share * one.overhead, to.total += share * one.total, to.low += share * one.low;
  to.high += share * one.high, to.floor += share * one.floor;
}

inline void set_steps(train_generation_answer& answer, const training_subject& about, const slice& where) {
  const double share = 1 / static_cast<double>(about.works.size());
  diffusion_step& step = answer.breakdown;
  for (std::size_t i = 0; i < about.works.size(); ++i) {
    const diffusion_step one = tpuplan::step_time(about.works[i], answer.job, answer.mesh, where, answer.slices);
    add_step(step, one, share);
    if (i == 0) step.limited_by = one.limited_by;
    answer.buckets.push_back({about.sizes[i], one.total});
  }
  step.mfu = step.floor / step.total;
  step.examples_per_second = static_cast<double>(answer.job.global_batch) / step.total;
  answer.step_time = step.total, answer.step_time_low = step.low, answer.step_time_high = step.high;
  answer.mfu = step.mfu, answer.examples = step.examples_per_second;
}

}  // namespace detail

/// The step, its memory, and where examples are given the run and its dollars. Throws, naming the field, for what
/// cannot be trained so. Worked: Wan 2.1 14B at 720p on v5p-8 takes 35 s a step, as published within a tenth.
[[nodiscard]] inline train_generation_answer answer_to_train_generation(const diffusion_pipeline& pipeline,
                                                                        const std::vector<assumption>& read,
                                                                        const train_generation_request& asked,
                                                                        const price_book& book) {
  const slice where = scheduled_slice(asked.slice);
  expect_region(book, asked.region);
  detail::training_subject about = detail::subject_of(pipeline, asked);
  train_generation_answer answer;
  answer.job = asked.job;
  if (asked.job.global_batch == 0) {
    answer.job.global_batch = checked_multiply(devices(where), detail::check_slices("slices", asked.slices));
    about.assumed.emplace_back("global batch", std::to_string(answer.job.global_batch) + ", one on each device");
  }
  answer.slices = asked.slices, answer.chips = tpuplan::chips(where), answer.slice = tpuplan::name(where).view();
  answer.mesh = detail::training_layout(about, answer.job, where, asked);
  detail::set_steps(answer, about, where);
  answer.memory = detail::worst_memory(about, answer.job, answer.mesh, where, asked.slices);
  answer.fits = tpuplan::fits(answer.memory);
  answer.used = answer.memory.total, answer.used_low = answer.memory.low, answer.used_high = answer.memory.high;
  answer.usable = answer.memory.usable;
  answer.trained_parameters =
      static_cast<std::int64_t>(std::llround(trained_parameters(about.works.front().denoisers.items[0], answer.job)));
  answer.data = asked.data, answer.region = asked.region, answer.model = pipeline.name.view();
  answer.denoiser_parameters = detail::denoiser_parameters_of(pipeline);
  answer.clips = about.sizes.front().frames > 1;
  if (asked.mesh.data == 0 || asked.mesh.tensor == 0 || asked.mesh.context == 0 || asked.mesh.fsdp == 0)
    about.assumed.emplace_back("layout", detail::layout_words(answer.mesh) + ": the fastest that fits");
  answer.assumed = read;
  for (auto& [field, value] : about.assumed) answer.assumed.push_back({field, value, std::string(not_given)});
  answer.terms.spot.mean_time_between_preemptions = asked.mean_time_between_preemptions;
  answer.terms.spot.checkpoint_time = checkpoint_time(
      training_state_of(answer.trained_parameters, answer.job.weights, answer.job.optimizer, answer.job.moments).total);
  answer.terms.flex_start.checkpoint_time = answer.terms.spot.checkpoint_time;
  answer.terms.rest_of_term_used = asked.rest_of_term_used;
  if (asked.data.examples == 0) return answer;
  answer.epochs = epochs_of(asked.data, answer.job.global_batch);
  const auto steps = static_cast<double>(answer.epochs->steps);
  answer.run = steps * answer.step_time;
  const run_price_list costs =
      run_prices(where, asked.slices, {*answer.run, steps * answer.step_time_low, steps * answer.step_time_high}, book,
                 asked.region, answer.terms);
  answer.costs.emplace(costs.begin(), costs.end());
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::train_generation_request, config, slice, sizes, frames, text_tokens, job, mesh, exchange,
               slices, data, region, prices, mean_time_between_preemptions, rest_of_term_used)
TPUPLAN_FIELDS(tpuplan::training_bucket, size, step_time)
TPUPLAN_FIELDS(tpuplan::train_generation_answer, step_time, step_time_low, step_time_high, mfu, examples, breakdown,
               buckets, fits, used, used_low, used_high, usable, memory, trained_parameters, data, epochs, run, costs,
               terms, region, slice, slices, chips, mesh, job, clips, assumed, model, denoiser_parameters)

#endif
