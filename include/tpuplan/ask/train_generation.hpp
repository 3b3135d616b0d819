#ifndef TPUPLAN_ASK_TRAIN_GENERATION_HPP
#define TPUPLAN_ASK_TRAIN_GENERATION_HPP

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/ask/networks.hpp>
#include <tpuplan/plan/diffusion_plan.hpp>
#include <utility>
#include <vector>

/// @file
/// The questions fit_generation and train_generation: memory, a step and a run of training a denoiser of images or
/// clips.

namespace tpuplan {
inline namespace abi_0 {

/// Does a step of training a denoiser of images or clips fit?
struct fit_generation_request {
  /// @{
  /// The pipeline, slice, sizes, job and layout, as in train_generation_request.
  nlohmann::json config{};
  std::string slice{};
  std::vector<std::string> sizes{};
  std::int64_t frames = 0, text_tokens = 0;
  diffusion_training_job job{};
  generation_degrees mesh{};
  std::optional<context_exchange> exchange{};
  std::int64_t slices = 1;
  /// @}
};
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
  std::string zone{};                          ///< of spot, where a count of preemptions is published
  nlohmann::json prices{};                     ///< a price file; nothing: the built-in prices
  std::optional<seconds> mean_time_between_preemptions{};  ///< of one slice on spot; nothing: as published
  double rest_of_term_used = 0;           ///< share of a commitment's other hours that other work uses, 0 to 1
  std::optional<spot_market> market{};    ///< this and what follows as in train_request
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  /// @{
  /// How capacity is waited for and fails, and the run besides its steps.
  std::optional<seconds> queue_time{};
  std::optional<seconds> restart_time{};
  seconds chip_time_between_failures = published_chip_time_between_failures;
  asked_phases around{};
  bool timeline = false;
  /// @}
};
/// The rows of what is trained on.
inline constexpr question_row trained_size_rows[] = {
    rows::words("sizes", "--size", "Size", "pixels, width first: 1280x720; several are buckets of as many steps each")
        .usually("usual for the pipeline")
        .list(),
    detail::row_named(picture_rows, "--frames").but(&question_row::path, "frames"),
    detail::row_named(picture_rows, "--text-tokens").but(&question_row::path, "text_tokens"),
};
/// The rows of such a step that no other training has.
inline constexpr question_row diffusion_step_rows[] = {
    rows::flag("job.encode", "--encode", "true", "pixels and prompts are encoded in each step, not cached before"),
    rows::flag("job.recompute", "--keep-activations", "false", "layers are not computed again in the backward pass"),
};
/// What attention does about shards of context.
inline constexpr question_row exchange_rows[] = {detail::row_named(generate_rows, "--context-exchange")};
/// The rows of such a step that other training has too.
inline constexpr question_row diffusion_job_rows[] = {
    rows::count("job.global_batch", "--batch", "Global batch", "examples", "examples in a step, over all slices")
        .within(1, 1e12)
        .usually("one on each device"),
    detail::row_named(job_rows, "--weights").usually("fp32"),
    detail::row_named(job_rows, "--moments"),
    detail::row_named(job_rows, "--optimizer"),
    rows::count("job.lora_rank", "--lora", "Adapters", "rank", "rank of adapters on a frozen base").within(1, 1 << 20),
};
/// The rows of where it runs.
inline constexpr question_row diffusion_mesh_rows[] = {
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
};
/// The rows of its run.
inline constexpr question_row diffusion_run_rows[] = {
    rows::count("data.examples", "--examples", "Examples", "examples", "of the data set: images or clips"),
    rows::number("data.epochs", "--epochs", "Epochs", "", "passes over the examples").within(1e-6, 1e6).usually("1"),
    rows::flag("data.last", "--keep-remainder", "keep",
               "the examples of an epoch that fill no batch make one of their own"),
};

/// Whether a step fits, and of what its memory is made.
struct fit_generation_answer {
  /// @{
  /// Memory of one device, of the size that needs most, and the question with nothing left open.
  verdict fits{};
  bytes used{}, used_low{}, used_high{}, usable{};
  memory_breakdown memory{};
  std::optional<std::int64_t> largest_batch{};  ///< examples that surely fit in this layout; nothing: no batch does
  std::int64_t trained_parameters = 0;
  std::string slice{};
  std::int64_t slices = 1, chips = 0;
  generation_layout mesh{};
  diffusion_training_job job{};
  std::vector<picture_size> sizes{};
  bool clips = false;
  std::vector<assumption> assumed{};
  std::string model{};
  /// @}
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
  std::optional<run_checkpoints> checkpoints{};   ///< of the run on demand
  std::optional<run_timeline> timeline{};         ///< from start to end on demand, where it was asked for
  payment_terms terms{};                          ///< what is expected of capacity that ends
  std::string region{}, slice{};
  std::int64_t slices = 1, chips = 0;
  generation_layout mesh{};
  diffusion_training_job job{};
  bool clips = false;
  std::vector<assumption> assumed{};
  std::string model{};
  std::vector<std::int64_t> denoiser_parameters{};  ///< of each denoiser
  std::int64_t text_tokens = 0;                     ///< of a prompt, padded; 0: the denoiser sees no text
  std::string maxdiffusion_refuses{};               ///< why launch does not start it by MaxDiffusion; empty: it does
  /// @}
};

namespace detail {

/// What is trained at each size, with nothing left open.
struct training_subject {
  std::vector<picture_size> sizes{};
  std::vector<generation_work> works{};
  std::int64_t text_tokens = 0;
  assumed_values assumed{};
};

/// Why MaxDiffusion does not train so; empty: it does.
[[nodiscard]] inline std::string refusal_to_train(const diffusion_pipeline& p, const std::vector<std::int64_t>& parts,
                                                  const training_subject& about, const diffusion_training_job& job,
                                                  const generation_layout& mesh, const slice& where,
                                                  std::int64_t slice_total) {
  if (about.sizes.size() > 1) return "several sizes; valid: one size: MaxDiffusion trains at one";
  maxdiffusion_run run;
  run.pipeline = p.name.view(), run.denoiser_parameters = parts, run.trains = true;
  run.size = about.sizes.front(), run.text_tokens = about.text_tokens, run.training = job, run.mesh = mesh,
  run.steps = 1;
  return maxdiffusion_refusal(run, where, slice_total);
}

template <class Asked>
[[nodiscard]] training_subject subject_of(const diffusion_pipeline& p, const Asked& asked) {
  need_denoiser(p);
  need_text(p, asked.text_tokens, "text_tokens");
  training_subject about;
  about.text_tokens = prompt_tokens(p, asked.text_tokens);
  std::vector<std::string> sizes = asked.sizes;
  if (sizes.empty()) sizes.emplace_back();
  for (const std::string& one : sizes) {
    picture_request make;
    make.size = one, make.frames = asked.frames;
    assumed_values assumed;
    about.sizes.push_back(filled_size(make, p, assumed, {"sizes", "frames"}));
    if (about.works.empty()) about.assumed = assumed;
    about.works.push_back(work_of(p, about.sizes.back(), about.text_tokens));
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

/// The layout that was asked for, with what was left open as it is fastest; refused where the slice has none.
[[nodiscard]] inline generation_layout training_layout(const training_subject& about, const diffusion_training_job& job,
                                                       const slice& where, std::int64_t slice_total,
                                                       const generation_degrees& fixed,
                                                       const std::optional<context_exchange>& exchange) {
  check_exchange(fixed, exchange, where);
  generation_freedom free{fixed, nothing};
  if (exchange) free.exchange = *exchange;
  if (const maybe<laid_out_training> best = best_training(about.works, job, where, slice_total, free))
    return best->mesh;
  const auto any = [&]() -> maybe<generation_layout> {
    const maybe<laid_out_training> other = best_training(about.works, job, where, slice_total, generation_freedom{});
    return other ? maybe<generation_layout>{other->mesh} : nothing;
  };
  validate(about.works.front(), job, layout_to_refuse(fixed, exchange, where, any), where, slice_total);
  fail(errc::infeasible, "slice", name(where).view(), "a slice whose devices such a batch can be shared by");
}

/// The most examples of a step that surely fit in a layout, in multiples of its groups; nothing where none do.
[[nodiscard]] inline std::optional<std::int64_t> largest_batch(const training_subject& about,
                                                               diffusion_training_job job,
                                                               const generation_layout& mesh, const slice& where,
                                                               std::int64_t slice_total) {
  const std::int64_t unit = checked_multiply(mesh.data, slice_total), most = (std::int64_t{1} << 40) / unit;
  const auto is_fitting = [&](std::int64_t units) {
    job.global_batch = units * unit;
    return tpuplan::fits(largest_memory(about.works, job, mesh, where, slice_total)) == verdict::yes;
  };
  if (!is_fitting(1)) return std::nullopt;
  std::int64_t few = 1, many = 2;
  for (; many <= most && is_fitting(many); many *= 2) few = many;
  while (many - few > 1) {
    const std::int64_t middle = few + (many - few) / 2;
    (is_fitting(middle) ? few : many) = middle;
  }
  return few * unit;
}

/// The layout and its memory, as both questions have them.
template <class Asked, class Answer>
void place_training(const diffusion_pipeline& pipeline, const Asked& asked, training_subject& about, const slice& where,
                    Answer& answer) {
  check_moments(asked.job);
  answer.job = asked.job;
  answer.slices = check_slices("slices", asked.slices);
  if (asked.job.global_batch == 0) {
    answer.job.global_batch = checked_multiply(devices(where), asked.slices);
    about.assumed.emplace_back("global batch", std::to_string(answer.job.global_batch) + ", one on each device");
  }
  answer.chips = tpuplan::chips(where), answer.slice = tpuplan::name(where).view();
  answer.mesh = training_layout(about, answer.job, where, asked.slices, asked.mesh, asked.exchange);
  answer.memory = largest_memory(about.works, answer.job, answer.mesh, where, asked.slices);
  if (asked.mesh.data == 0 || asked.mesh.tensor == 0 || asked.mesh.context == 0 || asked.mesh.fsdp == 0)
    about.assumed.emplace_back("layout", layout_words(answer.mesh) + chosen_layout_words(answer.memory));
  answer.fits = tpuplan::fits(answer.memory);
  answer.used = answer.memory.total, answer.used_low = answer.memory.low, answer.used_high = answer.memory.high;
  answer.usable = answer.memory.usable;
  answer.trained_parameters =
      static_cast<std::int64_t>(std::llround(trained_parameters(about.works.front().denoisers.items[0], answer.job)));
  answer.model = pipeline.name.view();
  answer.clips = about.sizes.front().frames > 1;
}

/// What was read, and what was assumed of the question.
inline void set_assumed(std::vector<assumption>& to, const std::vector<assumption>& read, const assumed_values& said) {
  to = read;
  for (const auto& [field, value] : said) to.push_back({field, value, std::string(not_given)});
}

/// The run, its dollars and its checkpoints.
inline void set_run(train_generation_answer& answer, const train_generation_request& asked, training_subject& about,
                    const slice& where, const price_book& book) {
  answer.epochs = epochs_of(asked.data, answer.job.global_batch);
  const auto steps = static_cast<double>(answer.epochs->steps);
  diffusion_request request;
  request.sizes = about.works, request.job = answer.job;
  fill_run(asked, true, {std::string(where.chip.name.view())}, {asked.region}, request, about.assumed);
  answer.terms = payment_terms_of(request, where, asked.slices, answer.epochs->steps, answer.step_time, asked.region);
  validate(answer.terms);
  answer.run = steps * answer.step_time;
  const run_price_list costs =
      run_prices(where, asked.slices, {*answer.run, steps * answer.step_time_low, steps * answer.step_time_high}, book,
                 asked.region, answer.terms);
  answer.costs.emplace(costs.begin(), costs.end());
  answer.checkpoints = checkpoints_of(
      checkpoint_of(about.works.front().denoisers.items[0], answer.job), steps, answer.step_time,
      checkpoint_interval_of(provisioning::on_demand, asked.slices, *answer.run, answer.terms), asked.region);
  if (!asked.timeline && !is_given(asked.around) && !asked.queue_time) return;
  run_phases run = request.around;
  run.steps = answer.epochs->steps, run.step = answer.step_time;
  answer.timeline =
      timeline_of(phases_on(run, where), answer.terms, price_on_demand(book, where, asked.slices, asked.region));
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
  detail::place_training(pipeline, asked, about, where, answer);
  const diffusion_step step = mean_step(about.works, answer.job, answer.mesh, where, asked.slices);
  answer.breakdown = step;
  answer.step_time = step.total, answer.step_time_low = step.low, answer.step_time_high = step.high;
  answer.mfu = step.mfu, answer.examples = step.examples_per_second;
  for (std::size_t i = 0; i < about.works.size(); ++i)
    answer.buckets.push_back(
        {about.sizes[i], step_time(about.works[i], answer.job, answer.mesh, where, asked.slices).total});
  answer.data = asked.data, answer.region = asked.region;
  answer.denoiser_parameters = detail::denoiser_parameters_of(pipeline);
  answer.text_tokens = about.text_tokens;
  answer.maxdiffusion_refuses = detail::refusal_to_train(pipeline, answer.denoiser_parameters, about, answer.job,
                                                         answer.mesh, where, asked.slices);
  if (asked.data.examples > 0) detail::set_run(answer, asked, about, where, book);
  detail::set_assumed(answer.assumed, read, about.assumed);
  if (answer.run)
    say_what_is_too_short(book, where, asked.slices, asked.region, *answer.run, answer.terms, answer.assumed);
  return answer;
}

/// Whether the step fits, and its bytes by part. Throws, naming the field, for what cannot be trained so. Worked: its
/// bytes are those that `answer_to_train_generation` has of the same step.
[[nodiscard]] inline fit_generation_answer answer_to_fit_generation(const diffusion_pipeline& pipeline,
                                                                    const std::vector<assumption>& read,
                                                                    const fit_generation_request& asked) {
  const slice where = scheduled_slice(asked.slice);
  detail::training_subject about = detail::subject_of(pipeline, asked);
  fit_generation_answer answer;
  detail::place_training(pipeline, asked, about, where, answer);
  answer.largest_batch = detail::largest_batch(about, answer.job, answer.mesh, where, asked.slices);
  answer.sizes = about.sizes;
  detail::set_assumed(answer.assumed, read, about.assumed);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::fit_generation_request, config, slice, sizes, frames, text_tokens, job, mesh, exchange, slices)
TPUPLAN_FIELDS(tpuplan::fit_generation_answer, fits, used, used_low, used_high, usable, memory, largest_batch,
               trained_parameters, slice, slices, chips, mesh, job, sizes, clips, assumed, model)
TPUPLAN_FIELDS(tpuplan::train_generation_request, config, slice, sizes, frames, text_tokens, job, mesh, exchange,
               slices, data, region, zone, prices, mean_time_between_preemptions, rest_of_term_used, market, lifetimes,
               queue_time, restart_time, chip_time_between_failures, around, timeline)
TPUPLAN_FIELDS(tpuplan::training_bucket, size, step_time)
TPUPLAN_FIELDS(tpuplan::train_generation_answer, step_time, step_time_low, step_time_high, mfu, examples, breakdown,
               buckets, fits, used, used_low, used_high, usable, memory, trained_parameters, data, epochs, run, costs,
               checkpoints, timeline, terms, region, slice, slices, chips, mesh, job, clips, assumed, model,
               denoiser_parameters, text_tokens, maxdiffusion_refuses)

#endif
