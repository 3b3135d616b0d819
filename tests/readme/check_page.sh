#!/usr/bin/env bash
# check_page.sh PAGE SOURCE_DIR COMPILER PROGRAM WORK_DIR [renew]
# Holds the blocks of a Markdown page against what they print. A ```text block is the output of what stands before it:
#   ```cpp                             a program, compiled with the headers of include/ and tools/ alone
#   ```sh that starts with "tpuplan "  a command, which may be a pipe; without a ```text block it has to succeed
#   <!-- output of: tpuplan ... -->    a command that the page does not show
# A block after <!-- file: NAME --> becomes that file, in the folder where the commands run; data/ is there too.
# With `renew` the ```text blocks are rewritten instead. Without a COMPILER ("") programs are passed over.
set -u
export SOURCE_DATE_EPOCH=1795305600  # 2026-11-22: answers say how old prices are
page=$1 source_dir=$2 compiler=$3 program=$4 name=$(basename "$1" .md) renew=${6:-}
work=$5/$name
rm -rf "$work" && mkdir -p "$work" && ln -s "$source_dir/data" "$work/data" || exit 1
# Makes of each block a file NN.cpp, NN.command or NN.expected; `ranges` has the lines of each text block.
awk -v work="$work" '
  function base() { return work "/" sprintf("%02d", n) }
  function fail(words) { print FILENAME ":" NR ": " words; bad = 1 }
  /^<!-- output of: tpuplan .* -->$/ { command = substr($0, 17, length($0) - 20); next }
  /^<!-- file: .* -->$/ { target = work "/" substr($0, 12, length($0) - 15); next }
  kind != "" && /^```$/ {
    if (kind == "text") print started, NR, base() ".got" > (work "/ranges")
    kind = file = ""
    next
  }
  kind == "" && /^```/ {
    kind = $0 == "```" ? "plain" : substr($0, 4)
    if (target != "") { file = target; target = "" }
    else if (kind == "cpp") { ++n; file = base() ".cpp"; awaited = 1 }
    else if (kind == "text") {
      if (command != "") { ++n; print command > (base() ".command"); command = "" }
      else if (!awaited) fail("nothing prints this text")
      file = base() ".expected"; awaited = 0; started = NR
    }
    else awaited = 0
    if (file != "") printf "" > file
    next
  }
  kind == "sh" && file == "" && /^tpuplan / { ++n; file = base() ".command"; awaited = 1 }
  file != "" { print > file }
  END { exit bad }
' "$page" || exit 1

tpuplan() { "$program" "$@"; }
failed=0
for source in "$work"/[0-9][0-9].{cpp,command}; do
  [[ -e $source ]] || continue
  [[ -n $compiler || $source == *.command ]] || continue
  base=${source%.*}
  if [[ $source == *.cpp ]]; then
    "$compiler" -std=c++17 -I"$source_dir/include" -I"$source_dir/tools" "$source" -o "$base.run" >"$base.log" 2>&1 && (cd "$work" && "$base.run") >"$base.got" 2>&1
  else
    (cd "$work" && set -o pipefail && eval "$(cat "$source")") >"$base.got" 2>&1
  fi
  status=$?
  if [[ ! -e $base.expected ]]; then
    [[ $source == *.command ]] || { echo "$page: block $(basename "$source") shows no output" && failed=1; }
    [[ $status == 0 ]] || { cat "$base".log "$base.got" 2>/dev/null; echo "$page: $(cat "$source") fails" && failed=1; }
  elif [[ ! -e $base.got ]]; then
    cat "$base.log"; echo "$page: block $(basename "$source") does not compile" && failed=1
  elif [[ -z $renew ]] && ! diff -u "$base.expected" "$base.got"; then
    echo "$page: block $(basename "$source") prints something else" && failed=1
  fi
done
if [[ $renew == renew && $failed == 0 && -e $work/ranges ]]; then
  awk 'NR == FNR { end[$1] = $2; file[$1] = $3; next }
    FNR in end { print; while ((getline line < file[FNR]) > 0) print line; skip = end[FNR] }
    FNR >= skip' "$work/ranges" "$page" >"$work/page" && cat "$work/page" >"$page" || exit 1
fi
exit $failed
