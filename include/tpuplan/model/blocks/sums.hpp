#ifndef TPUPLAN_MODEL_BLOCKS_SUMS_HPP
#define TPUPLAN_MODEL_BLOCKS_SUMS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/place.hpp>
#include <tpuplan/model/blocks/shapes.hpp>
#include <tpuplan/model/blocks/work_list.hpp>

/// @file
/// What the blocks of a model add up to: all that counts of parameters, FLOPs and caches are made of.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// The arithmetic besides products of some layers.
struct core_of_layers {
  core one{};              ///< of a position in one of them
  double layers = 0;       ///< how many
  flow on = flow::tokens;  ///< whose positions
};

/// That of all layers: the first `size` entries are set.
struct cores {
  std::array<core_of_layers, 12> of{};  ///< different ones, at most 12
  std::size_t size = 0;                 ///< of these

  /// Adds layers, to others like them where there are any.
  constexpr void add(const core& one, double layers, flow on) {
    for (std::size_t i = 0; i < size; ++i) {
      if (of[i].on != on || !is_same(of[i].one, one)) continue;
      of[i].layers += layers;
      return;
    }
    if (size == of.size())
      detail::fail(errc::out_of_range, "different attention in a model", std::int64_t{13}, "at most 12 kinds");
    of[size++] = {one, layers, on};
  }
};

/// What decoding keeps, in numbers of the cache for each token: of layers that hold all tokens, of those that hold
/// `most` of them, and of the source that a decoder attends to. Where an entry stands for several tokens, they share
/// it.
struct cache_numbers {
  /// @{
  /// As above.
  double held = 0, bounded = 0, most = 0, of_source = 0;
  /// @}
  bytes state{};  ///< of a sequence, however long it is
};

/// A size that is known to be one of a model: at most 2^24.
constexpr std::int32_t narrow(std::int64_t size) noexcept { return static_cast<std::int32_t>(size); }

/// The sums of a model's blocks. Each block adds to them, in the header of its kind.
class sums {
 public:
  /// @{
  /// Weights by part, in the order of `part`; those of the experts that one token is not routed to; and numbers that
  /// are kept but not trained.
  std::array<std::int64_t, 13> weights{};
  std::int64_t unrouted = 0, statistics = 0;
  /// @}
  /// @{
  /// Multiply-adds of a token by role, those of experts apart; of a position of an encoder; and of one that a decoder
  /// attends to.
  std::array<std::int64_t, 7> dense{}, routed{};
  std::int64_t of_source = 0, of_attended = 0;
  /// @}
  std::int64_t apart = 0;         ///< of these, what decoding does without: a head for training, frames of audio
  std::int64_t latent_norms = 0;  ///< weights of norms inside latent attention
  double of_example = 0;          ///< multiply-adds of an example in streams that say how many positions they have
  cores attention{};              ///< arithmetic besides products
  cache_numbers cache{};          ///< what decoding keeps
  work_list* listed = nullptr;    ///< where each product and attention is put down too, if anywhere
  bool lists_images = true;       ///< false: towers that see images are not put down there, but their weights count

  /// Weights in matrix products of one token. Worked: those of an MLP, all of them.
  [[nodiscard]] constexpr std::int64_t matrices() const {
    std::int64_t all = checked_add(of_source, of_attended) - apart;
    for (std::size_t i = 0; i < dense.size(); ++i) all = checked_add(all, checked_add(dense[i], routed[i]));
    return all;
  }

  /// The block that adds from now on: where it stands, on what, and its positions (of streams that say so).
  constexpr void begin(const place& p, flow on, const site& out, const site& other) noexcept {
    at_ = p, on_ = on;
    sets_ = p.sets > 0 ? p.sets : p.count;
    if (on == flow::image || on == flow::example) rows_ = out, other_rows_ = other;
  }

  /// Whether the work of the block is put down.
  [[nodiscard]] constexpr bool is_listed() const noexcept {
    return listed != nullptr && (lists_images || on_ != flow::image);
  }

