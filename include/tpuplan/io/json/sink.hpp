#ifndef TPUPLAN_IO_JSON_SINK_HPP
#define TPUPLAN_IO_JSON_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/error.hpp>
#include <tpuplan/io/json/number.hpp>
#include <utility>
#include <vector>

/// @file
/// Between the values of the library and the types of nlohmann_json: where a value stands, and what takes it. The code
/// that writes a struct is compiled once, whichever type of JSON it becomes.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Where a value stands, kept on the stack; a refusal spells it out: "plan.costs[3].total_usd".
struct json_place {
  const json_place* above;
  std::string_view key;
  std::size_t index;

  [[nodiscard]] std::string text() const {
    if (above == nullptr) return std::string(key);
    return index == no_index ? joined({above->text(), ".", key})
                             : joined({above->text(), "[", std::to_string(index), "]"});
  }
  static constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();
  [[nodiscard]] json_place under(std::string_view name) const noexcept { return {this, name, no_index}; }
  [[nodiscard]] json_place under(std::size_t place) const noexcept { return {this, {}, place}; }

  [[noreturn]] void refuse(errc code, const nlohmann::json& given, std::string_view valid) const {
    fail(code, text(), shown_json(given), valid);
  }
};

/// Takes a document value by value, in the order in which it is read.
class json_sink {
 public:
  json_sink() = default;
  json_sink(const json_sink&) = delete;
  json_sink& operator=(const json_sink&) = delete;

  virtual void null() = 0;
  virtual void flag(bool x) = 0;
  virtual void whole(std::int64_t x) = 0;
  virtual void count(std::uint64_t x) = 0;
  virtual void number(double x) = 0;
  virtual void text(std::string_view x) = 0;  ///< in UTF-8
  virtual void begin_array() = 0;
  virtual void begin_object() = 0;
  virtual void key(std::string_view x) = 0;  ///< of the value that comes next
  virtual void end() = 0;                    ///< of the array or object begun last

 protected:
  ~json_sink() = default;
};

/// Builds a nlohmann::json or a nlohmann::ordered_json.
template <class Json>
class json_builder final : public json_sink {
 public:
  explicit json_builder(Json& root) noexcept : next_{&root} {}

  void null() override { *place() = Json(); }
  void flag(bool x) override { put(Json::value_t::boolean, x); }
  void whole(std::int64_t x) override { put(Json::value_t::number_integer, x); }
  void count(std::uint64_t x) override { put(Json::value_t::number_unsigned, x); }
  void number(double x) override { put(Json::value_t::number_float, x); }
  void text(std::string_view x) override { put(Json::value_t::string, std::string(x)); }
  void begin_array() override { begin(Json::value_t::array); }
  void begin_object() override { begin(Json::value_t::object); }
  void key(std::string_view x) override { next_ = &(*open_.back())[std::string(x)]; }
  void end() override { open_.pop_back(); }

 private:
  Json* place() {
    if (next_ != nullptr) return std::exchange(next_, nullptr);
    open_.back()->push_back(Json());
    return &open_.back()->back();
  }
  template <class Value>
  void put(typename Json::value_t kind, Value x) {
    Json value(kind);
    *value.template get_ptr<Value*>() = std::move(x);
    *place() = std::move(value);
  }
  void begin(typename Json::value_t kind) {
    Json* const value = place();
    *value = Json(kind);
    open_.push_back(value);
  }

  std::vector<Json*> open_{};
  Json* next_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
