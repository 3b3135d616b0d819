#ifndef TPUPLAN_ASK_GENERATE_HPP
#define TPUPLAN_ASK_GENERATE_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/estimate/generation.hpp>
#include <tpuplan/launch/pictures.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <tpuplan/read/diffusers.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// The question generate: seconds and dollars of an image or a clip on a slice.

namespace tpuplan {
inline namespace abi_0 {

/// What is to be made, whatever makes it.
struct picture_request {
  std::string size{};                     ///< "1280x720", width first; empty: usual for the pipeline
  std::int64_t frames = 0;                ///< of a clip; 0: usual for the pipeline
  std::int64_t steps = 0;                 ///< denoising steps; 0: usual for the pipeline
  std::optional<double> guidance{};       ///< above 1: a second forward pass a step, unless it is distilled
  std::int64_t text_tokens = 0;           ///< of a prompt, padded; 0: as many as the pipeline pads to
  std::optional<double> cache_speedup{};  ///< by how much caching between steps shortens them, measured elsewhere
  dtype weights = dtype::bf16;            ///< in which weights are held; arithmetic is in bf16
};
/// How long does a slice take for an image or a clip, and at what price?
struct generate_request {
  nlohmann::json config{};                      ///< a folder of diffusers as one document, or one of its files
  std::string slice{};                          ///< "v6e-8"
  picture_request make{};                       ///< what is made
  std::int64_t batch = 1;                       ///< images or clips that a slice makes together
  std::int64_t slices = 1;                      ///< equal slices, each with batches of its own
  generation_degrees mesh{};                    ///< of the layout; 0: the fastest that fits
  std::optional<context_exchange> exchange{};   ///< between shards of context; nothing: the fastest that fits
  std::optional<tpuplan::provisioning> kind{};  ///< whose price an item has; nothing: on demand
  std::string region = "us";                    ///< where it is paid for
  nlohmann::json prices{};                      ///< a price file; nothing: the built-in prices
};

namespace detail {
constexpr std::string_view exchange_named(std::string_view given) {
  return name_or_none(parse_context_exchange(given));
}
inline constexpr std::int64_t most_frames = 1 << 20;  // of a clip
}  // namespace detail
/// How shards of context exchange what attention needs.
inline constexpr row_choices exchange_choices = detail::choices_of<context_exchange>(detail::exchange_named);

/// What is made.
inline constexpr question_row picture_rows[] = {
    rows::words("make.size", "--size", "Size", "pixels, width first: 1280x720").usually("usual for the pipeline"),
    rows::count("make.frames", "--frames", "Frames", "frames", "of a clip")
        .within(1, detail::most_frames)
        .usually("usual for the pipeline; 1 of an image"),
    rows::count("make.steps", "--steps", "Steps", "steps", "denoising steps")
        .within(1, 10000)
        .usually("usual for the pipeline"),
    rows::number("make.guidance", "--guidance", "Guidance", "",
                 "scale of classifier-free guidance: above 1 a second forward pass a step")
        .within(0, 1000)
        .usually("usual for the pipeline"),
    rows::count("make.text_tokens", "--text-tokens", "Text", "tokens", "of a prompt, padded")
        .within(1, 1 << 20)
        .usually("as the pipeline pads"),
    rows::number("make.cache_speedup", "--cache-speedup", "Caching shortens steps", "times",
                 "factor by which caching between steps shortens them, as measured elsewhere: 1.75")
        .within(1, 20)
        .usually("1"),
    rows::choice("make.weights", "--weights", "Weights", format_choices, "in which weights are held").usually("bf16"),
};
/// Where it is made.
inline constexpr question_row generate_rows[] = {
    rows::words("slice", "--slice", "Slice", "v6e-8, tpu7x-8, v5p-8 …").needed(),
    rows::count("batch", "--batch", "Batch", "items", "images or clips that a slice makes together")
        .within(1, 1 << 20)
        .usually("1"),
    rows::count("slices", "--slices", "Slices", "slices", "equal slices, each with batches of its own")
        .within(1, 1024)
        .usually("1"),
    rows::count("mesh.data", "--data", "Sharding: data", "shards", "groups that share the batch and the two passes")
        .within(1, 1 << 20)
        .usually("the fastest that fits"),
    rows::count("mesh.fsdp", "--fsdp", "Sharding: fsdp", "shards", "shards of the weights within data and context")
        .within(1, 1 << 20)
        .usually("the fastest that fits"),
    rows::count("mesh.tensor", "--tensor", "Sharding: tensor", "shards", "shards of each product")
        .within(1, 1 << 20)
        .usually("the fastest that fits"),
    rows::count("mesh.context", "--context", "Sharding: context", "shards", "shards of the positions of an example")
        .within(1, 1 << 20)
        .usually("the fastest that fits"),
    rows::choice("exchange", "--context-exchange", "Exchange", exchange_choices, exchange_choices.valid)
        .usually("the fastest that fits"),
    rows::choice("kind", "--provisioning", "Way of paying", payment_choices, "whose price an item has")
        .usually("on_demand"),
};

/// An image or a clip at one price.
struct item_price {
  tpuplan::provisioning kind{};  ///< the way of paying
  double usd_per_hour = 0;       ///< dollars an hour for all slices
  double usd_per_item = 0;       ///< dollars an item
  /// @{
  /// Dollars an item at the ends of the band.
  double usd_per_item_low = 0, usd_per_item_high = 0;
  /// @}
  price_row price{};        ///< the row of the price list that was used
  bool superseded = false;  ///< it is older than an announced change
};
/// A batch, its memory and its costs.
struct generate_answer {
  /// @{
  /// Seconds from prompts to a finished batch, and the ends of the band; of an item: of a batch over its items.
  seconds batch_time{}, batch_time_low{}, batch_time_high{};
  seconds item_time{}, item_time_low{}, item_time_high{};
  seconds text{}, steps{}, decode{};                ///< parts of the batch: encoders of text, all steps, decoder
  double items_per_hour = 0;                        ///< of all slices
  std::optional<double> usd_per_item{};             ///< under the way of paying; nothing: it has no price
  std::optional<provisioning> kind{};               ///< the way of paying
  verdict fits{};                                   ///< whether it fits
  bytes used{}, used_low{}, used_high{}, usable{};  ///< on a device
  double mfu = 0;                                   ///< FLOPs of the models over the bf16 peak
  flops forward{};                                  ///< of one pass of the denoiser for one item
  flops work{};                                     ///< of all models for a batch
  seconds floor{};                                  ///< these at the peak rate: no program is faster
  generation_bound limited_by{};                    ///< the largest part of a step
  pass_time step{};                                 ///< one step by part
  generation_memory memory{};                       ///< by part
  std::vector<item_price> costs{};                  ///< a row for each way of paying, cheapest first
  std::string slice{};
  std::int64_t slices = 1, chips = 0;
  generation_layout mesh{};  ///< as asked, or the fastest that fits
  picture_size size{};       ///< of an item
  generation_job job{};      ///< of a batch, with nothing left open
  bool clips = false;        ///< an item is a clip
  /// Published generations behind the band, and who published them; whether none is of such a denoiser on the chip.
  std::int64_t runs = 0, sources = 0;
  bool extrapolated = false;
  std::vector<assumption> assumed{};
  std::string model{};
  std::vector<std::int64_t> denoiser_parameters{};  ///< of each denoiser
  std::int64_t text_tokens = 0;                     ///< of a prompt, padded; 0: the denoiser sees no text
  std::string maxdiffusion_refuses{};               ///< why launch does not start it by MaxDiffusion; empty: it does
  std::string region{};
  /// @}
};

/// A pipeline with what its files left open.
struct read_generation {
  /// @{
  /// What is to be made, with nothing left open.
  diffusion_pipeline pipeline{};
  std::vector<assumption> read{};  ///< what the files left open
  assumed_values assumed{};        ///< what the question left open
  picture_size size{};
  generation_job job{};
  std::int64_t text_tokens = 0;
  /// @}
};

namespace detail {

/// What a size and a number of frames are called in a request.
struct size_fields {
  std::string_view size = "make.size", frames = "make.frames";
};

/// "1280x720" as pixels; refuses what is none.
[[nodiscard]] inline picture_size size_of_words(const std::string& given, std::string_view field) {
  picture_size size;
  const std::size_t by = given.find_first_of("xX*");
  const auto side = [&](std::string_view digits) {
    std::int64_t value = 0;
    if (digits.empty() || digits.size() > 6) return std::int64_t{0};
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::int64_t{0};
      value = 10 * value + (c - '0');
    }
    return value;
  };
  if (by != std::string::npos) {
    size.width = side(std::string_view(given).substr(0, by));
    size.height = side(std::string_view(given).substr(by + 1));
  }
  if (size.width <= 0 || size.height <= 0)
    fail(errc::malformed_input, field, given, "pixels of a row and rows: 1280x720");
  return size;
}

/// The nearest multiples of a unit, as people write them: "720 or 736".
[[nodiscard]] inline std::string nearest_multiples(std::int64_t value, std::int64_t unit) {
  const std::int64_t below = value / unit * unit;
  return below > 0 ? std::to_string(below) + " or " + std::to_string(below + unit) : std::to_string(unit);
}

/// Refuses sizes that the pipeline cannot make, with the nearest that it can.
inline void check_picture(const diffusion_pipeline& p, const picture_size& size, const size_fields& called) {
  const std::int64_t unit = checked_multiply(p.spatial, p.patch);
  if (unit > 0 && (size.width % unit != 0 || size.height % unit != 0))
    fail(errc::not_divisible, called.size, std::to_string(size.width) + "x" + std::to_string(size.height),
         "sides in multiples of " + std::to_string(unit) + ": a width of " + nearest_multiples(size.width, unit) +
             ", a height of " + nearest_multiples(size.height, unit));
  if (unit > 0 && checked_multiply(size.width / unit, size.height / unit) > 16777216)
    fail(errc::out_of_range, called.size, std::to_string(size.width) + "x" + std::to_string(size.height),
         "at most 2^24 positions of the denoiser, each of " + std::to_string(unit) + "x" + std::to_string(unit));
  if (size.frames == 1) return;
  if (!makes_clips(p)) fail(errc::out_of_range, called.frames, size.frames, "1: the model makes images");
  if ((size.frames - 1) % p.temporal != 0) {
    const std::int64_t below = (size.frames - 1) / p.temporal * p.temporal + 1;
    fail(errc::not_divisible, called.frames, size.frames,
         "one more than a multiple of " + std::to_string(p.temporal) + ": " + std::to_string(below) +
             (below + p.temporal > most_frames ? "" : " or " + std::to_string(below + p.temporal)));
  }
}

/// The forward passes of a step: two under guidance, unless the model has it as an input or was distilled.
[[nodiscard]] inline std::int64_t forwards_of(const diffusion_pipeline& p, const std::optional<double>& guidance,
                                              assumed_values& assumed) {
  if (!guidance) {
    assumed.emplace_back("guidance", p.guidance_input       ? "an input of the denoiser: one forward pass a step"
                                     : p.usual_forwards > 1 ? "usual for the pipeline: two forward passes a step"
                                                            : "none: one forward pass a step");
    return p.guidance_input ? 1 : p.usual_forwards;
  }
  detail::in_range("make.guidance", *guidance, 0, 1000, "0 to 1000");
  if (p.guidance_input) {
    assumed.emplace_back("guidance", "an input of the denoiser: one forward pass a step, whatever its scale");
    return 1;
  }
  if (*guidance <= 1) return 1;
  if (p.usual_forwards == 1)
    fail(errc::unsupported, "make.guidance", *guidance, "none, or 1: the model was distilled to do without");
  return 2;
}

/// Fills in what the question leaves open of a size.
[[nodiscard]] inline picture_size filled_size(const picture_request& asked, const diffusion_pipeline& p,
                                              assumed_values& assumed, const size_fields& called = {}) {
  picture_size size = p.usual;
  if (!asked.size.empty()) {
    const picture_size given = size_of_words(asked.size, called.size);
    size.width = given.width, size.height = given.height;
  } else {
    if (size.width <= 0 || size.height <= 0) fail(errc::missing_field, called.size, "missing", "pixels: 1280x720");
    assumed.emplace_back("size",
                         std::to_string(size.width) + "x" + std::to_string(size.height) + ", usual for the pipeline");
  }
  if (asked.frames > 0) {
    size.frames = asked.frames;
  } else {
    if (size.frames < 1) size.frames = 1;
    if (makes_clips(p)) assumed.emplace_back("frames", std::to_string(size.frames) + ", usual for the pipeline");
  }
  check_picture(p, size, called);
  return size;
}

/// Refuses an autoencoder that comes alone: nothing is made or trained without a denoiser.
inline void need_denoiser(const diffusion_pipeline& p) {
  if (p.denoisers.size == 0)
    fail(errc::unsupported, "config", p.name.view(), "a pipeline with a denoiser (transformer or unet), or one alone");
}

/// Refuses tokens of text for a pipeline that sees none.
inline void need_text(const diffusion_pipeline& p, std::int64_t text_tokens, std::string_view field) {
  if (text_tokens > 0 && p.text_tokens == 0)
    fail(errc::invalid_argument, field, "given without effect", "a pipeline whose denoiser sees text");
}

/// Tokens of a prompt, as the denoiser sees them: those that are given, or as many as its pipeline pads to.
[[nodiscard]] inline std::int64_t prompt_tokens(const diffusion_pipeline& p, std::int64_t given) {
  return given > 0 ? given : p.text_tokens;
}

/// Says which parts no time is counted for, because the files do not describe them.
inline void assume_parts(const diffusion_pipeline& p, assumed_values& assumed) {
  if (p.encoders.size == 0)
    assumed.emplace_back("text", "no encoder of text is described: its time and memory are not counted");
  if (!is_present(p.decoder))
    assumed.emplace_back("decoder", "no autoencoder is described: its time and memory are not counted");
  if (p.encoders.size > 0 || is_present(p.decoder))
    assumed.emplace_back("text and decode",
                         "at the rates of large products: the one run that times them apart took 6.4 "
                         "and 2.9 times as long");
  if (is_present(p.image_encoder) || p.reference_images > 0)
    assumed.emplace_back("given image", "encoded before: that time is not counted");
}

}  // namespace detail

/// What is made, with nothing left open. Throws, naming the field, for sizes, frames and guidance that the pipeline
/// does not take. Worked: Wan 2.1 without a size makes 81 frames of 832 x 480.
[[nodiscard]] inline read_generation filled(diffusion_pipeline pipeline, std::vector<assumption> read,
                                            const picture_request& asked, std::int64_t batch) {
  detail::need_denoiser(pipeline);
  detail::need_text(pipeline, asked.text_tokens, "make.text_tokens");
  read_generation all{pipeline, std::move(read), {}, {}, {}, detail::prompt_tokens(pipeline, asked.text_tokens)};
  all.size = detail::filled_size(asked, all.pipeline, all.assumed);
  all.job.batch = batch;
  all.job.weights = asked.weights;
  all.job.cache_speedup = asked.cache_speedup.value_or(1);
  all.job.steps = asked.steps;
  if (asked.steps == 0) {
    if (pipeline.usual_steps <= 0) detail::fail(errc::missing_field, "make.steps", "missing", "denoising steps: 50");
    all.job.steps = pipeline.usual_steps;
    all.assumed.emplace_back("steps", std::to_string(all.job.steps) + ", usual for the pipeline");
  }
  all.job.forwards = detail::forwards_of(pipeline, asked.guidance, all.assumed);
  if (asked.cache_speedup && *asked.cache_speedup > 1)
    all.assumed.emplace_back("caching", "shortens all steps by the factor that was given; no run of ours shows it");
  if (size_of(asked.weights) < size_of(dtype::bf16))
    all.assumed.emplace_back("products", "in bf16, whatever weights are held in");
  detail::assume_parts(pipeline, all.assumed);
  validate(all.job);
  return all;
}

namespace detail {

/// The parameters of each denoiser, which tell models of one class apart.
[[nodiscard]] inline std::vector<std::int64_t> denoiser_parameters_of(const diffusion_pipeline& p) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < p.denoisers.size; ++i) all.push_back(parameters(p.denoisers.items[i].model).total);
  return all;
}

