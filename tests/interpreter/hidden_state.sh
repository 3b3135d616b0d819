#!/usr/bin/env bash
# hidden_state.sh INCLUDE_DIR: what a header must not have, because some interpreter breaks on it without a word or for the
# rest of the session. Each pattern is for grep -P; the sessions hold the rest.
set -uo pipefail
include_dir=$1
found=0
refuse() {  # PATTERN REASON
  local lines
  lines=$(grep -rnP "$1" "$include_dir") || return 0
  printf '%s\n  %s\n' "$lines" "$2"
  found=1
}
refuse '(^|\{)\s*static (?!constexpr|_cast)(?!.*\()' 'a static variable: each cell has its own, and a static const member has no address'
refuse '^namespace \{' 'an unnamed namespace: each cell has its own'
refuse '\bthread_local\b|\bmutable\b' 'state that changes'
refuse '^inline (?!constexpr)[^(]*(=|\{\}?;)' 'a variable that can change'
refuse '#pragma once' 'guards hold for a copy at another path, this does not'
refuse 'operator"" ' 'deprecated since clang 20: no space'
refuse '\bvirtual\b|FMT_HEADER_ONLY|#pragma omp' 'definitions that need a library, or that an interpreter makes twice'
if [[ $(grep -rlE '^#error' "$include_dir" | sort | xargs -r -n1 basename | tr '\n' ' ') != 'math.hpp units.hpp core.hpp number.hpp check.hpp tpuplan.hpp ' ]]; then
  grep -rnE '^#error' "$include_dir"
  echo '  an include that fails ends the session: #error only before anything is read'
  found=1
fi
exit $found
