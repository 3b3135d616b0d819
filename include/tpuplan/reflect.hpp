#ifndef TPUPLAN_REFLECT_HPP
#define TPUPLAN_REFLECT_HPP

#include <tpuplan/reflect/types.hpp>

/// @file
/// The names of all public types, fields and enumerators (reflect/types.inc), and how a program adds its own:
/// `TPUPLAN_FIELDS(my::step, wall, loss)` for a struct, `TPUPLAN_NAMED(my::kind)` for an enumeration that has names.

#endif