/// Why MaxDiffusion does not make a batch so; empty: it does.
[[nodiscard]] inline std::string refusal_to_make(const diffusion_pipeline& p, const std::vector<std::int64_t>& parts,
                                                 const picture_size& size, std::int64_t text_tokens,
                                                 const generation_job& job, const generation_layout& mesh,
                                                 const slice& where) {
  maxdiffusion_run run;
  run.pipeline = p.name.view(), run.denoiser_parameters = parts;
  run.size = size, run.text_tokens = text_tokens, run.job = job, run.mesh = mesh;
  return maxdiffusion_refusal(run, where);
}

/// Which layout a search took, by its memory.
template <class Memory>
[[nodiscard]] std::string chosen_layout_words(const Memory& memory) {
  const verdict fit = tpuplan::fits(memory);
  return fit == verdict::yes             ? ": the fastest that fits"
         : fit == verdict::no            ? ": none fits; the one that needs least"
         : memory.total <= memory.usable ? ": none surely fits; the fastest whose estimate does"
                                         : ": none surely fits; the fastest that may";
}

[[nodiscard]] inline std::string layout_words(const generation_layout& mesh) {
  std::string words;
  const auto add = [&](std::string_view degree, std::int64_t of) {
    if (of > 1) words += (words.empty() ? "" : ", ") + std::string(degree) + " " + std::to_string(of);
  };
  add("data", mesh.data), add("fsdp", mesh.fsdp), add("tensor", mesh.tensor), add("context", mesh.context);
  if (mesh.context > 1) words += " by " + std::string(name(mesh.exchange));
  return words.empty() ? "one device" : words;
}

