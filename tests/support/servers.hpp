#ifndef TPUPLAN_TESTS_SUPPORT_SERVERS_HPP
#define TPUPLAN_TESTS_SUPPORT_SERVERS_HPP

#include <cstdint>
#include <tpuplan/simulate/engine.hpp>

/// A server of one request at a time, with 1 us of service for each token of its prompt.
struct service_times {
  [[nodiscard]] tpuplan::seconds attention(std::int64_t, std::int64_t) const { return {}; }
  [[nodiscard]] tpuplan::seconds step(const tpuplan::step_work& work) const {
    return tpuplan::seconds{1e-6 * static_cast<double>(work.prompt_tokens)};
  }
};
inline tpuplan::simulated_engine one_server() {
  tpuplan::simulated_engine engine;
  engine.max_running = 1;
  engine.blocks = std::int64_t{1} << 40;
  return engine;
}

#endif
