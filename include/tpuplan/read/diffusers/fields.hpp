#ifndef TPUPLAN_READ_DIFFUSERS_FIELDS_HPP
#define TPUPLAN_READ_DIFFUSERS_FIELDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
  /// Whole numbers from 0 on, one for each stage.
  [[nodiscard]] std::vector<std::int64_t> counts_from_0(std::string_view field,
                                                        const std::vector<std::int64_t>& otherwise,
                                                        std::size_t stages) {
    std::vector<std::int64_t> result = otherwise;
    if (object_.has(field)) {
      result.clear();
      for (const nlohmann::json& one : object_.list(field)) {
        result.push_back(one.is_number_integer() ? one.get<std::int64_t>() : -1);
        check_part(object_.path(field), result.back(), 4096, "0 to 4096");
      }
    } else {
      assumed_->push_back({std::string(field), nlohmann::json(otherwise).dump(), why()});
    }
    if (result.size() != stages)
      fail(errc::invalid_argument, object_.path(field), static_cast<std::int64_t>(result.size()), "one for each stage");
    return result;
  }
  /// A list of whole numbers from 1 on for each stage.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> lists(std::string_view field, std::size_t stages) const {
    std::vector<std::vector<std::int64_t>> result;
    for (const nlohmann::json& each : object_.list(field)) {
      result.emplace_back();
      if (!each.is_array() || each.size() > 16)
        fail(errc::malformed_input, object_.path(field), shown_json(each), "a list of numbers");
      for (const nlohmann::json& one : each) {
        result.back().push_back(one.is_number_integer() ? one.get<std::int64_t>() : 0);
        check_dimension(object_.path(field), result.back().back());
      }
    }
    if (result.size() != stages)
      fail(errc::invalid_argument, object_.path(field), static_cast<std::int64_t>(result.size()), "one for each stage");
    return result;
  }
  /// A whole number for each stage: a list, or one for all of them.
  [[nodiscard]] std::vector<std::int64_t> each_stage(std::string_view field, std::int64_t otherwise,
                                                     std::size_t stages) {
    if (object_.has(field) && object_.at(field).is_array())
      return counts(field, std::vector<std::int64_t>(stages, otherwise));
    return std::vector<std::int64_t>(stages, count(field, otherwise));
  }
  /// True or false, as many as the default has, or as many as the file has where `any`.
  [[nodiscard]] std::vector<bool> flags(std::string_view field, const std::vector<bool>& otherwise, bool any = false) {
    if (!object_.has(field)) {
      assumed_->push_back({std::string(field), nlohmann::json(otherwise).dump(), why()});
      return otherwise;
    }
    const nlohmann::json& given = object_.list(field);
    const bool fits = any ? given.size() <= 16 : given.size() == otherwise.size();
    if (!fits)
      fail(errc::invalid_argument, object_.path(field), shown_json(given),
           any ? "at most 16 of true and false" : std::to_string(otherwise.size()) + " of true and false");
    std::vector<bool> result;
    for (const nlohmann::json& one : given) {
      if (!one.is_boolean()) fail(errc::malformed_input, object_.path(field), shown_json(one), "true or false");
      result.push_back(one.get<bool>());
    }
    return result;
  }
  /// Texts of a list, each of which is valid.
  [[nodiscard]] std::vector<std::string> words(std::string_view field, const std::vector<std::string>& otherwise,
                                               const std::vector<std::string_view>& valid) {
    std::vector<std::string> result;
    if (!object_.has(field)) assumed_->push_back({std::string(field), nlohmann::json(otherwise).dump(), why()});
    const nlohmann::json given = object_.has(field) ? object_.list(field) : nlohmann::json(otherwise);
    for (const nlohmann::json& one : given) {
      if (!one.is_string()) fail(errc::malformed_input, object_.path(field), shown_json(one), "a text");
      result.push_back(one.get<std::string>());
      if (std::find(valid.begin(), valid.end(), result.back()) == valid.end())
        fail_unknown(object_.path(field), result.back(), valid);
    }
    if (result.empty() || result.size() > 16)
      fail(errc::invalid_argument, object_.path(field), shown_json(given), "1 to 16 stages");
    return result;
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
  /// A number above 0, at most 2^24.
  [[nodiscard]] double real(std::string_view field, double otherwise) {
    if (object_.has(field)) {
      const double given = object_.positive_number(field);
      if (given > 16777216) fail(errc::out_of_range, object_.path(field), given, "at most 16777216");
      return given;
    }
    assumed_->push_back({std::string(field), nlohmann::json(otherwise).dump(), why()});
    return otherwise;
  }
  /// That many times the width, as Python's int() has it.
  [[nodiscard]] std::int64_t times(std::string_view field, double otherwise, std::int64_t width) {
    const double product = real(field, otherwise) * static_cast<double>(width);
    if (!(product >= 1 && product <= 16777216))
      fail(errc::out_of_range, object_.path(field), product, "a width from 1 to 16777216");
    return static_cast<std::int64_t>(product);
  }
  /// A text, one of those.
  [[nodiscard]] std::string word(std::string_view field, std::string_view otherwise,
                                 std::initializer_list<std::string_view> valid) {
    if (object_.is_null(field)) return "";
    const std::string given = object_.has(field) ? object_.string(field) : std::string(otherwise);
    if (!object_.has(field)) assumed_->push_back({std::string(field), given.empty() ? "none" : given, why()});
    for (const std::string_view each : valid)
      if (given == each) return given;
    fail_unknown(object_.path(field), given, std::vector<std::string_view>(valid));
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
  /// Whether the file says true, or anything but null and false.
  [[nodiscard]] bool asks(std::string_view field) const { return object_.has(field) && object_.at(field) != false; }
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
  std::int64_t sample_width = 0, sample_frames = 0;  // where a row is of another length than a column; of clips
  std::int64_t longest_side = 0;  // positions of a side that its table has; 0: no table
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
  if (sides[1] != sides[2])
    fail(errc::unsupported, fields.object().path("patch_size"), shown_json(fields.object().at("patch_size")),
         "two equal sides behind the frames");
  read.patch_frames = sides[0], read.patch = sides[1];
  return checked_multiply(sides[0], sides[1], sides[2]);
}

/// The same place in layers, which `repeat` counts.
inline blocks::place in_layers(blocks::place at, std::int8_t other = -1) {
  at.count = 0, at.other = other;
  return at;
}

/// Two products: of the time step, of a pooled text, of guidance.
inline void put_embedder(blocks::model& to, const blocks::place& at, std::int64_t width, bool bias = true) {
  put(to, at, blocks::dense{0, width, bias});
  put(to, at, blocks::dense{0, width, bias});
}

/// Scales, shifts and gates that a layer or the output makes from the time step: `vectors` of the width.
inline int put_scales(blocks::model& to, blocks::place at, std::int64_t vectors, std::int64_t width, bool bias = true) {
  at.branch = true;
  return put(to, at, blocks::dense{width, vectors * width, bias});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
