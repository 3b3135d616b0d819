#ifndef TPUPLAN_MODEL_MODEL_HPP
#define TPUPLAN_MODEL_MODEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <tpuplan/base/equal.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/blocks/joint_attention.hpp>
#include <tpuplan/model/blocks/modulation.hpp>
#include <tpuplan/model/blocks/pooling.hpp>
#include <tpuplan/model/blocks/resample.hpp>
#include <tpuplan/model/blocks/residual.hpp>
#include <tpuplan/model/compose.hpp>

/// @file
/// A model as a list of blocks: sublayers with their sizes and counts on streams, and which of them stand together.
/// Any model of the library can be written so; `model_of` makes one of the short form.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

// A kind of block is its header and a row here.
#define TPUPLAN_DETAIL_KINDS(row)                                                                                     \
  row(attention) row(compressed_attention) row(convolution) row(dense) row(experts) row(joint_attention)              \
      row(latent_attention) row(logits) row(mlp) row(modulation) row(norm) row(pooling) row(projector) row(recurrent) \
          row(remainder) row(resample) row(residual) row(table)

#define TPUPLAN_DETAIL_KIND(name) name,
/// The kinds of blocks.
enum class kind : std::uint8_t { TPUPLAN_DETAIL_KINDS(TPUPLAN_DETAIL_KIND) };
#undef TPUPLAN_DETAIL_KIND

