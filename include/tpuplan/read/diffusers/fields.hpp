#ifndef TPUPLAN_READ_DIFFUSERS_FIELDS_HPP
#define TPUPLAN_READ_DIFFUSERS_FIELDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/pipeline.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <utility>
#include <vector>

/// @file
/// Fields of diffusers' files, and blocks that most of its classes have.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The fields of one such file. A field that it does not state takes the default of the class, which goes on record.
class diffusers_fields {
 public:
  diffusers_fields(json_object object, std::vector<assumption>& assumed)
      : object_{std::move(object)}, type_{object_.string("_class_name")}, assumed_{&assumed} {}

  /// A size from 1 to 2^24.
  [[nodiscard]] std::int64_t count(std::string_view field, std::int64_t otherwise) {
    const std::int64_t value = object_.has(field) ? object_.count(field) : assume(field, otherwise);
    check_dimension(object_.path(field), value);
    return value;
  }
  /// Whether the file states it.
  [[nodiscard]] bool has(std::string_view field) const { return object_.has(field); }
  /// The object that is read.
  [[nodiscard]] const json_object& object() const noexcept { return object_; }
  [[nodiscard]] bool flag(std::string_view field, bool otherwise) {
    if (object_.has(field)) return object_.flag(field);
    assumed_->push_back({std::string(field), otherwise ? "true" : "false", why()});
    return otherwise;
  }
  /// The output channels, which are the input's where they are null or, in some classes, by default.
  [[nodiscard]] std::int64_t outputs(std::int64_t inputs, std::int64_t otherwise) {
    return object_.is_null("out_channels") ? inputs : count("out_channels", otherwise);
  }
  /// Whole numbers from 1 on in a list, as many as the default has; or as many as the file has where `any`.
  [[nodiscard]] std::vector<std::int64_t> counts(std::string_view field, const std::vector<std::int64_t>& otherwise,
                                                 bool any = false) {
    if (!object_.has(field)) {
      assumed_->push_back({std::string(field), nlohmann::json(otherwise).dump(), why()});
      return otherwise;
    }
    const nlohmann::json& given = object_.list(field);
    const bool fits = any ? !given.empty() && given.size() <= 16 : given.size() == otherwise.size();
    const std::string valid = any ? "1 to 16 numbers" : std::to_string(otherwise.size()) + " numbers";
    if (!fits) fail(errc::invalid_argument, object_.path(field), shown_json(given), valid);
    std::vector<std::int64_t> result;
    for (const nlohmann::json& one : given) {
      result.push_back(one.is_number_integer() ? one.get<std::int64_t>() : 0);
      check_dimension(object_.path(field), result.back());
    }
    return result;
  }
  /// Refuses a field that asks for what these blocks do not describe.
  void refuse(std::string_view field) const {
    if (object_.has(field) && object_.at(field) != false)
      fail(errc::unsupported, object_.path(field), object_.at(field).dump(), "null, false or absent");
  }
  /// Refuses any other value of a field that decides which weights there are.
  void only(std::string_view field, const nlohmann::json& value) const {
    const bool other = object_.is_null(field) || (object_.has(field) && object_.at(field) != value);
    if (other) fail(errc::unsupported, object_.path(field), object_.value()[std::string(field)].dump(), value.dump());
  }

 private:
  [[nodiscard]] std::string why() const { return "class default of " + type_; }
  std::int64_t assume(std::string_view field, std::int64_t value) {
    assumed_->push_back({std::string(field), std::to_string(value), why()});
    return value;
  }

  json_object object_;
  std::string type_;
  std::vector<assumption>* assumed_;
};

/// What is read of a denoiser besides its blocks.
struct denoiser_reading {
  blocks::model to{};
  std::int64_t patch = 1, patch_frames = 1;  // latent positions of a side, and frames, that it takes as one
  std::int64_t latent_channels = 0;
  std::int64_t sample = 0;  // latent positions of a side that it was trained with; 0: it does not say
  bool guidance_input = false;
};

/// A stream of an example that starts with that width.
inline blocks::place diffusion_stream(blocks::model& to, const char* name, std::int64_t width,
                                      blocks::extent follows = blocks::extent::fixed, std::int64_t positions = 1) {
  blocks::place at;
  at.stream = put(to, blocks::stream{name, blocks::flow::example, width, positions, 1, 1, follows});
  return at;
}

/// Latent positions that one position of the denoiser stands for, from a list of three sides.
inline std::int64_t read_patch(diffusers_fields& fields, const std::vector<std::int64_t>& otherwise,
                               denoiser_reading& read) {
  const std::vector<std::int64_t> sides = fields.counts("patch_size", otherwise);
  if (sides[1] != sides[2]) fields.refuse("patch_size");
  read.patch_frames = sides[0], read.patch = sides[1];
  return checked_multiply(sides[0], sides[1], sides[2]);
}

/// The same place in layers, which `repeat` counts.
inline blocks::place in_layers(blocks::place at, std::int8_t other = -1) {
  at.count = 0, at.other = other;
  return at;
}

/// Two products: of the time step, of a pooled text, of guidance.
inline void put_embedder(blocks::model& to, const blocks::place& at, std::int64_t width) {
  put(to, at, blocks::dense{0, width});
  put(to, at, blocks::dense{0, width});
}

/// Scales, shifts and gates that a layer or the output makes from the time step: `vectors` of the width.
inline int put_scales(blocks::model& to, blocks::place at, std::int64_t vectors, std::int64_t width) {
  at.branch = true;
  return put(to, at, blocks::dense{width, vectors * width});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
