#ifndef TPUPLAN_SIMULATE_RUNNING_SEQUENCES_HPP
#define TPUPLAN_SIMULATE_RUNNING_SEQUENCES_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/simulate/arrivals.hpp>
#include <vector>

/// @file
/// The sequences that run in a replica. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The sequences that run in a replica, by their places: in the order of their admission and, of those that decode, by
/// the tick of their last token and by that of their next block. A tick is a step in which all of the latter get a
/// token: what a sequence has follows from the tick at which it began, so that a tick takes the same work for any
/// number of them.
class running_sequences {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct sequence {
    std::int64_t generated = 0;      // output tokens, up to date while it does not decode
    std::int64_t offset = 0;         // while it decodes: tokens of prompt and output, less ticks
    double last_token = 0;           // when it was handed out, while it does not decode
    std::size_t before = none;       // of those that run: the one admitted before it
    std::size_t after = none;        // and the one admitted after it
    std::size_t ends_before = none;  // another that ends with the same tick
    std::size_t ends_after = none;   // the next of these
    std::int64_t ends = 0;           // the tick of its last token
    bool decodes = false;
  };

  /// The requests of the replica come every `stride` places.
  running_sequences(const std::vector<simulated_request>& requests, std::size_t stride, std::int64_t block_tokens)
      : requests_{requests},
        stride_{stride},
        block_tokens_{block_tokens},
        phases_{static_cast<std::size_t>(block_tokens)},
        growing_(static_cast<std::size_t>(block_tokens)),
        all_(requests.size() / stride + 1) {}

  /// Before any request: the most output tokens of one.
  void expect_outputs(std::int64_t longest) {
    std::size_t ticks = 2;
    while (ticks <= static_cast<std::size_t>(longest)) ticks *= 2;
    ending_.assign(ticks, none);
    last_list_ = ticks - 1;
  }
  /// A request was added to the requests.
  void expect_one_more() { all_.emplace_back(); }

  sequence& at(std::size_t request) { return all_[request / stride_]; }
  [[nodiscard]] const sequence& at(std::size_t request) const { return all_[request / stride_]; }
  /// Tokens of prompt and output of one that does not decode.
  [[nodiscard]] std::int64_t tokens_of(std::size_t request) const {
    return requests_[request].prompt + at(request).generated;
  }
  /// Tokens of prompt and output of one that decodes; keys and values of all but the last are in the cache.
  [[nodiscard]] std::int64_t known(const sequence& s) const { return tick_ + s.offset; }
  /// The phase in which it takes a block.
  [[nodiscard]] std::size_t growth_of(const sequence& s) const {
    const std::int64_t phase = (1 - s.offset) % block_tokens_;
    return static_cast<std::size_t>(phase < 0 ? phase + block_tokens_ : phase);
  }

  [[nodiscard]] std::int64_t running() const { return running_; }
  [[nodiscard]] std::int64_t decoding() const { return decoding_; }
  /// Tokens that those that decode attend to in the next tick.
  [[nodiscard]] std::int64_t context() const { return context_; }
  [[nodiscard]] std::int64_t tick() const { return tick_; }
  /// Ticks modulo tokens of a block.
  [[nodiscard]] std::size_t phase() const { return phase_; }
  [[nodiscard]] std::size_t phase_after(std::size_t phase) const { return phase + 1 == phases_ ? 0 : phase + 1; }
  /// How many take a block in that phase.
  [[nodiscard]] std::int64_t growing(std::size_t phase) const { return growing_[phase]; }
  /// The first of those whose last token comes with that tick.
  [[nodiscard]] std::size_t ending_with(std::int64_t tick) const {
    return ending_[static_cast<std::size_t>(tick) & last_list_];
  }
  /// The first and the last that was admitted, of those that run.
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t last() const { return last_; }

  void join(std::size_t request) {
    sequence& s = at(request);
    s.before = last_, s.after = none;
    (last_ == none ? first_ : at(last_).after) = request;
    last_ = request;
    ++running_;
  }
  void leave(std::size_t request) {
    const sequence& s = at(request);
    (s.before == none ? first_ : at(s.before).after) = s.after;
    (s.after == none ? last_ : at(s.after).before) = s.before;
    --running_;
  }
  /// Its next token comes with the next tick.
  void start_decoding(std::size_t request) {
    sequence& s = at(request);
    s.decodes = true;
    s.offset = tokens_of(request) - tick_;
    s.ends = tick_ + requests_[request].output - s.generated;
    std::size_t& list = ending_[static_cast<std::size_t>(s.ends) & last_list_];
    s.ends_before = none, s.ends_after = list;
    if (list != none) at(list).ends_before = request;
    list = request;
    ++growing_[growth_of(s)];
    ++decoding_;
    context_ += known(s);
  }
  void stop_decoding(std::size_t request) {
    sequence& s = at(request);
    s.generated = known(s) - requests_[request].prompt;
    s.decodes = false;
    std::size_t& list = ending_[static_cast<std::size_t>(s.ends) & last_list_];
    (s.ends_before == none ? list : at(s.ends_before).ends_after) = s.ends_after;
    if (s.ends_after != none) at(s.ends_after).ends_before = s.ends_before;
    --growing_[growth_of(s)];
    --decoding_;
    context_ -= known(s);
  }
  /// All that decode get a token.
  void take_tick() {
    ++tick_;
    phase_ = phase_after(phase_);
    context_ += decoding_;
  }

 private:
  const std::vector<simulated_request>& requests_;
  std::size_t stride_;
  std::int64_t block_tokens_;
  std::size_t phases_, last_list_ = 0;  // of growing_ and ending_
  std::int64_t running_ = 0, decoding_ = 0;
  std::int64_t tick_ = 0;
  std::size_t phase_ = 0;
  std::int64_t context_ = 0;
  std::size_t first_ = none, last_ = none;
  std::vector<std::int64_t> growing_;  // sequences that take a block, by phase
  std::vector<std::size_t> ending_;    // first of those that end with a tick, by tick modulo size
  std::vector<sequence> all_;          // of each request
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