/// "attention" and so on.
[[nodiscard]] constexpr std::string_view name(kind what) noexcept {
#define TPUPLAN_DETAIL_KIND(name) #name,
  constexpr const char* names[] = {TPUPLAN_DETAIL_KINDS(TPUPLAN_DETAIL_KIND)};
#undef TPUPLAN_DETAIL_KIND
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// A block: its place, and what it is. Worked: a block takes 112 bytes, of which 24 are its place.
class block {
 public:
  constexpr block() noexcept : what_{kind::mlp}, mlp_{} {}
#define TPUPLAN_DETAIL_KIND(name)                                                                                 \
  constexpr block(const place& stands, const name& one) noexcept : at{stands}, what_{kind::name}, name##_{one} {} \
  constexpr const name& get(const name*) const {                                                                  \
    if (what_ != kind::name) refuse(kind::name);                                                                  \
    return name##_;                                                                                               \
  }
  TPUPLAN_DETAIL_KINDS(TPUPLAN_DETAIL_KIND)
#undef TPUPLAN_DETAIL_KIND

  place at{};  ///< where it stands

  /// What it is.
  [[nodiscard]] constexpr kind what() const noexcept { return what_; }
  /// Calls visit(kind) with what it is, and returns what that returns.
  template <class Visit>
  constexpr auto visit(const Visit& visit) const {
    switch (what_) {
#define TPUPLAN_DETAIL_KIND(name) \
  case kind::name: return visit(name##_);
      TPUPLAN_DETAIL_KINDS(TPUPLAN_DETAIL_KIND)
#undef TPUPLAN_DETAIL_KIND
    }
    return visit(mlp_);
  }

 private:
  [[noreturn]] void refuse(kind asked) const {
    detail::fail(errc::invalid_argument, "kind of the block", name(asked), name(what_));
  }

  kind what_;
  union {
#define TPUPLAN_DETAIL_KIND(name) name name##_;
    TPUPLAN_DETAIL_KINDS(TPUPLAN_DETAIL_KIND)
#undef TPUPLAN_DETAIL_KIND
  };
};

/// What a block is, provided that it is of that kind. Worked: as<mlp>(block{{}, mlp{8}}).d_ff is 8.
template <class Kind>
[[nodiscard]] constexpr const Kind& as(const block& one) {
  return one.get(static_cast<const Kind*>(nullptr));
}

/// @{
/// Whether two blocks are the same. Worked: an MLP of 8 and one of 9 differ, and so do equal ones of other counts.
[[nodiscard]] constexpr bool operator==(const block& a, const block& b) {
  if (a.what() != b.what() || !detail::same_fields(a.at, b.at)) return false;
  return a.visit([&b](const auto& one) { return detail::same_fields(one, b.get(&one)); });
}
[[nodiscard]] constexpr bool operator!=(const block& a, const block& b) { return !(a == b); }
/// @}

/// A bounded list: the first `size` items are set.
template <class Item, std::size_t Most>
struct bounded {
  std::array<Item, Most> items{};  ///< as many as fit
  std::size_t size = 0;            ///< of these

  /// @{
  /// The items as a range.
  [[nodiscard]] constexpr const Item* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const Item* end() const noexcept { return items.data() + size; }
  /// @}
  /// Adds an item, or refuses it by that name: its index.
  constexpr int add(const Item& one, detail::words what) {
    if (size == Most) {
      text<32> valid{"at most "};
      valid.append(static_cast<std::int64_t>(Most));
      detail::fail(errc::out_of_range, what, static_cast<std::int64_t>(Most + 1), valid.view());
    }
    items[size] = one;
    return static_cast<int>(size++);
  }
  /// Whether two lists have the same items.
  friend constexpr bool operator==(const bounded& a, const bounded& b) {
    bool same = a.size == b.size;
    for (std::size_t i = 0; same && i < a.size; ++i) same = detail::same_field(a.items[i], b.items[i]);
    return same;
  }
};

/// Layers in a row that have these blocks; -1 for none.
struct layer {
  std::array<std::int8_t, 8> parts{-1, -1, -1, -1, -1, -1, -1, -1};  ///< indices of blocks
  std::int32_t count = 0;                                            ///< layers
};

/// A model: its streams, its different blocks in the order in which a stream passes them, and its layers. At most 96
/// blocks and 96 rows of layers: blocks repeat. It takes 13432 bytes.
struct model {
  text<64> name{};                               ///< for people
  bounded<stream, most_streams> on{};            ///< sequences that its blocks work on
  bounded<block, 96> all{};                      ///< blocks, each with its count
  bounded<layer, 96> in_order{};                 ///< which blocks stand together
  std::int64_t published_parameters = 0;         ///< replaces the count where the shape is approximate; 0: counted
  std::int64_t published_active_parameters = 0;  ///< parameters in matrix products for one token; 0: counted

  /// @{
  /// Whether two models are the same, by block, layer and name.
  friend constexpr bool operator==(const model& a, const model& b) {
    return a.name == b.name && a.on == b.on && a.all == b.all && a.in_order == b.in_order &&
           a.published_parameters == b.published_parameters &&
           a.published_active_parameters == b.published_active_parameters;
  }
  friend constexpr bool operator!=(const model& a, const model& b) { return !(a == b); }
  /// @}
};

/// A further stream of a model: its index. Worked: the first is 0.
constexpr std::int8_t put(model& to, const stream& one) {
  check(one);
  return static_cast<std::int8_t>(to.on.add(one, "streams of a model"));
}

/// A further block of a model: its index. The count of a block that stands in layers is 0 until `repeat` adds them.
/// Worked: the first is 0, the 97th is refused.
template <class Kind>
constexpr int put(model& to, const place& at, const Kind& one) {
  check(one);
  detail::check_part("place.count", at.count, detail::most_size, "0 to 16777216");
  detail::check_part("place.sets", at.sets, detail::most_size, "0 to 16777216");
  detail::check_part("place.stream", at.stream, static_cast<std::int64_t>(to.on.size) - 1, "a stream of the model");
  if (at.other != -1)
    detail::check_part("place.other", at.other, static_cast<std::int64_t>(to.on.size) - 1,
                       "-1 or a stream of the model");
  return to.all.add(block{at, one}, "blocks of a model");
}

/// `count` more layers that have these blocks. Worked: repeat(m, 52, {local, f}) adds 52 to the counts of both.
constexpr void repeat(model& to, std::int64_t count, std::initializer_list<int> parts) {
  detail::check_dimension("layers", count);
  layer row;
  row.count = static_cast<std::int32_t>(count);
  std::size_t size = 0;
  for (const int part : parts) {
    if (part == -1) continue;
    detail::check_part("block of a layer", part, static_cast<std::int64_t>(to.all.size) - 1, "a block of the model");
    if (size == row.parts.size())
      detail::fail(errc::out_of_range, "blocks of a layer", static_cast<std::int64_t>(size + 1), "at most 8");
    row.parts[size++] = static_cast<std::int8_t>(part);
    std::int64_t& layers = to.all.items[static_cast<std::size_t>(part)].at.count;
    layers = checked_add(layers, count);
  }
  to.in_order.add(row, "rows of layers of a model");
}

/// Refuses a model, by field, whose blocks cannot be added up.
constexpr void validate(const model& m) {
  if (m.on.size == 0) detail::fail(errc::missing_field, "model.on", "empty", "one stream or more");
  for (const stream& each : m.on) check(each);
  for (const block& each : m.all) {
    detail::check_dimension("place.count", each.at.count);
    each.visit([](const auto& one) { check(one); });
  }
}

/// Adds the blocks of a model to sums. Throws, naming the field, for what cannot be added up. Worked: an MLP of 8 on a
/// stream of 4 without a gate adds 64 weights.
constexpr void add_up(const model& m, sums& to) {
  validate(m);
  walk along{to};
  for (const stream& each : m.on) along.on("", each.what, {each.width, each.height, each.columns, 0, each.frames});
  for (const block& each : m.all) each.visit([&](const auto& one) { along.put(each.at, one); });
}

/// What the blocks of a model add up to. Who asks often makes these sums once. Throws, naming the field, for what
/// cannot be added up. Worked: an MLP of 8 on a stream of 4 without a gate has 64 weights.
[[nodiscard]] constexpr sums sums_of(const model& m) {
  sums all;
  add_up(m, all);
  return all;
}

/// The work of one example, product by product; streams of tokens have as many as are given. Throws what `sums_of`
/// does. Worked: an MLP of 8 on a stream of 4 without a gate has 2 products.
[[nodiscard]] constexpr work_list work_of(const model& m, double tokens = 1) {
  work_list all;
  all.tokens = tokens;
  sums whole;
  whole.listed = &all;
  add_up(m, whole);
  return all;
}

}  // namespace blocks

namespace detail {

/// Keeps the blocks of a short form.
class model_builder {
 public:
  struct sorted {
    struct entry {
      int part = -1;  // -1: none
      std::int64_t layers = 0;
    };
    std::array<entry, 10> of{};
    std::size_t size = 0;

    constexpr void add(int part, std::int64_t layers) {
      if (layers > 0) of[size++] = {part, layers};
    }
  };

  explicit constexpr model_builder(blocks::model& to) noexcept : to_{to} {}

  constexpr std::int8_t on(const char* name, blocks::flow what, const blocks::site& first) {
    return blocks::put(to_, blocks::stream{name, what, first.width, first.height, first.columns});
  }
  template <class Kind>
  constexpr int put(const blocks::place& at, const Kind& one) {
    return to_.all.add(blocks::block{at, one}, "blocks of a model");
  }
  /// Layers take their sublayers of each sort in order.
  constexpr void layers(sorted first, sorted second, sorted third, int cross, int norms) {
    std::size_t i = 0, j = 0, k = 0;
    while (i < first.size) {
      std::int64_t count = first.of[i].layers;
      blocks::layer row;
      std::size_t size = 0;
      const auto part = [&](int block) {
        if (block >= 0) row.parts[size++] = static_cast<std::int8_t>(block);
      };
      const auto least = [&](const sorted& of, std::size_t at) {
        if (at < of.size && of.of[at].layers < count) count = of.of[at].layers;
      };
      least(second, j), least(third, k);
      part(first.of[i].part);
      if (j < second.size) part(second.of[j].part);
      part(cross);
      if (k < third.size) part(third.of[k].part);
      part(norms);
      row.count = static_cast<std::int32_t>(count);
      to_.in_order.add(row, "rows of layers of a model");
      take(first, i, count), take(second, j, count), take(third, k, count);
    }
  }

 private:
  static constexpr void take(sorted& from, std::size_t& at, std::int64_t count) noexcept {
    if (at < from.size && (from.of[at].layers -= count) == 0) ++at;
  }

  blocks::model& to_;
};

}  // namespace detail

/// A transformer as a list of blocks. Throws what `validate` throws. Worked: llama-3-8b has 6 different blocks, and 32
/// layers of three of them.
[[nodiscard]] constexpr blocks::model model_of(const transformer& from) {
  validate(from);
  blocks::model to;
  to.name = from.name;
  to.published_parameters = from.published_parameters;
  to.published_active_parameters = from.published_active_parameters;
  detail::model_builder builder{to};
  detail::composer<detail::model_builder>{from, builder}.compose();
  return to;
}

}  // namespace abi_0
}  // namespace tpuplan

#undef TPUPLAN_DETAIL_KINDS

#endif
