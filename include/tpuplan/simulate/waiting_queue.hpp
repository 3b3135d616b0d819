#ifndef TPUPLAN_SIMULATE_WAITING_QUEUE_HPP
#define TPUPLAN_SIMULATE_WAITING_QUEUE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/simulate/arrivals.hpp>
#include <vector>

/// @file
/// The requests that wait in a replica. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The requests of a replica that wait, by their places: those that were preempted, the last of them first, before the
/// others as they came; or by priority and arrival.
class waiting_queue {
 public:
  /// The requests of the replica come every `stride` places from the first.
  waiting_queue(const std::vector<simulated_request>& requests, std::size_t first, std::size_t stride, bool by_priority)
      : requests_{requests}, queued_{first}, stride_{stride}, by_priority_{by_priority} {}

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// The one that is next; none where nothing waits.
  [[nodiscard]] std::size_t next() const {
    if (by_priority_) return heap_.empty() ? none : heap_.front();
    return !preempted_.empty() ? preempted_.back() : queued_ < arrived_ ? queued_ : none;
  }
  /// Takes the next one out.
  void pop() {
    if (by_priority_) {
      std::pop_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return is_behind(a, b); });
      heap_.pop_back();
    } else if (!preempted_.empty()) {
      preempted_.pop_back();
    } else {
      queued_ += stride_;
    }
  }
  /// One comes, behind all that came before.
  void add(std::size_t request) {
    arrived_ = request + 1;
    if (by_priority_) push(request);
  }
  /// One that was preempted waits again.
  void put_back(std::size_t request) { by_priority_ ? push(request) : preempted_.push_back(request); }
  /// Whether it comes after the other, by priority and arrival.
  [[nodiscard]] bool is_behind(std::size_t request, std::size_t other) const {
    const std::int64_t a = requests_[request].priority, b = requests_[other].priority;
    return a != b ? a > b : request > other;
  }

 private:
  void push(std::size_t request) {
    heap_.push_back(request);
    std::push_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return is_behind(a, b); });
  }

  const std::vector<simulated_request>& requests_;
  std::size_t queued_, stride_;  // the next that was never admitted
  std::size_t arrived_ = 0;      // before this place
  bool by_priority_;
  std::vector<std::size_t> preempted_;  // the last is the next
  std::vector<std::size_t> heap_;       // all that wait, by priority
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
