#ifndef TPUPLAN_READ_HF_LAYER_PLACES_HPP
#define TPUPLAN_READ_HF_LAYER_PLACES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/model/transformer.hpp>
#include <vector>

/// @file
/// In which layers a model has what not all of its layers have. A `transformer` counts such layers; names of modules
/// say their numbers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Layers by number, as the readers of a configuration found them. A list that is empty was not needed, or not told.
struct layer_places {
  std::vector<bool> recurrent, attending, dense, sparse;
};

/// A list of layers: those for which `is` says so.
template <class Is>
std::vector<bool> layers_where(std::int64_t layers, const Is& is) {
  std::vector<bool> listed(static_cast<std::size_t>(std::max<std::int64_t>(0, layers)));
  for (std::int64_t i = 0; i < layers; ++i) listed[static_cast<std::size_t>(i)] = is(i);
  return listed;
}

/// How many of the layers of a list there are.
inline std::int64_t count_listed(const std::vector<bool>& listed) {
  return std::count(listed.begin(), listed.end(), true);
}

/// Whether a layer is one of those numbers, which are in their order.
inline bool is_layer_of(const std::vector<std::int64_t>& numbers, std::int64_t layer) {
  return std::binary_search(numbers.begin(), numbers.end(), layer);
}

/// How often a layer has each kind of part: once or not at all; as often as layers do on average where it is not known
/// which of them do.
struct layer_parts {
  double attention = 0, recurrence = 0;
  double dense = 0;   // MLPs
  double sparse = 0;  // experts, with shared ones
};

inline layer_parts parts_of_layer(const transformer& model, const layer_places& places, std::int64_t layer) {
  const auto at = [&](const std::vector<bool>& listed) { return listed[static_cast<std::size_t>(layer)] ? 1.0 : 0.0; };
  const auto knows = [&](const std::vector<bool>& listed) {
    return listed.size() == static_cast<std::size_t>(model.layers);
  };
  const auto share = [&](const std::vector<bool>& listed, std::int64_t having) {
    return knows(listed) ? at(listed) : static_cast<double>(having) / static_cast<double>(model.layers);
  };
  const recurrent_spec& r = model.recurrent;
  layer_parts parts;
  parts.recurrence = share(places.recurrent, r.layers);
  parts.attention = knows(places.recurrent) && !knows(places.attending) && r.idle_layers == 0 && !r.beside_attention
                        ? 1 - parts.recurrence
                        : share(places.attending, attention_layers(model));
  const bool is_behind = layer >= model.layers - moe_layers(model);  // dense layers come first, unless a list differs
  parts.sparse = knows(places.sparse) ? at(places.sparse) : is_behind ? 1 : 0;
  parts.dense =
      knows(places.dense) || model.mlp.absent > 0 ? share(places.dense, dense_layers(model)) : 1 - parts.sparse;
  return parts;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