  /// A product of each position with weights.
  constexpr void add(const product& p) {
    const std::int64_t one = checked_multiply(p.inner, p.outer);
    add_weights(p.of, p.copies == 1 ? one : checked_multiply(one, p.copies));
    if (p.copies > p.used && p.of == part::experts) leave_out(one, p.copies - p.used);
    if (p.used == 0 || at_.when == use::prediction) return;
    if (is_listed()) listed->add(p, static_cast<double>(at_.count), rows_of(p.from_other ? other_rows_ : rows_));
    const std::int64_t work = checked_multiply(p.used == 1 ? one : checked_multiply(one, p.used), at_.count);
    if (on_ == flow::image || on_ == flow::example) {
      of_example += static_cast<double>(work) * static_cast<double>(positions(p.from_other ? other_rows_ : rows_));
      return;
    }
    std::int64_t& sum = on_ != flow::tokens     ? of_source
                        : p.from_other          ? of_attended
                        : p.of == part::experts ? routed[static_cast<std::size_t>(p.what)]
                                                : dense[static_cast<std::size_t>(p.what)];
    sum = checked_add(sum, work);
    if (at_.when == use::scoring || on_ == flow::frames) apart = checked_add(apart, work);
  }
  /// @{
  /// Weights in no product: biases, norms, tables.
  constexpr void vectors(part where, std::int64_t numbers) {
    if (numbers != 0) add_weights(where, numbers);
  }
  constexpr void vectors(part where, std::int64_t numbers, std::int64_t copies, std::int64_t used) {
    add_weights(where, checked_multiply(numbers, copies));
    leave_out(numbers, copies - used);
  }
  constexpr void norms_in_latent(std::int64_t numbers) {
    add_weights(part::attention, numbers);
    if (at_.when != use::prediction) latent_norms = checked_add(latent_norms, checked_multiply(numbers, at_.count));
  }
  /// @}
  /// Numbers that are kept but not trained.
  constexpr void statistic(std::int64_t numbers) {
    statistics = checked_add(statistics, checked_multiply(numbers, at_.count));
  }
  /// Arithmetic besides products.
  constexpr void attends(const core& one) {
    if (!has_work(one) || at_.when == use::prediction) return;
    attention.add(one, static_cast<double>(at_.count), on_);
    const bool counted_here = on_ == flow::image || on_ == flow::example;
    const std::int64_t all = counted_here ? positions(one.from_other ? other_rows_ : rows_) : 0;
    const auto keys = static_cast<double>(one.window > 0 && one.window < all ? one.window : all);
    if (is_listed())
      listed->add(one, static_cast<double>(at_.count), rows_of(rows_), counted_here ? keys : listed->tokens);
    if (!counted_here) return;
    of_example += static_cast<double>(at_.count) * static_cast<double>(positions(rows_)) *
                  (static_cast<double>(one.heads) * keys * static_cast<double>(one.key_width + one.value_width) +
                   one.fixed.value() / 2);
  }
  /// @{
  /// Nothing to add.
  constexpr void attends(none) noexcept {}
  constexpr void keeps(none) noexcept {}
  /// @}
  /// What decoding keeps.
  constexpr void keeps(const kept& one) noexcept {
    if (on_ != flow::tokens || at_.when != use::always) return;
    const auto layers = static_cast<double>(at_.count);
    cache.state += layers * one.state;
    const double always = layers * static_cast<double>(one.read_always);
    const double numbers = layers * static_cast<double>(one.numbers) - always;
    if (one.of_other) {
      cache.of_source += numbers;
    } else if (one.window > 0) {
      cache.bounded += numbers, cache.held += always;
      cache.most = static_cast<double>(one.window);
    } else {
      cache.held += one.ratio > 0 ? (numbers + always) / static_cast<double>(one.ratio) : numbers + always;
    }
  }

 private:
  /// The part that the block's weights count as.
  [[nodiscard]] constexpr part counted(part where) const noexcept {
    if (at_.when == use::prediction) return part::prediction;
    return on_ == flow::image && where != part::projector ? part::vision : where;
  }
  [[nodiscard]] constexpr double rows_of(const site& at) const {
    return on_ == flow::image || on_ == flow::example ? static_cast<double>(positions(at)) : listed->tokens;
  }
  constexpr void add_weights(part where, std::int64_t numbers) {
    std::int64_t& sum = weights[static_cast<std::size_t>(counted(where))];
    sum = checked_add(sum, checked_multiply(numbers, sets_));
  }
  constexpr void leave_out(std::int64_t one, std::int64_t copies) {
    if (at_.when != use::prediction) unrouted = checked_add(unrouted, checked_multiply(one, copies, sets_));
  }

  place at_{};
  flow on_ = flow::tokens;
  site rows_{}, other_rows_{};
  std::int64_t sets_ = 1;
};

/// @{
/// What a kind has that says nothing of itself: no refusals, no weights, no arithmetic besides products, nothing kept,
/// and a stream that goes on as it came.
template <class Kind>
constexpr void check(const Kind&) noexcept {}
template <class Kind>
constexpr void weigh(const Kind&, const site&, sums&) noexcept {}
template <class Kind>
[[nodiscard]] constexpr none core_of(const Kind&, const site&) noexcept {
  return {};
}
template <class Kind>
[[nodiscard]] constexpr none kept_by(const Kind&, const site&) noexcept {
  return {};
}
template <class Kind>
[[nodiscard]] constexpr none after(const Kind&, const site&) noexcept {
  return {};
}
/// @}

/// Follows blocks along their streams, and adds them up.
class walk {
 public:
  /// Adds to these sums.
  explicit constexpr walk(sums& to) noexcept : to_{to} {}

  /// A new stream: its index.
  constexpr std::int8_t on(const char*, flow what, const site& first) {
    if (size_ == most_streams) detail::fail(errc::out_of_range, "streams of a model", std::int64_t{9}, "at most 8");
    what_[size_] = what, at_[size_] = first;
    return static_cast<std::int8_t>(size_++);
  }
  /// The next block.
  template <class Kind>
  constexpr int put(const place& p, const Kind& kind) {
    site& at = at_[static_cast<std::size_t>(p.stream)];
    at.other_width = p.other < 0 ? 0 : at_[static_cast<std::size_t>(p.other)].width;
    const site out = goes_on(at, after(kind, at));
    to_.begin(p, what_[static_cast<std::size_t>(p.stream)], out,
              p.other < 0 ? out : at_[static_cast<std::size_t>(p.other)]);
    weigh(kind, at, to_);
    to_.attends(core_of(kind, at));
    to_.keeps(kept_by(kind, at));
    if (!p.branch) at = out;
    return 0;
  }
  /// Which blocks stand together is no matter for sums.
  struct sorted {
    /// Nothing is kept.
    constexpr void add(int, std::int64_t) noexcept {}
  };
  /// Nothing is kept.
  constexpr void layers(sorted, sorted, sorted, int, int) noexcept {}

 private:
  static constexpr const site& goes_on(const site&, const site& out) noexcept { return out; }
  static constexpr const site& goes_on(const site& in, none) noexcept { return in; }

  sums& to_;
  std::array<flow, most_streams> what_{};
  std::array<site, most_streams> at_{};
  std::size_t size_ = 0;
};

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
