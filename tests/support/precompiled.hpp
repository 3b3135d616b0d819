#ifndef TPUPLAN_TESTS_SUPPORT_PRECOMPILED_HPP
#define TPUPLAN_TESTS_SUPPORT_PRECOMPILED_HPP

/// What most Catch2 tests include, parsed once, and the documents of nlohmann_json compiled once (precompiled.cpp).
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

#endif
