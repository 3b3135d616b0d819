#!/usr/bin/env bash
# question.sh COMPILER ROOT FOLDER INCLUDE: a question is added to a copy of the headers, as docs/change.md says: its header
# in ask/ and its row in ask.hpp. `ask`, the schema and all that is made from it know it then. INCLUDE is the folder of
# nlohmann_json.
set -eu
compiler=$1 root=$2 copy=$3/question include=$4
here=$root/tests/change
rm -rf "$copy" && mkdir -p "$copy"
cp -r "$root/include" "$copy"
cp "$here/question.hpp" "$copy/include/tpuplan/ask/replicas.hpp"
door=$copy/include/tpuplan/ask.hpp
awk '{ print }
  /^#include <tpuplan\/ask\/answers.hpp>$/ { print "#include <tpuplan/ask/replicas.hpp>" }
  /^inline constexpr question questions\[\] = \{$/ {
    print "    question_of<replicas_request, replicas_answer>(\"replicas\", \"How many replicas has a slice?\", {{replica_rows}},"
    print "                                                   plain_answer<replicas_request>),"
  }' "$root/include/tpuplan/ask.hpp" >"$door"

changed=$(diff -rq "$root/include" "$copy/include" | wc -l)
[[ $changed -le 3 ]] || { echo "$changed files were edited" && exit 1; }
"$compiler" -std=c++17 -O0 -I"$copy/include" -idirafter "$include" "$here/question.cpp" -o "$copy/question"
"$copy/question"
