#ifndef TPUPLAN_TESTS_STAND_IN_XCPP_XDISPLAY_HPP
#define TPUPLAN_TESTS_STAND_IN_XCPP_XDISPLAY_HPP

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

// Stands in for the header of the kernels xeus-cpp and xeus-cling, where there is no kernel: the same names, found in
// the same way. Where the kernel sends the bundle to the notebook, this prints it between two record separators,
// which run_notebook.cpp reads.

namespace nl = nlohmann;

namespace xcpp {

/// For types without a hook: what operator<< writes.
template <class T>
nl::json mime_bundle_repr(const T& value) {
  std::ostringstream words;
  words << value;
  return {{"text/plain", words.str()}};
}

template <class T>
void display(const T& value) {
  using ::xcpp::mime_bundle_repr;
  std::cout << '\x1e' << mime_bundle_repr(value).dump() << '\x1e' << std::flush;
}

}  // namespace xcpp

#endif
