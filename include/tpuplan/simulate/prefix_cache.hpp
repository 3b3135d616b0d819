#ifndef TPUPLAN_SIMULATE_PREFIX_CACHE_HPP
#define TPUPLAN_SIMULATE_PREFIX_CACHE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <tpuplan/simulate/arrivals.hpp>
#include <unordered_map>
#include <vector>

/// @file
/// What a replica keeps of prompts and answers that are over: the blocks of its cache that no running sequence needs,
/// of which the least recently used go first, and a second tier in the memory of its hosts. Programs include
/// simulate/routing.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// What a replica does about prefixes where none are kept: a request has in the cache what it says.
struct no_prefixes {
  static constexpr std::int64_t shared(std::size_t) noexcept { return 0; }   // blocks that others hold too
  static constexpr std::int64_t missing(std::size_t) noexcept { return 0; }  // of them, those that nobody holds
  static constexpr std::int64_t admit(std::size_t, const simulated_request& one) noexcept { return one.cached; }
  static constexpr std::int64_t found(std::size_t, const simulated_request& one) noexcept { return one.cached; }
  static constexpr std::int64_t leave(std::size_t, std::int64_t) noexcept { return 0; }  // shared blocks set free
  static constexpr void fit(std::int64_t) noexcept {}
  static constexpr void first_token(std::size_t) noexcept {}
  static constexpr double load() noexcept { return 0; }  // seconds before the next step
};
inline no_prefixes none_are_kept;

/// Blocks of prefixes by key, the least recently used first. Keys below 0 are of few prefixes, which are looked for
/// often.
class block_lru {
 public:
  /// The blocks of that prefix, from its first.
  [[nodiscard]] std::int64_t of(std::int64_t key) const {
    const auto at = find(key);
    return at == used_.end() ? 0 : at->blocks;
  }
  /// Takes a prefix out; its blocks.
  std::int64_t take(std::int64_t key) {
    const auto at = find(key);
    if (at == used_.end()) return 0;
    const std::int64_t blocks = at->blocks;
    held_ -= blocks;
    forget(key);
    used_.erase(at);
    return blocks;
  }
  /// So many blocks of that prefix are the most recently used.
  void keep(std::int64_t key, std::int64_t blocks) {
    take(key);
    if (blocks <= 0) return;
    used_.push_back({key, blocks});
    if (key >= 0) {
      at_[key] = std::prev(used_.end());
    } else {
      if (few_.size() <= place(key)) few_.resize(place(key) + 1, used_.end());
      few_[place(key)] = std::prev(used_.end());
    }
    held_ += blocks;
  }
  /// Gives up what is beyond that many blocks. The last blocks of a prefix go first: the others need those before them.
  void fit(std::int64_t room) {
    while (held_ > room) {
      prefix& oldest = used_.front();
      const std::int64_t gone = std::min(oldest.blocks, held_ - room);
      oldest.blocks -= gone;
      held_ -= gone;
      if (oldest.blocks > 0) continue;
      forget(oldest.key);
      used_.pop_front();
    }
  }

 private:
  struct prefix {
    std::int64_t key = 0, blocks = 0;
  };
  using entry = std::list<prefix>::iterator;
  static std::size_t place(std::int64_t key) { return static_cast<std::size_t>(-1 - key); }
  [[nodiscard]] std::list<prefix>::const_iterator find(std::int64_t key) const {
    if (key < 0) return place(key) < few_.size() ? few_[place(key)] : used_.end();
    const auto at = at_.find(key);
    return at == at_.end() ? used_.end() : at->second;
  }
  void forget(std::int64_t key) {
    if (key < 0)
      few_[place(key)] = used_.end();
    else
      at_.erase(key);
  }

  std::list<prefix> used_;
  std::unordered_map<std::int64_t, entry> at_;
  std::vector<entry> few_;  // by -1 - key; the end where there is none
  std::int64_t held_ = 0;
};

/// How caches keep prefixes.
struct prefix_rules {
  std::int64_t block_tokens = 1;
  std::int64_t group_blocks = 0;  // whole blocks of a prefix that conversations share
  std::int64_t host_blocks = 0;   // in the memory of the hosts
  double load_seconds = 0;        // to bring one of these blocks to the chips
};

/// Tokens of a prompt that are found on the chips, and on the hosts.
struct found_tokens {
  std::int64_t on_chips = 0, on_hosts = 0;
};

