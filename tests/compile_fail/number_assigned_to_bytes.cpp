// expect: conversion from 'double'
// expect: bytes
#include <tpuplan/base/units.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr bytes capacity = 16e9;
#else
constexpr bytes capacity = 16_GB;
#endif
static_assert(capacity > 0_B);
