# Functions that change a copy of the headers, for gate_test and lint_test; to be sourced.
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/../../sdk/include" "$work/include"
abi=$work/include/capstan/abi

fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# change HEADER SED_SCRIPT: applies the script to the header; a script that changes nothing is an
# error.
change() {
    cp "$abi/$1" "$work/before"
    sed -E -i "$2" "$abi/$1"
    if cmp -s "$work/before" "$abi/$1"; then fail "the change to $1 changed nothing: $2"; fi
    diff -U0 "$work/before" "$abi/$1" | tail -n +3 || true
}

# expect_refusal TEXT COMMAND...: the command fails, and says TEXT (a regular expression).
expect_refusal() {
    local status=0
    "${@:2}" >"$work/said" 2>&1 || status=$?
    cat "$work/said"
    ((status == 1)) || fail "expected a refusal (exit 1), got exit $status"
    grep -qE "$1" "$work/said" || fail "expected it to say: $1"
}
