#ifndef TPUPLAN_TESTS_SUPPORT_CALL_HPP
#define TPUPLAN_TESTS_SUPPORT_CALL_HPP

#include <cstddef>
#include <new>
#include <type_traits>

/// Apart, so that a function of that name in a test is found before one of another header.
namespace calls {

/// A lambda that captures at most a few values that can be copied as bytes, references above all: std::function without
/// what it takes to hold anything else, which for each of the thousand lambdas of the tests is eight functions more to
/// compile.
template <class Signature, std::size_t Bytes = 56>
class plain_call;
template <class Result, class... Arguments, std::size_t Bytes>
class plain_call<Result(Arguments...), Bytes> {
 public:
  plain_call() = default;
  template <class Lambda, std::enable_if_t<!std::is_same<Lambda, plain_call>::value, int> = 0>
  plain_call(const Lambda& lambda)
      : run_{[](const void* of, Arguments... with) -> Result {
          if constexpr (std::is_void<Result>::value)
            (*static_cast<const Lambda*>(of))(static_cast<Arguments>(with)...);
          else
            return (*static_cast<const Lambda*>(of))(static_cast<Arguments>(with)...);
        }} {
    static_assert(std::is_trivially_copyable<Lambda>::value && sizeof(Lambda) <= sizeof(lambda_));
    ::new (static_cast<void*>(lambda_)) Lambda(lambda);
  }
  Result operator()(Arguments... with) const { return run_(lambda_, static_cast<Arguments>(with)...); }

 private:
  alignas(double) unsigned char lambda_[Bytes] = {};
  Result (*run_)(const void*, Arguments...) = nullptr;
};

}  // namespace calls
using calls::plain_call;

#endif
