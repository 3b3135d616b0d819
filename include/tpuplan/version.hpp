#ifndef TPUPLAN_VERSION_HPP
#define TPUPLAN_VERSION_HPP

/// @file
/// The version of tpuplan. CMake reads it from here: it is written nowhere else.

/// The first number of the version.
#define TPUPLAN_VERSION_MAJOR 0
/// The second.
#define TPUPLAN_VERSION_MINOR 1
/// The third.
#define TPUPLAN_VERSION_PATCH 0

#endif
