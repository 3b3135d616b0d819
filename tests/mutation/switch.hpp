#ifndef TPUPLAN_TESTS_MUTATION_SWITCH_HPP
#define TPUPLAN_TESTS_MUTATION_SWITCH_HPP

// What the changed places of a copy of the headers call: the original, or at run time the one change that is in force.
// In constant evaluation the original holds, unless TPUPLAN_MUTATION_ON is the number of a change: then it holds
// everywhere, for tests that the compiler makes. Each place that is asked at run time is put on record.
//
// Of a program as users run it the environment says which change is in force (TPUPLAN_MUTATION) and to which file the
// places go that it asked (TPUPLAN_MUTATION_RECORD): "7", or "7v" where there was nothing to change.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>

namespace tpuplan_mutation {

inline constexpr int most = 8192;             // changes in one copy
inline unsigned char reached[most + 1] = {};  // 1: asked; 2: asked, and nothing to change in what is there

inline int from_environment() {
  const char* number = std::getenv("TPUPLAN_MUTATION");
  return number != nullptr ? std::atoi(number) : 0;
}
inline int active = from_environment();  // the change in force; 0: none

struct at_exit {
  ~at_exit() {
    const char* record = std::getenv("TPUPLAN_MUTATION_RECORD");
    std::FILE* file = record != nullptr ? std::fopen(record, "a") : nullptr;
    if (file == nullptr) return;
    for (int i = 1; i <= most; ++i)
      if (reached[i] != 0) std::fprintf(file, reached[i] == 1 ? "%d\n" : "%dv\n", i);
    std::fclose(file);
  }
};
inline at_exit recorded;

template <int Id>
bool ask() {
  static_assert(0 < Id && Id <= most);
  reached[Id] |= 1;
  return active == Id;
}

template <int Id>
constexpr bool on() {
#ifdef TPUPLAN_MUTATION_ON
  return Id == TPUPLAN_MUTATION_ON;
#else
  return __builtin_is_constant_evaluated() ? false : ask<Id>();
#endif
}

/// A value of a type that has no other: a text, a list. A test that the compiler makes does not compile where it asks
/// such a place, and run.sh finds this name in what the compiler says.
void nothing_to_change();
template <int Id>
bool leave() {
  reached[Id] |= 2;
  return false;
}
template <int Id>
constexpr bool unchanged() {
#ifdef TPUPLAN_MUTATION_ON
  if (Id == TPUPLAN_MUTATION_ON) nothing_to_change();
  return false;
#else
  return __builtin_is_constant_evaluated() ? false : leave<Id>();
#endif
}

/// A number in place of another.
template <int Id, class A, class B>
constexpr A pick(A was, B became) {
  return on<Id>() ? static_cast<A>(became) : was;
}

template <class A>
inline constexpr bool is_whole = std::is_integral_v<A> || std::is_enum_v<A>;

template <class A, class B, class = void>
struct difference {
  using type = void;
};
template <class A, class B>
struct difference<A, B, std::void_t<decltype(std::declval<const A&>() - std::declval<const B&>())>> {
  using type = decltype(std::declval<const A&>() - std::declval<const B&>());
};
template <class A, class B, class = void>
struct sum {
  using type = void;
};
template <class A, class B>
struct sum<A, B, std::void_t<decltype(std::declval<const A&>() + std::declval<const B&>())>> {
  using type = decltype(std::declval<const A&>() + std::declval<const B&>());
};
template <class A, class B, class = void>
struct product {
  using type = void;
};
template <class A, class B>
struct product<A, B, std::void_t<decltype(std::declval<const A&>() * std::declval<const B&>())>> {
  using type = decltype(std::declval<const A&>() * std::declval<const B&>());
};
template <class A, class B, class = void>
struct ratio {
  using type = void;
};
template <class A, class B>
struct ratio<A, B, std::void_t<decltype(std::declval<const A&>() / std::declval<const B&>())>> {
  using type = decltype(std::declval<const A&>() / std::declval<const B&>());
};

/// Twice what is there, where an operator has no other of the same type (a rate times a time is no rate over a time).
template <int Id, class T>
constexpr T doubled(const T& value) {
  if constexpr (std::is_same_v<typename sum<T, T>::type, T>) return on<Id>() ? value + value : value;
  (void)unchanged<Id>();
  return value;
}

// `a < b` becomes `a < less<7>{} < b`: as strong as the operator itself, so that no parentheses are needed.
#define TPUPLAN_MUTATION_OPERATOR(NAME, SIGN)                        \
  template <int Id>                                                  \
  struct NAME {};                                                    \
  template <int Id, class A>                                         \
  struct held_##NAME {                                               \
    const A& a;                                                      \
  };                                                                 \
  template <int Id, class A>                                         \
  constexpr held_##NAME<Id, A> operator SIGN(const A& a, NAME<Id>) { \
    return {a};                                                      \
  }
TPUPLAN_MUTATION_OPERATOR(less, <)
TPUPLAN_MUTATION_OPERATOR(at_most, <=)
TPUPLAN_MUTATION_OPERATOR(more, >)
TPUPLAN_MUTATION_OPERATOR(at_least, >=)
TPUPLAN_MUTATION_OPERATOR(equal, ==)
TPUPLAN_MUTATION_OPERATOR(different, !=)
TPUPLAN_MUTATION_OPERATOR(plus, +)
TPUPLAN_MUTATION_OPERATOR(minus, -)
TPUPLAN_MUTATION_OPERATOR(times, *)
TPUPLAN_MUTATION_OPERATOR(over, /)
TPUPLAN_MUTATION_OPERATOR(modulo, %)
#undef TPUPLAN_MUTATION_OPERATOR

