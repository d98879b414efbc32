#!/usr/bin/env fish
# Completes command lines as fish does, with the script of `memlane completion fish`.
set -x PATH (path dirname $argv[1]) $PATH
fish -n (memlane completion fish | psub); or exit 1
memlane completion fish | source
function expect
    set -l found (complete -C $argv[1] | string split -f1 \t)
    if not contains -- $argv[2] $found
        echo "$argv[1]: $argv[2] is not among: $found"
        exit 1
    end
end
expect 'memlane ver' verify
expect 'memlane run scan_b' scan_blocks
expect 'memlane run sum -m umm-w' umm-w32
expect 'memlane run sum --engine ref' reference
expect 'memlane run sum -D ' n=
expect 'memlane gpu com' compare
cd (mktemp -d)
touch numbers.txt
expect 'memlane run sum --input a=num' a=numbers.txt
rm -r $PWD