/// The layout that was asked for, with 1 for what was left open.
[[nodiscard]] inline generation_layout layout_as_given(const generation_degrees& fixed,
                                                       const std::optional<context_exchange>& exchange) {
  const auto degree = [](std::int64_t given) { return given > 0 ? given : 1; };
  return {degree(fixed.data), degree(fixed.fsdp), degree(fixed.tensor), degree(fixed.context),
          exchange.value_or(context_exchange::gather)};
}

/// The layout in which to look for what is wrong with degrees that no layout has: as given, over context for the rest.
/// Refuses degrees for which there are no others; `any()` is the fastest layout without them.
template <class Any>
[[nodiscard]] generation_layout layout_to_refuse(const generation_degrees& fixed,
                                                 const std::optional<context_exchange>& exchange, const slice& where,
                                                 const Any& any) {
  generation_layout given = layout_as_given(fixed, exchange);
  const std::int64_t shared = checked_multiply(given.data, given.tensor, given.context), all = devices(where);
  if (all % shared != 0 || all == shared) return given;
  if (fixed.context == 0) {
    given.context = all / shared;
    return given;
  }
  const maybe<generation_layout> other = any();
  if (!other) return given;
  fail(errc::infeasible, "layout.context", fixed.context,
       "a degree of which such a batch has a layout on " + std::string(name(where).view()) + ": the fastest is " +
           layout_words(*other));
}

