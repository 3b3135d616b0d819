#ifndef TPUPLAN_TESTS_SUPPORT_KERNEL_HPP
#define TPUPLAN_TESTS_SUPPORT_KERNEL_HPP

#include <nlohmann/json.hpp>

/// `displayed` finds how a value looks as the kernels of notebooks find it.
namespace kernel {

/// The kernels have such a template for types that bring nothing of their own.
template <class T>
nlohmann::json mime_bundle_repr(const T&) {
  return {{"text/plain", "nothing of its own"}};
}
template <class T>
nlohmann::json displayed(const T& x) {
  return mime_bundle_repr(x);
}

}  // namespace kernel

#endif
