#ifndef TPUPLAN_VERSION_HPP
#define TPUPLAN_VERSION_HPP

/// @file
/// The version of tpuplan. CMake reads it from here: it is written nowhere else.

#define TPUPLAN_VERSION_MAJOR 0
#define TPUPLAN_VERSION_MINOR 1
#define TPUPLAN_VERSION_PATCH 0

#endif