/// Refuses an exchange between shards of context where there can be one of them alone.
inline void check_exchange(const generation_degrees& fixed, const std::optional<context_exchange>& exchange,
                           const slice& where) {
  const std::int64_t shared = checked_multiply(fixed.data > 0 ? fixed.data : 1, fixed.tensor > 0 ? fixed.tensor : 1);
  if (exchange && *exchange != context_exchange::gather && (fixed.context == 1 || shared >= devices(where)))
    fail(errc::unsupported, "exchange", name(*exchange), "none where one device has all of an example");
}

/// The layout that was asked for, or the fastest that fits; refused where the slice has none.
[[nodiscard]] inline laid_out_generation laid_out(const generation_work& work, const generation_job& job,
                                                  const slice& where, const generation_degrees& fixed,
                                                  const std::optional<context_exchange>& exchange) {
  check_exchange(fixed, exchange, where);
  generation_freedom free{fixed, nothing};
  if (exchange) free.exchange = *exchange;
  if (const maybe<laid_out_generation> best = best_generation(work, job, where, free)) return *best;
  const auto any = [&]() -> maybe<generation_layout> {
    const maybe<laid_out_generation> other = best_generation(work, job, where);
    return other ? maybe<generation_layout>{other->mesh} : nothing;
  };
  validate(work, job, layout_to_refuse(fixed, exchange, where, any), where);
  fail(errc::infeasible, "slice", name(where).view(), "a slice whose devices such a batch can be shared by");
}

