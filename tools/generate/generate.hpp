#ifndef TPUPLAN_TOOLS_GENERATE_HPP
#define TPUPLAN_TOOLS_GENERATE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Functions that all writers of tables share. They do not include the library, so they compile even when its generated
/// tables do not.

namespace generate {

/// JSON whose keys keep the order of the file.
using json = nlohmann::ordered_json;

/// The files of data/, each read once.
class data_folder {
 public:
  explicit data_folder(std::string path) : path_{std::move(path)} {}
  /// The file of that name, "slices.json". Throws std::runtime_error, naming it, where it cannot be read.
  const json& operator[](const std::string& name);
  /// The names of the chips, oldest first.
  std::vector<std::string> chips();

 private:
  std::string path_;
  std::map<std::string, json> files_;
};

/// The value under the key; throws std::runtime_error that names the owner and the key where there is none.
const json& at(const json& object, const char* key, const std::string& owner);
/// Whether the list has that word.
bool has(const json& list, std::string_view word);

/// @{
/// C++ source of a value: "text" in quotes, true or false, a double, a count of bytes such as 16_GiB.
std::string in_quotes(const std::string& text);
std::string literal(bool value);
std::string literal(double value);
std::string literal_bytes(std::int64_t value);
/// @}
/// A double in units of `scale` with the suffix of a literal: 46_TFLOP_per_s.
std::string scaled(double value, double scale, const char* suffix);
/// The parts joined by ", ".
std::string joined(const std::vector<std::string>& parts);
/// The rows of an array, as many on a line as 120 columns hold, each line indented by four.
std::string packed(const std::vector<std::string>& rows);
/// The rows, each on its own line.
std::string listed(const std::vector<std::string>& rows);
/// The lines between comments that turn clang-format off and on.
std::string unformatted(const std::string& lines);

/// @{
/// The text of each table, as it is written between its marks.
std::string chip_table(data_folder& data);
std::string alias_table(data_folder& data);
std::string slice_table(data_folder& data);
std::string machine_table(data_folder& data);
std::string price_table(data_folder& data);
std::string other_price_table(data_folder& data);
std::string gpu_table(data_folder& data);
std::string lifetime_table(data_folder& data);
std::string zone_table(data_folder& data);
std::string transfer_table(data_folder& data);
std::string defaults_table(data_folder& data);
std::string offer_table(data_folder& data);
std::string service_chip_table(data_folder& data);
/// @}

}  // namespace generate

#endif
