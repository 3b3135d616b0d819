# insert LIST FILE ROWS: puts the rows at the end of that list of the file, one level below its top.
insert() {
  awk -v list="^ \"$1\": \\\\[\$" -v rows="$3" '
    $0 ~ list { inside = 1 }
    inside && /^ \]/ {
      last = last ","
      while ((getline row < rows) > 0) last = last "\n" row
      inside = 0
      found = 1
    }
    NR > 1 { print last }
    { last = $0 }
    END { print last; exit !found }' "$2" >"$2.new"
  mv "$2.new" "$2"
}