/// The costs of an item, cheapest first.
[[nodiscard]] inline std::vector<item_price> item_prices(const generate_answer& answer, const slice& where,
                                                         const price_book& book) {
  std::vector<item_price> all;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> found = find_price(book, where, answer.region, kind);
    if (!found) continue;
    const double hourly = in_usd_per_hour(rate(found->per_chip, checked_multiply(answer.chips, answer.slices)));
    const auto of = [&](seconds batch) { return hourly / (answer.items_per_hour * (answer.batch_time / batch)); };
    all.push_back({kind, hourly, of(answer.batch_time), of(answer.batch_time_low), of(answer.batch_time_high), *found,
                   is_before_announced_change(*found)});
  }
  sort_in_order(all, [](const item_price& a, const item_price& b) { return a.usd_per_item < b.usd_per_item; });
  return all;
}

inline void set_times(generate_answer& answer, const generation_time& time) {
  const auto items = static_cast<double>(answer.job.batch);
  answer.batch_time = time.total, answer.batch_time_low = time.low, answer.batch_time_high = time.high;
  answer.item_time = time.total / items, answer.item_time_low = time.low / items;
  answer.item_time_high = time.high / items;
  answer.text = time.text, answer.steps = time.steps, answer.decode = time.decode;
  answer.items_per_hour = 3600 * items * static_cast<double>(answer.slices) / time.total.value();
  answer.mfu = time.mfu, answer.work = time.work, answer.floor = time.floor, answer.limited_by = time.limited_by;
  answer.step = time.step, answer.extrapolated = time.extrapolated;
}

