#!/usr/bin/env bash
# run_session.sh CLANG_REPL STANDARD INCLUDE_DIR SESSION: types SESSION into clang-repl. Its lines that begin with OK must be
# those that the session expects in comments "// CHECK: OK ..."; any diagnostic is a failure, for the exit status is not.
set -uo pipefail
repl=$1 standard=$2 include_dir=$3 session=$4

if [[ $repl == *-NOTFOUND ]]; then
  echo "no clang-repl from 19 on"
  [[ -n ${CI:-} ]] && exit 1
  exit 77
fi

output=$("$repl" "-Xcc=-std=$standard" "-Xcc=-I$include_dir" -Xcc=-Wno-unused-result < "$session" 2>&1)
status=$?
diagnostics=$(grep -E 'error:|warning:|JIT session error|Failed to materialize' <<< "$output")
wanted=$(sed -n 's|^// CHECK: ||p' "$session")
got=$(grep '^OK ' <<< "$output")

if [[ $status != 0 || -n $diagnostics || -z $wanted || $got != "$wanted" ]]; then
  printf 'FAIL, exit status %s\n--- diagnostics\n%s\n--- wanted\n%s\n--- got\n%s\n' \
    "$status" "$diagnostics" "$wanted" "$got"
  exit 1
fi
printf 'PASS %s %s: %s checks\n' "$(basename "$repl")" "$standard" "$(wc -l <<< "$wanted")"