/// The prefixes of one replica. A conversation's blocks are its prompt and answer so far, behind the blocks that its
/// group shares; sequences that run hold the latter once for all of them. What a sequence held is kept when it ends,
/// whole blocks only; on the hosts everything is written as it is computed.
class prefix_cache {
 public:
  explicit prefix_cache(const prefix_rules& rules, std::int64_t groups)
      : rules_{rules}, holders_(static_cast<std::size_t>(groups)) {}

  /// The next request of the replica, by its conversation and its group.
  void expect(std::int64_t conversation, std::int64_t group) { uses_.push_back({conversation, group}); }

  /// What of a prompt would be found now, of a conversation of which the replica had some before, or had none.
  [[nodiscard]] found_tokens match(std::int64_t conversation, std::int64_t group, const simulated_request& one,
                                   bool had_some = true) const {
    const std::int64_t whole = rules_.group_blocks;
    const bool is_held = whole == 0 || holders_[static_cast<std::size_t>(group)] > 0;
    const std::int64_t of_group = is_held ? whole : kept_.of(group_key(group));
    const std::int64_t own = had_some ? kept_.of(conversation) : 0;
    const std::int64_t here = of_group + (of_group == whole ? own : 0);
    std::int64_t anywhere = here;
    if (rules_.host_blocks > 0) {
      anywhere = std::max(of_group, hosts_.of(group_key(group)));
      if (anywhere == whole) anywhere += std::max(own, hosts_.of(conversation));
    }
    const std::int64_t most = one.prompt - 1;  // the last token is computed for the first of the answer
    found_tokens found;
    found.on_chips = std::min(std::max(here * rules_.block_tokens, one.cached), most);
    found.on_hosts = std::max(std::min(anywhere * rules_.block_tokens, most) - found.on_chips, std::int64_t{0});
    return found;
  }

  [[nodiscard]] std::int64_t shared(std::size_t) const { return rules_.group_blocks; }
  [[nodiscard]] std::int64_t missing(std::size_t request) const {
    return holders_[static_cast<std::size_t>(uses_[request].group)] > 0 ? 0 : rules_.group_blocks;
  }
  std::int64_t admit(std::size_t request, const simulated_request& one) {
    use& u = uses_[request];
    u.found = match(u.conversation, u.group, one);
    kept_.take(u.conversation);
    kept_.take(group_key(u.group));
    ++holders_[static_cast<std::size_t>(u.group)];
    load_ += static_cast<double>(u.found.on_hosts) / static_cast<double>(rules_.block_tokens) * rules_.load_seconds;
    return u.found.on_chips + u.found.on_hosts;
  }
  [[nodiscard]] std::int64_t found(std::size_t request, const simulated_request&) const {
    return uses_[request].found.on_chips + uses_[request].found.on_hosts;
  }
  [[nodiscard]] const found_tokens& found_by(std::size_t request) const { return uses_[request].found; }
  /// A sequence ends with so many tokens in the cache, or with none where it was preempted.
  std::int64_t leave(std::size_t request, std::int64_t tokens) {
    const use& u = uses_[request];
    const std::int64_t own = tokens / rules_.block_tokens - rules_.group_blocks;
    if (tokens > 0) {
      kept_.keep(u.conversation, own);
      keep_on_hosts(u.conversation, own);
      keep_on_hosts(group_key(u.group), rules_.group_blocks);
    }
    if (--holders_[static_cast<std::size_t>(u.group)] > 0) return 0;
    if (tokens > 0) kept_.keep(group_key(u.group), rules_.group_blocks);
    return rules_.group_blocks;
  }
  void fit(std::int64_t free) { kept_.fit(free); }
  void first_token(std::size_t request) { begun_.push_back(request); }
  double load() {
    const double seconds = load_;
    load_ = 0;
    return seconds;
  }
  /// Requests that had their first token since this was asked.
  [[nodiscard]] std::vector<std::size_t>& begun() { return begun_; }

 private:
  struct use {
    std::int64_t conversation = 0, group = 0;
    found_tokens found{};
  };
  static constexpr std::int64_t group_key(std::int64_t group) { return -1 - group; }
  void keep_on_hosts(std::int64_t key, std::int64_t blocks) {
    if (rules_.host_blocks == 0) return;
    hosts_.keep(key, blocks);
    hosts_.fit(rules_.host_blocks);
  }

  prefix_rules rules_;
  std::vector<std::int64_t> holders_;  // running sequences of each group
  std::vector<use> uses_;              // of each request of the replica
  block_lru kept_, hosts_;
  std::vector<std::size_t> begun_;
  double load_ = 0;  // seconds of reads from the hosts that the next step waits for
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
