#!/usr/bin/env bash
# functions.sh COMPILER SOURCE FLAG…: how many functions between JSON and the structs g++ makes for a program that reads
# a plan_request and writes a plan_answer (-O0). Fails where there are more than the budget: each costs 2 ms or more.
# Seconds are in benchmarks/NOTES.md.
set -euo pipefail
compiler=$1 source=$2
budget=720

if [[ $compiler == *-NOTFOUND ]]; then
  echo "no g++"
  exit 77
fi

object=$(mktemp)
trap 'rm -f "$object"' EXIT
"$compiler" -std=c++17 -O0 "${@:3}" -c "$source" -o "$object"
count=$(nm -C --defined-only "$object" |
  grep -cE ' W .*(json_form|json_builder|json_sink|json_place|fields_of|fields_(reader|writer)|read_json|write_json|(read|written)_field|(read|write)_values)')
echo "$count functions between JSON and structs, budget $budget"
((count > 100 && count <= budget))
