#ifndef TPUPLAN_JSON_SINK_HPP
#define TPUPLAN_JSON_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/json/number.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// Between the values of the library and the types of nlohmann_json: where a value stands, and what takes it. The code
/// that writes a struct is compiled once, whichever type of JSON it becomes.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The path of a value, kept on the stack; an error spells it out: "plan.costs[3].total_usd".
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

/// One step through a document: a value, or where an array or an object begins or ends.
struct json_step {
  enum class kind : unsigned char { null, flag, whole, count, number, text, begin_array, begin_object, key, end };
  kind what;
  bool flag{false};
  std::int64_t whole{0};
  std::uint64_t count{0};  ///< a number, or how many keys the object has that begins; 0: not known
  double number{0};
  std::string_view text{};  ///< of a text or a key, in UTF-8
};

/// Takes a document step by step, in the order in which it is read, and hands each step to a builder. A function
/// pointer because interpreters may define a class with functions to override twice.
class json_sink {
 public:
  using function = void (*)(void* builder, const json_step& step);
  json_sink(void* builder, function step_taker) noexcept : builder_{builder}, take_{step_taker} {}

  void null() { take({kind::null}); }
  void flag(bool x) { take({kind::flag, x}); }
  void whole(std::int64_t x) { take({kind::whole, false, x}); }
  void count(std::uint64_t x) { take({kind::count, false, 0, x}); }
  void number(double x) { take({kind::number, false, 0, 0, x}); }
  void text(std::string_view x) { take({kind::text, false, 0, 0, 0, x}); }
  void begin_array() { take({kind::begin_array}); }
  void begin_object(std::size_t keys = 0) { take({kind::begin_object, false, 0, keys}); }
  void key(std::string_view x) { take({kind::key, false, 0, 0, 0, x}); }  ///< of the next value
  void end() { take({kind::end}); }                                       ///< of the array or object begun last

 private:
  using kind = json_step::kind;
  void take(const json_step& step) { take_(builder_, step); }

  void* builder_;
  function take_;
};

/// Builds a nlohmann::json or a nlohmann::ordered_json.
template <class Json>
class json_builder {
 public:
  explicit json_builder(Json& root) noexcept : next_{&root} {}

  [[nodiscard]] json_sink sink() noexcept {
    return {this, [](void* builder, const json_step& step) { static_cast<json_builder*>(builder)->take(step); }};
  }

 private:
  void take(const json_step& step) {
    using kind = json_step::kind;
    switch (step.what) {
      case kind::null: *place() = Json(); return;
      case kind::flag: return put(Json::value_t::boolean, step.flag);
      case kind::whole: return put(Json::value_t::number_integer, step.whole);
      case kind::count: return put(Json::value_t::number_unsigned, step.count);
      case kind::number: return put(Json::value_t::number_float, step.number);
      case kind::text: return put(Json::value_t::string, std::string(step.text));
      case kind::begin_array: return begin(Json::value_t::array);
      case kind::begin_object: return begin_object(static_cast<std::size_t>(step.count));
      case kind::key: next_ = &(*open_.back())[std::string(step.text)]; return;
      case kind::end: open_.pop_back(); return;
    }
  }

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

  /// An ordered object that grows copies all that it holds, whole trees included: it gets the room of its keys at once.
  void begin_object(std::size_t keys) {
    begin(Json::value_t::object);
    if constexpr (std::is_same<Json, nlohmann::ordered_json>::value)
      open_.back()->template get_ptr<typename Json::object_t*>()->reserve(keys);
  }

  std::vector<Json*> open_{};
  Json* next_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
