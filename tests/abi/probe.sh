# What the scripts of this folder share; to be sourced. A probe is a library with one function per
# type of the ABI, so that its debug information has every layout and signature for libabigail to
# compare.

cc=${CC:-gcc}

die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# latest_minor INCLUDE_DIR
latest_minor() {
    sed -n 's/^#define CAPSTAN_ABI_MINOR_LATEST \([0-9]*\)$/\1/p' "$1/capstan/abi/base.h"
}

# public_types INCLUDE_DIR MINOR: the names of all structs and function types that a plugin of that minor sees.
public_types() {
    printf '#include <capstan/abi/abi.h>\n' |
        "$cc" -std=c11 -E -P -I"$1" -DCAPSTAN_ABI_MINOR="$2" -x c - |
        grep -oE '\} capstan_[a-z0-9_]+;|typedef [a-z0-9_ *]+ \(\*capstan_[a-z0-9_]+\)' |
        grep -oE 'capstan_[a-z0-9_]+[;)]' | tr -d ';)' | LC_ALL=C sort
}

# make_probe INCLUDE_DIR MINOR OUTPUT_DIR TYPE...: writes probe.so, and libabigail's description of
# it as probe.xml.
make_probe() {
    local include=$1 minor=$2 out=$3 type
    {
        printf '#include <capstan/abi/abi.h>\n'
        for type in "${@:4}"; do printf 'void probe_%s(const %s *p) { (void)p; }\n' "$type" "$type"; done
    } >"$out/probe.c"
    # The headers are copied so that no path of this machine gets into the record.
    rm -rf "$out/include" && cp -r "$include" "$out/include"
    (
        cd "$out" || exit
        "$cc" -std=c11 -g -fno-eliminate-unused-debug-types -fPIC -shared -nostdlib -Iinclude \
            -DCAPSTAN_ABI_MINOR="$minor" -o probe.so probe.c || exit
        readelf --sections --wide probe.so | grep -F .debug_info >/dev/null ||
            die "the probe of minor $minor has no debug information: libabigail would find nothing to compare"
        abidw --no-architecture --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
            --no-parameter-names --type-id-style hash --out-file probe.xml probe.so
    )
}

# recorded_types RECORD.xml: the names of all types in the record.
recorded_types() { sed -n "s/.*<elf-symbol name='probe_\([a-z0-9_]*\)'.*/\1/p" "$1"; }

# constants INCLUDE_DIR MINOR PROBE_DIR: enumerators and object-like macros with their values, one
# per line. Include guards, macros for declarations, and macros that differ with the release are
# left out.
constants() {
    {
        readelf --debug-dump=info "$3/probe.so" | awk '
            /DW_TAG_/ { enumerator = /DW_TAG_enumerator/ }
            enumerator && /DW_AT_name/ { name = $NF }
            enumerator && /DW_AT_const_value/ { print name, $NF }'
        printf '#include <capstan/abi/abi.h>\n' |
            "$cc" -std=c11 -E -dM -I"$1" -DCAPSTAN_ABI_MINOR="$2" -x c - |
            sed -nE 's/^#define (CAPSTAN_[A-Z0-9_]+) (.+)$/\1 \2/p' |
            grep -vE '^CAPSTAN_(ABI_MINOR|ABI_MINOR_LATEST|SDK_VERSION|BEGIN_DECLS|END_DECLS|EXPORT|[A-Z0-9_]+_H) '
    } | LC_ALL=C sort -u
}

# Each compiler that must agree, with a language and a standard, one per line.
compilers() {
    printf '%s\n' "gcc c c11" "clang-19 c c11" "g++ c++ c++17" "g++ c++ c++20" "clang++-19 c++ c++17" \
        "clang++-19 c++ c++20"
}
