#!/usr/bin/env bash
# check_readme.sh SOURCE_DIR COMPILER PROGRAM WORK_DIR
# Every ```cpp block compiles, and prints what the ```text block after it says. Every ```text block after a line
# <!-- output of: tpuplan ... --> is what that command prints.
set -u
source_dir=$1 compiler=$2 program=$3 work=$4/blocks
rm -rf "$work" && mkdir -p "$work" || exit 1
awk -v work="$work" '
  /^<!-- output of: tpuplan / { sub(/^<!-- output of: tpuplan /, ""); sub(/ -->$/, ""); command = $0; next }
  /^```cpp$/  { kind = "cpp"; file = work "/" sprintf("%02d", ++n) ".cpp"; printf "" > file; next }
  /^```text$/ {
    kind = "text"
    if (command != "") { base = work "/" sprintf("%02d", ++n); print command > (base ".command"); command = "" }
    else base = work "/" sprintf("%02d", n)
    file = base ".expected"; printf "" > file; next
  }
  /^```/      { kind = ""; next }
  kind != ""  { print > file }
' "$source_dir/README.md"
failed=0
shown=0
for expected in "$work"/*.expected; do
  base=${expected%.expected}
  if [[ -e $base.command ]]; then
    (cd "$source_dir" && eval "\"$program\" $(cat "$base.command")") >"$base.got" 2>&1
  else
    "$compiler" -std=c++17 -I"$source_dir/include" "$base.cpp" -o "$base.run" && "$base.run" >"$base.got" 2>&1
  fi
  if ! diff -u "$expected" "$base.got"; then
    echo "README.md: block $(basename "$base") prints something else"
    failed=1
  fi
  shown=$((shown + 1))
done
for program_text in "$work"/*.cpp; do
  [[ -e ${program_text%.cpp}.expected ]] || { echo "README.md: $(basename "$program_text") shows no output"; failed=1; }
done
[[ $shown -ge 5 ]] || { echo "README.md: only $shown blocks found"; failed=1; }
exit $failed
