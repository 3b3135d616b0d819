#ifndef TPUPLAN_ASK_MODEL_GENERATION_HPP
#define TPUPLAN_ASK_MODEL_GENERATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/schema.hpp>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/model/sums.hpp>
#include <tpuplan/read/diffusers.hpp>
#include <vector>

/// @file
/// The question model_generation: parameters and FLOPs of a pipeline of images or clips.

namespace tpuplan {
inline namespace abi_0 {

/// How many parameters has each part of a pipeline, and what does a pass take?
struct model_generation_request {
  nlohmann::json config{};  ///< a folder of diffusers as one document, or one of its files
};
/// A part of a pipeline.
struct model_component {
  std::string model{};          ///< its name
  std::int64_t parameters = 0;  ///< of it
};
/// What FLOPs are counted for.
struct usual_picture {
  /// @{
  /// Pixels, frames, and tokens of a prompt.
  std::int64_t width = 0, height = 0, frames = 0, text_tokens = 0;
  /// @}
};
/// The counts of a pipeline.
struct model_generation_answer {
  /// @{
  /// Parameters, and FLOPs at the size that is usual for the class.
  std::string name{}, architecture{"diffusion"};
  std::int64_t parameters = 0;                          ///< of all parts
  std::optional<std::int64_t> active_parameters{};      ///< of a denoiser alone: all of them
  std::optional<parameter_count> breakdown{};           ///< of a denoiser alone
  std::map<std::string, model_component> components{};  ///< of a folder, by their names
  std::optional<usual_picture> usual_size{};            ///< for which FLOPs are counted; nothing: the class has none
  std::map<std::string, double> forward_flops{};        ///< of one pass, by denoiser
  std::optional<double> decoder_flops{};                ///< of decoding one item
  std::vector<assumption> assumed{};
  /// @}
};

namespace detail {

/// Values by name.
template <class T>
struct json_form<std::map<std::string, T>> {
  static void write(const std::map<std::string, T>& x, const json_place& at, json_sink& to) {
    to.begin_object(x.size());
    for (const auto& [key, value] : x) to.key(key), json_form<T>::write(value, at.under(key), to);
    to.end();
  }
};

inline void set_work(model_generation_answer& answer, const diffusion_pipeline& p) {
  if (p.usual.width == 0) return;
  answer.usual_size = usual_picture{p.usual.width, p.usual.height, p.usual.frames, p.text_tokens};
  for (std::size_t i = 0; i < p.denoisers.size; ++i) {
    const blocks::model one = denoiser_for(p, i, p.usual, std::max<std::int64_t>(p.text_tokens, 1));
    answer.forward_flops[std::string(p.denoisers.items[i].part.view())] = forward_flops_per_example(one).value();
  }
  if (is_present(p.decoder)) answer.decoder_flops = forward_flops_per_example(decoder_for(p, p.usual)).value();
}

}  // namespace detail

/// The parameters of a pipeline by part, and its FLOPs at the size that is usual for its class. Worked: the pipeline of
/// Stable Diffusion XL has 3468837867 parameters.
[[nodiscard]] inline model_generation_answer answer_to_model_generation(const diffusion_pipeline& p,
                                                                        const std::vector<assumption>& read) {
  model_generation_answer answer;
  answer.name = p.name.view();
  answer.parameters = total_parameters(p);
  const auto add = [&](std::string_view part, const blocks::model& one, std::int64_t others = 0) {
    if (is_present(one))
      answer.components[std::string(part)] = {std::string(one.name.view()), parameters(one).total + others};
  };
  for (const text_encoder& each : p.encoders) add(each.part.view(), each.model);
  add("image_encoder", p.image_encoder);
  for (const denoiser& each : p.denoisers) add(each.part.view(), each.model);
  add("vae", p.decoder, is_present(p.encoder) ? parameters(p.encoder).total : 0);
  if (answer.components.size() == 1 && p.denoisers.size == 1) {
    answer.active_parameters = answer.parameters;
    answer.breakdown = parameters(p.denoisers.items[0].model);
    answer.breakdown->matrices = 0;  // those that a token multiplies: there are none
    answer.components.clear();
  }
  detail::set_work(answer, p);
  answer.assumed = read;
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::model_generation_request, config)
TPUPLAN_FIELDS(tpuplan::model_component, model, parameters)
TPUPLAN_FIELDS(tpuplan::usual_picture, width, height, frames, text_tokens)
TPUPLAN_FIELDS(tpuplan::model_generation_answer, name, architecture, parameters, active_parameters, breakdown,
               components, usual_size, forward_flops, decoder_flops, assumed)

#endif
