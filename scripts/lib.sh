# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
# Functions that the scripts here share. Each script sets `root` to the tree's top and changes to it before it sources this.

build=${root:?}/build
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

die() {
    echo "$*" >&2
    exit 2
}

# Makes configure if it is missing or older than its sources.
bootstrap() {
    [ ! -e "$root/config.status" ] ||
        die "$root was configured in place: run 'make distclean' there, these scripts build in $build"
    if [ ! -e "$root/configure" ] || [ ! -e "$root/Makefile.in" ] ||
        [ -n "$(find "$root/configure.ac" "$root/m4"/anydnn_*.m4 -newer "$root/configure" -print)" ]; then
        "$root/autogen.sh"
    fi
}

# Prints the flags that configure found for the compiler, in the build folder $1.
compiler_flags() {
    sed -n '/^\(ANYDNN_[A-Z_]*FLAGS\|ANYDNN_FORTIFY\|ANYDNN_SANITIZE\|CUDA_HARDEN\) = /p' "$1/Makefile" 2>/dev/null || :
}

# configure_in DIR FLAGS...: configures DIR, unless it was configured with the same flags and configure. It removes objects
# that were built with other flags, given or found, because make would not rebuild them.
configure_in() {
    configure_dir=$1
    shift
    mkdir -p "$configure_dir"
    if [ -e "$configure_dir/.flags" ] && [ "$(cat "$configure_dir/.flags")" = "$*" ] &&
        [ -z "$(find "$root/configure" -newer "$configure_dir/.flags" -print)" ]; then
        return 0
    fi
    configure_before=$(cat "$configure_dir/.flags" 2>/dev/null; compiler_flags "$configure_dir")
    rm -f "$configure_dir/.flags"
    (cd "$configure_dir" && "$root/configure" "$@") || return 1
    if [ "$configure_before" != "$(echo "$*"; compiler_flags "$configure_dir")" ]; then
        find "$configure_dir" \( -name '*.o' -o -name '*.lo' -o -name '*.la' \) -exec rm -f {} +
    fi
    echo "$*" >"$configure_dir/.flags"
}

# Calls compilers through ccache if it is installed, so that files which several builds share are compiled once. It uses
# the mode that trusts the compiler's list of files. With an empty cache, this saves a run of the preprocessor per file, and
# nvcc's preprocessor does not show files that only device code includes. The cache is named explicitly, because tests change
# the variables by which ccache would find it.
use_ccache() {
    cache=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}}
    if [ -n "$cache" ] && command -v ccache >/dev/null 2>&1 && [ -d /usr/lib/ccache ]; then
        CCACHE_DIR=${CCACHE_DIR:-$cache/ccache}
        PATH=/usr/lib/ccache:$PATH
        CCACHE_BASEDIR=$root
        CCACHE_NOHASHDIR=1
        CCACHE_DEPEND=1
        ANYDNN_NVCC_THROUGH=ccache
        export PATH CCACHE_DIR CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_DEPEND ANYDNN_NVCC_THROUGH
    fi
}

have_gpu() {
    [ -e /dev/nvidia0 ] || { command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1; }
}
