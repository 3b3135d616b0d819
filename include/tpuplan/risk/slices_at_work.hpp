#ifndef TPUPLAN_RISK_SLICES_AT_WORK_HPP
#define TPUPLAN_RISK_SLICES_AT_WORK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/units.hpp>
#include <vector>

/// @file
/// Which slices of an elastic run compute, which start, and which wait for capacity. For use by the library.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The slices of an elastic run: each of them computes, starts on new capacity, or waits for it. Times in seconds.
class slices_at_work {
 public:
  [[nodiscard]] std::int64_t computing() const { return computing_; }
  [[nodiscard]] std::int64_t waiting() const { return waiting_; }
  /// Those that are paid for, and that may be lost.
  [[nodiscard]] std::int64_t machines() const { return computing_ + static_cast<std::int64_t>(ready_.size()); }
  /// When the next one that starts is ready; `otherwise` where none starts.
  [[nodiscard]] double next_ready(double otherwise) const { return ready_.empty() ? otherwise : ready_.front(); }

  /// All of them start, and are ready at that time.
  void start_all(std::int64_t slices, double ready) {
    waiting_ = computing_ = 0;
    ready_.assign(static_cast<std::size_t>(slices), ready);
  }
  void end_all() { start_all(0, 0); }
  void start_one(double ready) {
    if (ready_.empty() || ready_.back() <= ready) return ready_.push_back(ready);
    ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), ready), ready);
  }
  void wait_for_one() { ++waiting_; }
  /// One that was waited for has capacity.
  void start_one_that_waits(double ready) {
    --waiting_;
    start_one(ready);
  }
  void start_those_that_wait(double ready) {
    while (waiting_ > 0) start_one_that_waits(ready);
  }
  /// The next one that starts computes, and all that are ready with it.
  void join() {
    const double now = ready_.front();
    const auto later = std::find_if(ready_.begin(), ready_.end(), [now](double at) { return at > now; });
    computing_ += later - ready_.begin();
    ready_.erase(ready_.begin(), later);
  }
  /// Loses the slice at that share, 0 to 1, of those with machines: whether it computed.
  bool lose(double share) {
    const auto at = std::min(static_cast<std::int64_t>(share * static_cast<double>(machines())), machines() - 1);
    if (at < computing_) {
      --computing_;
      return true;
    }
    ready_.erase(ready_.begin() + (at - computing_));
    return false;
  }
  /// All that is to come is that much later.
  void put_off(double by) {
    for (double& at : ready_) at += by;
  }

 private:
  std::int64_t computing_ = 0, waiting_ = 0;
  std::vector<double> ready_{};  // when each that starts is, rising
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
