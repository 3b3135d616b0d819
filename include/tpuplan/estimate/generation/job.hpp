#ifndef TPUPLAN_ESTIMATE_GENERATION_JOB_HPP
#define TPUPLAN_ESTIMATE_GENERATION_JOB_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/rows.hpp>
#include <tpuplan/model/pipeline.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// Images or clips that are made together, the work of them, and how it is spread over the devices of a slice.

namespace tpuplan {
inline namespace abi_0 {

/// How devices that share the positions of an example exchange what attention needs of all of them.
enum class context_exchange : std::uint8_t {
  gather,      ///< keys and values are gathered before attention
  ring,        ///< keys and values go round while attention runs
  all_to_all,  ///< positions are exchanged for heads and back (Ulysses): heads have to divide
};

/// "gather", "ring" or "all_to_all".
[[nodiscard]] constexpr std::string_view name(context_exchange how) noexcept {
  constexpr const char* names[] = {"gather", "ring", "all_to_all"};
  return detail::name_of(names, static_cast<std::size_t>(how));
}

/// The exchange of that name, letter case ignored; "ulysses" is all_to_all. Worked: "ring".
[[nodiscard]] constexpr maybe<context_exchange> parse_context_exchange(std::string_view given) noexcept {
  for (const context_exchange one : {context_exchange::gather, context_exchange::ring, context_exchange::all_to_all}) {
    if (detail::same_name(given, name(one))) return one;
  }
  if (detail::same_name(given, "ulysses") || detail::same_name(given, "all-to-all"))
    return context_exchange::all_to_all;
  return nothing;
}

/// Images or clips that are made together.
struct generation_job {
  std::int64_t batch = 1;       ///< of them
  std::int64_t steps = 0;       ///< denoising steps of each
  std::int64_t forwards = 1;    ///< forward passes of a step: 2 with classifier-free guidance
  double cache_speedup = 1;     ///< by how much caching between steps shortens all of them: measured elsewhere
  dtype weights = dtype::bf16;  ///< in which weights are held; arithmetic is in bf16
};

/// How the devices of one slice share the work. The product of data, tensor and context is the number of devices;
/// weight shards divide data times context.
struct generation_layout {
  std::int64_t data = 1;     ///< groups that share the batch, and the two passes of guidance
  std::int64_t fsdp = 1;     ///< shards of the weights within data and context, gathered for each pass
  std::int64_t tensor = 1;   ///< shards of each product
  std::int64_t context = 1;  ///< shards of the positions of an example
  context_exchange exchange = context_exchange::gather;  ///< what attention does about these
};

/// The work of one part of a pipeline on one example.
struct generation_part {
  blocks::work_list work{};  ///< product by product
  flops model_flops{};       ///< of the model, nothing padded
  double weights = 0;        ///< parameters
};

/// The work of a pipeline at one size. Parts without weights are absent: no time and no memory is counted for them.
struct generation_work {
  blocks::bounded<generation_part, 2> denoisers{};  ///< in the order of the steps
  std::array<double, 2> shares{};                   ///< of the steps that each of them takes
  generation_part text{};                           ///< all encoders of text, for one prompt
  generation_part decoder{};                        ///< from latents to pixels
  double other_weights = 0;                         ///< of parts that generation from text does without
  double decoded_at_once = 1;                       ///< share of an example that the decoder has in memory at once
};

namespace detail {

constexpr flops model_flops_of(const blocks::work_list& work) {
  double macs = 0;
  for (std::size_t i = 0; i < work.product_count; ++i) {
    const blocks::listed_product& p = work.products[i];
    macs += p.times * p.rows * static_cast<double>(p.one.used) *
            (static_cast<double>(p.one.inner) * static_cast<double>(p.one.outer));
  }
  for (std::size_t i = 0; i < work.core_count; ++i) {
    const blocks::listed_core& c = work.cores[i];
    macs += c.times * c.rows *
            (static_cast<double>(c.one.heads) * c.keys * static_cast<double>(c.one.key_width + c.one.value_width) +
             c.one.fixed.value() / 2);
  }
  return flops{2 * macs};
}

/// Adds the work of a model to a part; `sees` says whether a tower of an encoder of text has an image to see.
constexpr void add_model(generation_part& to, const blocks::model& m, double tokens, bool sees = true) {
  blocks::work_list& work = to.work;
  work.tokens = tokens;
  blocks::sums all;
  all.listed = &work, all.lists_images = sees;
  blocks::add_up(m, all);
  to.weights += static_cast<double>(parameters(m).total);
  to.model_flops = model_flops_of(work);
}

/// Tokens that an encoder of text is given where the denoiser is to see so many: those with most of them have them from
/// the prompt, beside the words around it.
constexpr double tokens_of(const diffusion_pipeline& p, const text_encoder& one, std::int64_t text_tokens) {
  std::int64_t most = 0;
  for (const text_encoder& each : p.encoders) most = each.tokens > most ? each.tokens : most;
  const std::int64_t more = text_tokens > 0 && one.tokens == most ? text_tokens - p.text_tokens : 0;
  return static_cast<double>(one.tokens + more > 1 ? one.tokens + more : 1);
}

}  // namespace detail

/// The work of a pipeline for one image or clip of that size; of text as many tokens as the pipeline's class pads to
/// unless others are given. Throws, naming the field, for sizes that it cannot make. Worked: the denoiser of Wan 2.1
/// 14B takes 6.52 PFLOP at 81 frames of 1280 x 720 and 512 tokens.
[[nodiscard]] constexpr generation_work work_of(const diffusion_pipeline& p, const picture_size& size,
                                                std::int64_t text_tokens = 0) {
  generation_work all;
  const std::int64_t tokens = text_tokens > 0 ? text_tokens : p.text_tokens > 0 ? p.text_tokens : 1;
  for (std::size_t i = 0; i < p.denoisers.size; ++i) {
    generation_part one;
    detail::add_model(one, denoiser_for(p, i, size, tokens), 1);
    all.shares[i] = p.denoisers.items[i].share;
    (void)all.denoisers.add(one, "denoisers of a pipeline");
  }
  for (const text_encoder& each : p.encoders)
    detail::add_model(all.text, each.model, detail::tokens_of(p, each, text_tokens), p.reference_images > 0);
  if (is_present(p.decoder)) {
    detail::add_model(all.decoder, decoder_for(p, size), 1);
    all.decoded_at_once = 1 / static_cast<double>(latents_of(p, size).frames);
  }
  if (is_present(p.encoder)) all.other_weights += static_cast<double>(parameters(p.encoder).total);
  if (is_present(p.image_encoder)) all.other_weights += static_cast<double>(parameters(p.image_encoder).total);
  return all;
}

/// Examples that one group of devices passes through the denoiser at once; where they do not divide, some group has one
/// less. Worked: a batch of 4 under guidance over 8 groups is 1.
[[nodiscard]] constexpr std::int64_t examples_of(const generation_job& job, const generation_layout& mesh) {
  return ceil_div(checked_multiply(job.batch, job.forwards), mesh.data);
}

/// Throws, naming the field, for a job that is none.
constexpr void validate(const generation_job& job) {
  constexpr std::int64_t most = 1 << 20;
  detail::positive_count("job.batch", job.batch);
  detail::check_part("job.batch", job.batch, most, "1 to 1048576");
  detail::positive_count("job.steps", job.steps);
  detail::check_part("job.steps", job.steps, 10000, "1 to 10000");
  if (job.forwards != 1 && job.forwards != 2) detail::fail(errc::out_of_range, "job.forwards", job.forwards, "1 or 2");
  detail::in_range("job.cache_speedup", job.cache_speedup, 1, 20, "1 to 20");
  if (job.cache_speedup > static_cast<double>(job.steps))
    detail::fail(errc::out_of_range, "job.cache_speedup", job.cache_speedup, "at most the steps: one of them is whole");
}

/// Why a layout cannot be one of a job on a slice, as the field and what is valid; an empty field where it can.
struct layout_refusal {
  std::string_view field{};  ///< "tensor"
  std::int64_t given = 0;    ///< its value
  std::string_view valid{};  ///< what is valid
};

/// What is wrong with a layout. Worked: 8 groups for a batch of 4 without guidance are refused by "layout.data".
[[nodiscard]] constexpr layout_refusal refusal_of(const generation_work& work, const generation_job& job,
                                                  const generation_layout& mesh, const slice& where) {
  for (const auto& [field, degree] : {std::pair<std::string_view, std::int64_t>{"layout.data", mesh.data},
                                      {"layout.tensor", mesh.tensor},
                                      {"layout.context", mesh.context},
                                      {"layout.fsdp", mesh.fsdp}}) {
    if (degree < 1 || degree > detail::most_devices) return {field, degree, "1 to the devices of the slice"};
  }
  if (checked_multiply(mesh.data, mesh.tensor, mesh.context) != devices(where))
    return {"product of the layout's degrees", checked_multiply(mesh.data, mesh.tensor, mesh.context),
            "the devices of the slice"};
  if (checked_multiply(job.batch, job.forwards) < mesh.data)
    return {"layout.data", mesh.data, "at most the batch times the forward passes of a step"};
  if (checked_multiply(mesh.data, mesh.context) % mesh.fsdp != 0)
    return {"layout.fsdp", mesh.fsdp, "a divisor of data x context"};
  const bool heads_move = mesh.exchange == context_exchange::all_to_all && mesh.context > 1;
  const std::int64_t of_heads = checked_multiply(mesh.tensor, heads_move ? mesh.context : 1);
  for (const generation_part& part : work.denoisers) {
    for (std::size_t i = 0; i < part.work.core_count; ++i) {
      const std::int64_t heads = part.work.cores[i].one.heads;
      if (of_heads > 1 && heads > 0 && heads % of_heads != 0)
        return heads_move ? layout_refusal{"layout.context", mesh.context,
                                           "with tensor a divisor of the heads of the denoiser"}
                          : layout_refusal{"layout.tensor", mesh.tensor, "a divisor of the heads of the denoiser"};
    }
  }
  return {};
}

/// Throws, naming the field, unless the layout is one of the job on the slice.
constexpr void validate(const generation_work& work, const generation_job& job, const generation_layout& mesh,
                        const slice& where) {
  validate(job);
  const layout_refusal why = refusal_of(work, job, mesh, where);
  if (why.field.empty()) return;
  text<96> valid{why.valid};
  if (why.valid == "the devices of the slice") valid.append(": ").append(devices(where));
  detail::fail(errc::not_divisible, why.field, why.given, valid.view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
