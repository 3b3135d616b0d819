#ifndef TPUPLAN_READ_RUNS_SOURCE_HPP
#define TPUPLAN_READ_RUNS_SOURCE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// Who published a run: the repository, the paper or the author. Runs of one source share people, machines and
/// software, so that sources, not single runs, are statistically independent.

namespace tpuplan {
inline namespace abi_0 {

/// The source behind the words of a record: "owner/name" of a repository, whatever its revision and page, else the
/// first word, such as "arXiv:2211.05102" or "pytorch.org". Rounds of MLPerf are one source, and so are the notes of an
/// author and the author's repository. Worked: "github.com/marin-community/marin/issues/6227" is marin-community/marin.
[[nodiscard]] inline std::string source_of(std::string_view words) {
  constexpr std::string_view host = "github.com/", mlperf = "mlcommons/training_results", author = "yangwhale";
  if (words.substr(0, host.size()) == host) words.remove_prefix(host.size());
  words = words.substr(0, words.find_first_of(" @,"));
  if (words.substr(0, mlperf.size()) == mlperf) return std::string(mlperf);
  if (words.substr(0, author.size()) == author) return std::string(author);
  const std::size_t slash = words.find('/');
  return std::string(slash == std::string_view::npos ? words : words.substr(0, words.find('/', slash + 1)));
}

/// The source of a record, where several are of one team: recipes for MaxText count as MaxText's, the paper on AXLearn
/// as its repository, and a table without a repository as that of its author. Worked:
/// "AI-Hypercomputer/tpu-recipes@c8cfe2f training" is AI-Hypercomputer/maxtext.
[[nodiscard]] inline std::string team_of(std::string_view words) {
  std::string source = source_of(words);
  if (source == "AI-Hypercomputer/tpu-recipes") return "AI-Hypercomputer/maxtext";
  if (words.find("ahead-of-time compilation table") != std::string_view::npos) return "yangwhale";
  if (source == "AXLearn") return "apple/axlearn";
  return source;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
