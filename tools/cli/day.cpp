#include "cli/day.hpp"

#include <filesystem>
#include <fstream>
#include <tpuplan/read/traces.hpp>

#include "cli/option.hpp"
#include "cli/print.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// Whether a file begins as traces do; a pipe is a day of rates.
bool is_trace(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::string first;
  std::ifstream file(path);
  return std::getline(file, first) && first.rfind("TIMESTAMP", 0) == 0;
}

}  // namespace

traffic_over_day read_day(const std::string& path, const nlohmann::json& of_day, double least) {
  traffic_over_day traffic = read_request<asked_day>(of_day).traffic;
  if (is_trace(path)) {
    traffic.trace = load_trace(path);
  } else {
    traffic.day = load_day(path, least);
  }
  return traffic;
}

void refuse_lengths_of_trace(const traffic_over_day& traffic, const serving_job& job, const session& with) {
  if (traffic.trace.empty()) return;
  for (const char* other : {"--input-len", "--output-len"}) {
    if (with.is_given(other)) refuse(other, "given with a trace", "a trace, which has lengths, or a day of rates");
  }
  if (job.images > 0) refuse("--images", "given with a trace", "a day of rates: a trace has all tokens");
}

}  // namespace cli
