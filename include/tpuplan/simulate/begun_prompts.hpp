#ifndef TPUPLAN_SIMULATE_BEGUN_PROMPTS_HPP
#define TPUPLAN_SIMULATE_BEGUN_PROMPTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <vector>

/// @file
/// The prompts that a replica computes. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Prompts that are begun and not done, in the order of their admission.
class begun_prompts {
 public:
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(all_.size()); }
  /// One of which so many tokens are in the cache.
  void begin(std::size_t request, std::int64_t computed) { all_.push_back({request, computed}); }
  void give_up(std::size_t request) {
    all_.erase(std::find_if(all_.begin(), all_.end(), [&](const prompt& one) { return one.request == request; }));
  }
  /// Adds to a step the tokens that are left in it, of each prompt its part, which no other needs less; those that end
  /// with it are completed.
  template <class Times, class TokensOf>
  void compute(step_work& work, std::int64_t& left, const Times& times, const TokensOf& tokens_of,
               std::vector<std::size_t>& completed) {
    std::size_t kept = 0;
    const std::size_t all = all_.size();
    for (std::size_t i = 0; i < all; ++i) {
      prompt one = all_[i];
      const std::int64_t tokens = tokens_of(one.request), each = ceil_div(left, static_cast<std::int64_t>(all - i));
      const std::int64_t chunk = std::min(each, tokens - one.computed);
      work.prompt_attention += times.attention(one.computed, one.computed + chunk);
      work.prompt_tokens += chunk;
      one.computed += chunk;
      left -= chunk;
      if (one.computed == tokens)
        completed.push_back(one.request);
      else
        all_[kept++] = one;
    }
    all_.resize(kept);
  }

 private:
  struct prompt {
    std::size_t request = 0;
    std::int64_t computed = 0;  // tokens of it
  };
  std::vector<prompt> all_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
