// Writes the tables that the headers hold from data/, between the marks
//   // generated: NAME ...
//   // end of generated: NAME
// With --check it changes nothing, names the headers whose tables are not what data/ says, and fails where there is
// one.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "generate/generate.hpp"

namespace {

struct table {
  const char* header;
  const char* name;
  const char* source;
  std::string (*write)(generate::data_folder&);
};

constexpr table tables[] = {
    {"hardware/generations.hpp", "chips", "hardware.json", generate::chip_table},
    {"hardware/generations.hpp", "chip_aliases", "hardware.json", generate::alias_table},
    {"hardware/slice_table.hpp", "slices", "slices.json", generate::slice_table},
    {"hardware/slice_table.hpp", "machine_types", "hardware.json", generate::machine_table},
    {"hardware/gpus.hpp", "gpu_offers", "gpus.json", generate::gpu_table},
    {"cost/price_table.hpp", "us_prices", "prices.json", generate::price_table},
    {"io/hf/defaults.hpp", "hf_defaults", "hf_defaults.json", generate::defaults_table},
    {"io/launch/offers.hpp", "launch_offers", "launch.json", generate::offer_table},
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw std::runtime_error(path + " cannot be read");
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text) || !out.flush()) throw std::runtime_error(path + " cannot be written");
}

/// The header with the table between its marks.
std::string with_table(const std::string& header, const table& t, generate::data_folder& data) {
  const std::string begin = fmt::format("// generated: {} ", t.name);
  const std::string end = fmt::format("// end of generated: {}\n", t.name);
  const std::size_t from = header.find(begin.substr(0, begin.size() - 1));
  const std::size_t to = header.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from)
    throw std::runtime_error(fmt::format("{} has no marks of \"{}\"", t.header, t.name));
  return header.substr(0, from) + begin + "from data/" + t.source + "\n" + t.write(data) + header.substr(to);
}

int run(bool check, const std::string& root) {
  generate::data_folder data(root + "/data");
  int stale = 0;
  for (const table& t : tables) {
    const std::string path = root + "/include/tpuplan/" + t.header;
    const std::string before = read_file(path);
    const std::string after = with_table(before, t, data);
    if (before == after) continue;
    ++stale;
    fmt::print(check ? stderr : stdout, "include/tpuplan/{}: {} {} data/{}\n", t.header, t.name,
               check ? "is not what it would be, made from" : "written from", t.source);
    if (!check) write_file(path, after);
  }
  if (check && stale > 0) fmt::print(stderr, "cmake --build BUILD --target generate writes them\n");
  return check && stale > 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  const bool check = count > 1 && std::string(arguments[1]) == "--check";
  if (count != (check ? 3 : 2)) {
    fmt::print(stderr, "usage: tpuplan_generate [--check] ROOT\n  ROOT: the folder with data/ and include/\n");
    return 2;
  }
  try {
    return run(check, arguments[count - 1]);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "tpuplan_generate: {}\n", problem.what());
    return 2;
  }
}