// A bound of whole numbers moves by one; of others, which hardly ever meet it, the comparison turns round.
#define TPUPLAN_MUTATION_COMPARISON(NAME, SIGN, OTHER)                \
  template <int Id, class A, class B>                                 \
  constexpr bool operator SIGN(held_##NAME<Id, A> left, const B& b) { \
    if constexpr (is_whole<A> && is_whole<B>)                         \
      return on<Id>() ? left.a OTHER b : left.a SIGN b;               \
    else                                                              \
      return on<Id>() ? !(left.a SIGN b) : left.a SIGN b;             \
  }
TPUPLAN_MUTATION_COMPARISON(less, <, <=)
TPUPLAN_MUTATION_COMPARISON(at_most, <=, <)
TPUPLAN_MUTATION_COMPARISON(more, >, >=)
TPUPLAN_MUTATION_COMPARISON(at_least, >=, >)
TPUPLAN_MUTATION_COMPARISON(equal, ==, !=)
TPUPLAN_MUTATION_COMPARISON(different, !=, ==)
#undef TPUPLAN_MUTATION_COMPARISON

template <int Id, class A, class B>
constexpr auto operator+(held_plus<Id, A> left, const B& b) {
  using result = decltype(left.a + b);
  if constexpr (std::is_same_v<typename difference<A, B>::type, result>)
    return on<Id>() ? left.a - b : left.a + b;
  else
    return (void)unchanged<Id>(), left.a + b;
}
template <int Id, class A, class B>
constexpr auto operator-(held_minus<Id, A> left, const B& b) {
  using result = decltype(left.a - b);
  if constexpr (std::is_same_v<typename sum<A, B>::type, result>)
    return on<Id>() ? left.a + b : left.a - b;
  else
    return (void)unchanged<Id>(), left.a - b;
}
template <int Id, class A, class B>
constexpr auto operator*(held_times<Id, A> left, const B& b) {
  using result = decltype(left.a * b);
  if constexpr (std::is_same_v<typename ratio<A, B>::type, result>)
    return on<Id>() ? left.a / b : left.a * b;
  else
    return doubled<Id>(left.a * b);
}
template <int Id, class A, class B>
constexpr auto operator/(held_over<Id, A> left, const B& b) {
  using result = decltype(left.a / b);
  if constexpr (std::is_same_v<typename product<A, B>::type, result>)
    return on<Id>() ? left.a * b : left.a / b;
  else
    return doubled<Id>(left.a / b);
}
template <int Id, class A, class B>
constexpr auto operator%(held_modulo<Id, A> left, const B& b) {
  return on<Id>() ? left.a / b : left.a % b;
}

/// What is added or taken away: nothing instead.
template <int Id, class T>
constexpr T added(const T& value) {
  if constexpr (std::is_pointer_v<T>)
    return (void)unchanged<Id>(), value;
  else
    return on<Id>() ? T{} : value;
}
template <int Id, class T, std::size_t N>
constexpr const T (&added(const T (&value)[N]))[N] {
  return (void)unchanged<Id>(), value;
}
/// A factor or divisor: one instead.
template <int Id, class T>
constexpr T factor(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return on<Id>() ? T{1} : value;
  else
    return (void)unchanged<Id>(), value;
}

template <int Id, class T>
constexpr bool negated(const T& condition) {
  return on<Id>() ? !static_cast<bool>(condition) : static_cast<bool>(condition);
}

/// A number that is returned: larger by one or by an eighth; a truth: the other; a quantity: twice as much.
template <int Id, class T>
constexpr decltype(auto) returned(T&& value) {
  using plain = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_same_v<plain, bool>)
    return plain(on<Id>() ? !value : value);
  else if constexpr (std::is_integral_v<plain>)
    return plain(on<Id>() ? static_cast<plain>(value + 1) : value);
  else if constexpr (std::is_floating_point_v<plain>)
    return plain(on<Id>() ? (value == 0 ? plain{1} : value * plain{1.125}) : value);
  else if constexpr (std::is_same_v<typename ratio<plain, plain>::type, double>)
    return plain(doubled<Id>(value));
  else
    return (void)unchanged<Id>(), static_cast<T&&>(value);
}

template <int Id, class T>
constexpr T smaller(const T& a, const T& b) {
  return on<Id>() ? (a < b ? b : a) : (b < a ? b : a);
}
template <int Id, class T>
constexpr T larger(const T& a, const T& b) {
  return on<Id>() ? (b < a ? b : a) : (a < b ? b : a);
}
template <int Id, class T>
constexpr T smaller(std::initializer_list<T> list) {
  T found = *list.begin();
  for (const T& each : list) found = on<Id>() ? (found < each ? each : found) : (each < found ? each : found);
  return found;
}
template <int Id, class T>
constexpr T larger(std::initializer_list<T> list) {
  T found = *list.begin();
  for (const T& each : list) found = on<Id>() ? (each < found ? each : found) : (found < each ? each : found);
  return found;
}
template <int Id>
constexpr double smaller_number(double a, double b) {
  return on<Id>() ? std::fmax(a, b) : std::fmin(a, b);
}
template <int Id>
constexpr double larger_number(double a, double b) {
  return on<Id>() ? std::fmin(a, b) : std::fmax(a, b);
}

}  // namespace tpuplan_mutation

#endif