inline void set_memory(generate_answer& answer, const generation_memory& memory) {
  answer.memory = memory, answer.fits = tpuplan::fits(memory);
  answer.used = memory.total, answer.used_low = memory.low, answer.used_high = memory.high;
  answer.usable = memory.usable;
}

}  // namespace detail

/// A batch on a slice: its time by part with its band, its memory, and dollars an item under each way of paying. An
/// item's time is that of the batch over its items. Throws, naming the field, for an unknown slice or region and for a
/// layout that is none. Worked: of a batch of 1 the time of an item is that of the batch.
[[nodiscard]] inline generate_answer answer_to_generate(const read_generation& made, const generate_request& asked,
                                                        const price_book& book) {
  const slice where = scheduled_slice(asked.slice);
  expect_region(book, asked.region);
  const generation_work work = work_of(made.pipeline, made.size, made.text_tokens);
  const laid_out_generation best = detail::laid_out(work, made.job, where, asked.mesh, asked.exchange);
  generate_answer answer;
  answer.slice = tpuplan::name(where).view(), answer.chips = tpuplan::chips(where);
  answer.slices = detail::check_slices("slices", asked.slices);
  answer.mesh = best.mesh, answer.size = made.size, answer.job = made.job, answer.region = asked.region;
  answer.clips = made.size.frames > 1, answer.model = made.pipeline.name.view();
  answer.denoiser_parameters = detail::denoiser_parameters_of(made.pipeline);
  answer.runs = default_generation.runs, answer.sources = default_generation.sources;
  for (std::size_t i = 0; i < work.denoisers.size; ++i)
    answer.forward += work.shares[i] * work.denoisers.items[i].model_flops;
  answer.text_tokens = made.text_tokens;
  answer.maxdiffusion_refuses = detail::refusal_to_make(made.pipeline, answer.denoiser_parameters, made.size,
                                                        made.text_tokens, made.job, best.mesh, where);
  detail::set_times(answer, best.time);
  detail::set_memory(answer, best.memory);
  answer.costs = detail::item_prices(answer, where, book);
  const provisioning kind = asked.kind.value_or(provisioning::on_demand);
  for (const item_price& one : answer.costs) {
    if (one.kind == kind) answer.usd_per_item = one.usd_per_item, answer.kind = kind;
  }
  if (asked.kind && !answer.kind) (void)price_for(book, where, asked.region, kind);
  assumed_values assumed = made.assumed;
  const bool open = asked.mesh.data == 0 || asked.mesh.tensor == 0 || asked.mesh.context == 0 || asked.mesh.fsdp == 0 ||
                    (best.mesh.context > 1 && !asked.exchange);
  if (open) assumed.emplace_back("layout", detail::layout_words(best.mesh) + detail::chosen_layout_words(best.memory));
  if (!asked.kind && answer.kind) assumed.emplace_back("way of paying", "on_demand");
  answer.assumed = made.read;
  for (auto& [field, value] : assumed) answer.assumed.push_back({field, value, std::string(not_given)});
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::picture_request, size, frames, steps, guidance, text_tokens, cache_speedup, weights)
TPUPLAN_FIELDS(tpuplan::generate_request, config, slice, make, batch, slices, mesh, exchange, kind, region, prices)
TPUPLAN_FIELDS(tpuplan::item_price, kind, usd_per_hour, usd_per_item, usd_per_item_low, usd_per_item_high, price,
               superseded)
TPUPLAN_FIELDS(tpuplan::generate_answer, batch_time, batch_time_low, batch_time_high, item_time, item_time_low,
               item_time_high, text, steps, decode, items_per_hour, usd_per_item, kind, fits, used, used_low, used_high,
               usable, mfu, forward, work, floor, limited_by, step, memory, costs, slice, slices, chips, mesh, size,
               job, clips, runs, sources, extrapolated, assumed, model, denoiser_parameters, text_tokens,
               maxdiffusion_refuses, region)

#endif
