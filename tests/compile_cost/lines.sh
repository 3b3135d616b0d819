#!/usr/bin/env bash
# lines.sh COMPILER INCLUDE_DIR: preprocessed lines of core.hpp and of each header that it includes. Fails where one is over
# the budget.
set -euo pipefail
compiler=$1 include_dir=$2
budget=13500
header_budget=12000

if [[ $compiler == *-NOTFOUND ]]; then
  echo "no g++"
  exit 77
fi

preprocess() { "$compiler" -std=c++17 -E "-I$include_dir" -x c++ "${@:2}" - <<< "#include <$1>"; }

headers=$(preprocess tpuplan/core.hpp | sed -nE "s|^# 1 \"$include_dir/(tpuplan/[^\"]+)\" 1.*|\1|p" | sort -u)
for header in $headers; do
  printf '%6d %s\n' "$(preprocess "$header" -P | wc -l)" "$header"
done | sort -rn | awk -v whole="$budget" -v single="$header_budget" '
  { budget = $2 == "tpuplan/core.hpp" ? whole : single }
  $1 > budget { $0 = $0 "  over the budget of " budget; over = 1 }
  { print }
  END { exit over || NR < 10 }
'
