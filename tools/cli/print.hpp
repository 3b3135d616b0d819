#ifndef TPUPLAN_CLI_PRINT_HPP
#define TPUPLAN_CLI_PRINT_HPP

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/show/view.hpp>
#include <utility>

// What the program writes: numbers for people, words in bold, documents for programs. An answer is written when it is
// whole, so that a refusal leaves nothing behind.
namespace cli {

using ordered_json = nlohmann::ordered_json;
using tpuplan::readable::binary_bytes;
using tpuplan::readable::count;
using tpuplan::readable::counted;
using tpuplan::readable::duration;
using tpuplan::readable::duration_range;
using tpuplan::readable::grouped;
using tpuplan::readable::money;
using tpuplan::readable::percent;
using tpuplan::readable::used_of;

/// How an answer is written. Of csv only the tables are.
struct output_form {
  enum class kind : unsigned char { text, csv, markdown } of = kind::text;
  bool wide = false;     // tables may be wider than the terminal
  bool has_csv = false;  // a table was written as csv: there is one in an answer
  std::string picture;   // the file for it, if one is wanted
};
output_form& form();

/// Whether the terminal shows colour and weight; not where NO_COLOR is set.
bool coloured();
/// The columns that a table may take: those of the terminal, or as COLUMNS says, and 80 at least.
std::size_t columns();

/// Adds to the answer. Control characters of names and files are shown as "?".
void write_words(std::string_view words);
/// Adds a file or a script as it is: what is not shown on a terminal keeps its tabs and other control characters.
void write_file(std::string_view text);
/// Adds the lines of a view, whose control characters are gone.
void write_form(std::string_view lines);
/// Writes an SVG picture to the file of --svg.
void write_picture(const std::string& svg);
/// One document.
void print_json(const ordered_json& document);
/// A document on a line of its own.
void print_line(const std::string& document);

/// Writes what was printed since the last time to standard output; false where that cannot be written.
bool flush_answer();
/// Writes a line to standard error, if that can be written.
void write_error(std::string_view words);

/// A word of a command line, quoted where a shell would read it differently.
std::string shell_quoted(std::string_view word);

/// "tpuplan 0.1.0, chips of 2026-11, prices of 2026-10".
std::string version_line();

/// The value of an optional figure, or null.
template <class Optional>
ordered_json or_null(const Optional& figure) {
  return figure ? ordered_json(*figure) : ordered_json(nullptr);
}

}  // namespace cli

#endif
