#ifndef TPUPLAN_JSON_TEXT_HPP
#define TPUPLAN_JSON_TEXT_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/sink.hpp>
#include <vector>

/// @file
/// A document as text, step by step, with no tree of values between.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A finite number as nlohmann_json writes it: few digits that read back as the same double, with a point or an
/// exponent, so that no reader takes it for an integer. Worked: 0.1, 16.0, 1e+20.
[[nodiscard]] inline std::string number_as_json(double x) {
  char digits[40] = {};
  return {digits, nlohmann::detail::to_chars(digits, digits + sizeof(digits), x)};
}

/// Writes the steps of a document, each value on a line of its own where `indent` is not negative.
class json_text_builder {
 public:
  explicit json_text_builder(int indent) noexcept : indent_{indent} {}

  [[nodiscard]] json_sink sink() noexcept {
    return {this, [](void* writer, const json_step& step) { static_cast<json_text_builder*>(writer)->take(step); }};
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void take(const json_step& step) {
    using kind = json_step::kind;
    switch (step.what) {
      case kind::null: return value("null");
      case kind::flag: return value(step.flag ? "true" : "false");
      case kind::whole: return value(std::to_string(step.whole));
      case kind::count: return value(std::to_string(step.count));
      case kind::number: return value(number_as_json(step.number));
      case kind::text: next(); return quote(step.text);
      case kind::begin_array: return begin('[', ']');
      case kind::begin_object: return begin('{', '}');
      case kind::key:
        next();
        quote(step.text);
        text_ += indent_ < 0 ? ":" : ": ";
        after_key_ = true;
        return;
      case kind::end: return end();
    }
  }

  void value(std::string_view words) {
    next();
    text_ += words;
  }
  void begin(char opening, char closing) {
    next();
    text_ += opening;
    open_.push_back({closing, true});
  }
  void end() {
    const level ended = open_.back();
    open_.pop_back();
    if (!ended.empty) line();
    text_ += ended.closing;
  }
  /// What stands before a value or a key.
  void next() {
    if (!after_key_ && !open_.empty()) {
      if (!open_.back().empty) text_ += ',';
      open_.back().empty = false;
      line();
    }
    after_key_ = false;
  }
  void line() {
    if (indent_ < 0) return;
    text_ += '\n';
    text_.append(open_.size() * static_cast<std::size_t>(indent_), ' ');
  }
  void quote(std::string_view words) {
    constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt", hex = "0123456789abcdef";
    text_ += '"';
    for (const char c : words) {
      const auto code = static_cast<unsigned char>(c);
      if (const std::size_t at = escaped.find(c); at != std::string_view::npos) {
        text_ += '\\';
        text_ += letters[at];
      } else if (code < ' ') {
        text_ += code < 16 ? "\\u000" : "\\u001";
        text_ += hex[code % 16];
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  struct level {
    char closing;
    bool empty;
  };
  int indent_;
  bool after_key_ = false;
  std::vector<level> open_{};
  std::string text_{};
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
