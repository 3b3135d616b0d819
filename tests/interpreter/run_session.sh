#!/usr/bin/env bash
# run_session.sh CLANG_REPL STANDARD INCLUDE_DIR SESSION: types SESSION into clang-repl. Its lines that begin with OK must be
# those that the session expects in comments "// CHECK: OK ...". Its diagnostics must contain what the session expects in
# comments "// ERROR: ...", one each; any other is a failure, for the exit status is not.
set -uo pipefail
repl=$1 standard=$2 include_dir=$3 session=$4

if [[ $repl == *-NOTFOUND ]]; then
  echo "no clang-repl from 19 on"
  [[ -n ${CI:-} ]] && exit 1
  exit 77
fi

stand_in=$(dirname "$0")/stand_in
flags=(-Xcc=-Wno-unused-result)
output=$("$repl" "-Xcc=-std=$standard" "-Xcc=-I$include_dir" "-Xcc=-I$stand_in" "${flags[@]}" < "$session" 2>&1)
status=$?
diagnostics=$(grep -E '(error|warning): |JIT session error|Failed to materialize' <<< "$output" |
  grep -v '^error: Parsing failed\.$')
errors=$(sed -n 's|^// ERROR: ||p' "$session")
wanted=$(sed -n 's|^// CHECK: ||p' "$session")
got=$(grep '^OK ' <<< "$output")

# Whether the diagnostics are the expected ones, in their order.
expected_errors() {
  [[ $(grep -c . <<< "$diagnostics") == "$(grep -c . <<< "$errors")" ]] || return 1
  while IFS= read -r found <&3 && IFS= read -r part <&4; do
    [[ $found == *"$part"* ]] || return 1
  done 3<<< "$diagnostics" 4<<< "$errors"
}

if [[ $status != 0 || -z $wanted || $got != "$wanted" ]] || ! expected_errors; then
  printf 'FAIL, exit status %s\n--- diagnostics\n%s\n--- wanted\n%s\n--- got\n%s\n' \
    "$status" "$diagnostics" "$wanted" "$got"
  exit 1
fi
printf 'PASS %s %s: %s checks\n' "$(basename "$repl")" "$standard" "$(wc -l <<< "$wanted")"
