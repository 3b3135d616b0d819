#ifndef TPUPLAN_TESTS_RELATIONS_RELATIONS_HPP
#define TPUPLAN_TESTS_RELATIONS_RELATIONS_HPP

#include "relations/compare.hpp"

namespace relations {

#define RELATION(name, questions, sweep, words) void name(relation& r);
#include "relations/relations.inc"
#undef RELATION

}  // namespace relations

#endif
