#!/usr/bin/env bash
# run.sh MUTATE SOURCE_DIR BUILD_DIR WORK_DIR COMPILER CMAKE CONFIG COUNT SEED PERMILLE
#
# Draws COUNT changes over all headers, builds the unit tests, the oracles and the command-line program once with all of
# them behind switches, and asks for each one the cases that reach it; those that pass are asked of the static tests of
# their header. Fails where more than PERMILLE of 1000 changes are noticed by none.
set -uo pipefail
mutate=$1 source_dir=$2 build_dir=$3 work=$4 compiler=$5 cmake=$6 config=$7 count=$8 seed=$9 permille=${10}
here=$source_dir/tests/mutation
parts=$(nproc)
mkdir -p "$work"
rm -f "$work/dropped" "$work"/*.results
flags=(-std=c++17 -w -Wno-narrowing "-I$work/include" "-I$source_dir/tests" "-I$source_dir/tools" -include "$here/switch.hpp")

draw() { "$mutate" draw "$source_dir/include" "$work" "$count" "$seed" "$here/equivalent.txt" || exit 1; }
drop() { "$mutate" drop "$work" "$1" || { head -50 "$1"; exit 1; }; draw; }

draw
# A place that does not compile with a switch is replaced by the next: what all headers say first, then the tests.
for header in $(cd "$source_dir/include" && find tpuplan -name '*.hpp' | sort); do echo "#include <$header>"; done \
  > "$work/all.cpp"
until "$compiler" "${flags[@]}" -fsyntax-only -fmax-errors=0 "$work/all.cpp" 2> "$work/errors"; do drop "$work/errors"; done
until "$cmake" --build "$build_dir" --config "$config" --target tpuplan_unit_mutated tpuplan_oracle_mutated \
  tpuplan_cli_mutated > "$work/build.log" 2>&1; do drop "$work/build.log"; done

left=$(cut -f1 "$work/mutants")
for kind in unit oracle; do
  program=$(cat "$work/tpuplan_${kind}_mutated.path")
  scratch=$work/$kind
  mkdir -p "$scratch" && cd "$scratch" || exit 1
  TMPDIR=$scratch "$program" baseline "$work/$kind.baseline" > "$work/$kind.log" ||
    { tail -40 "$work/$kind.log"; exit 1; }
  tail -1 "$work/$kind.log"
  for ((part = 0; part < parts; ++part)); do
    mkdir -p "$scratch/$part"
    # shellcheck disable=SC2086
    (cd "$scratch/$part" && TMPDIR=$PWD "$program" judge "$work/$kind.baseline" "$work/$kind.$part.results" $part $parts $left) &
  done
  wait
  killed=$(cat "$work/$kind".*.results | sed -n 's/^killed \([0-9]*\).*/\1/p')
  left=$(comm -23 <(sort <<< "$left") <(sort <<< "$killed"))
done

program=$(cat "$work/tpuplan_cli_mutated.path")
commands() { bash "$here/commands.sh" "$source_dir" "$work" "$program" "$@"; }
commands baseline
for ((part = 0; part < parts; ++part)); do
  # shellcheck disable=SC2046
  commands judge "$work/cli.$part.results" $(awk -v part=$part -v parts="$parts" 'NR % parts == part' <<< "$left") &
done
wait
killed=$(cat "$work/cli".*.results | sed -n 's/^killed \([0-9]*\).*/\1/p')
left=$(comm -23 <(sort <<< "$left") <(sort <<< "$killed"))

# What the compiler evaluates alone is noticed by the static tests, which fail with the change in force.
asked() {
  local number=$1 file name test said
  file=$(awk -F'\t' -v n="$number" '$1 == n {print $2}' "$work/mutants")
  name=${file%.hpp}
  for test in "$source_dir/tests/static/$name".cpp "$source_dir/tests/static/${name}"_*.cpp; do
    [[ -e $test ]] || continue
    said=$("$compiler" "${flags[@]}" "-DTPUPLAN_DATA_DIR=\"$source_dir/data\"" "-DTPUPLAN_MUTATION_ON=$number" \
      -fsyntax-only "$test" 2>&1) && continue
    if [[ $said == *nothing_to_change* ]]; then echo "void $number"; else echo "killed $number $test"; fi
    return
  done
}
for ((part = 0; part < parts; ++part)); do
  for number in $(awk -v part=$part -v parts="$parts" 'NR % parts == part' <<< "$left"); do asked "$number"; done > "$work/static.$part.results" &
done
wait
"$mutate" report "$work" "$count" "$permille" "$work"/*.results
