# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Describes the build tree as an installation, for tests that do what a user does after `make install`.

# overlay PREFIX: makes a tree of the folders and files that `make install` writes and that users name.
overlay() {
    prefix=$1
    source=$ANYDNN_TEST_SRCDIR
    built=$ANYDNN_TEST_BUILDDIR
    mkdir -p "$prefix/bin" "$prefix/lib/pkgconfig" "$prefix/lib/anydnn/plugins" "$prefix/etc/anydnn" \
        "$prefix/include/anydnn/cudnn7/include" "$prefix/include/anydnn/cudnn7/lib" \
        "$prefix/share/doc/anydnn" "$prefix/share/anydnn" || return 1
    cp "$built/tools/.libs/anydnn" "$prefix/bin/" 2>/dev/null || cp "$built/tools/anydnn" "$prefix/bin/" || return 1
    cp -P "$built"/.libs/libanydnn.so* "$prefix/lib/" || return 1
    cp -L "$built"/plugins/built/anydnn_cpu_ref.so "$prefix/lib/anydnn/plugins/" || return 1
    [ ! -e "$built/plugins/built/anydnn_onednn.so" ] ||
        cp -L "$built/plugins/built/anydnn_onednn.so" "$prefix/lib/anydnn/plugins/" || return 1
    cp "$source/conf/anydnn.conf" "$prefix/etc/anydnn/"
    cp "$source"/include/anydnn/*.h "$built/include/anydnn/views.h" "$built/include/anydnn/cudnn_compat.h" \
        "$prefix/include/anydnn/"
    cp "$source/include/anydnn/cudnn7/cudnn.h" "$prefix/include/anydnn/cudnn7/"
    cp "$source/include/anydnn/cudnn7/cudnn.h" "$prefix/include/anydnn/cudnn7/include/"
    cp "$source/include/anydnn/cudnn7/lib/libcudnn.so" "$prefix/include/anydnn/cudnn7/lib/"
    make -s -C "$built" cudnncompat-install-hook DESTDIR= cudnncompatdir="$prefix/include/anydnn/cudnn7" \
        libdir="$prefix/lib" || return 1
    cp -R "$source/plugins/kit" "$source/bench/suites" "$source/tests/vectors" "$prefix/share/anydnn/"
    cp -R "$source/plugins/template" "$source/examples" "$prefix/share/doc/anydnn/"
    chmod -R u+w "$prefix"
    sed -e "s|^prefix=.*|prefix=$prefix|" -e "s|^exec_prefix=.*|exec_prefix=$prefix|" \
        -e "s|^libdir=.*|libdir=$prefix/lib|" -e "s|^includedir=.*|includedir=$prefix/include|" \
        -e "s|^sysconfdir=.*|sysconfdir=$prefix/etc|" -e "s|^kitdir=.*|kitdir=$prefix/share/anydnn/kit|" \
        "$built/conf/anydnn.pc" >"$prefix/lib/pkgconfig/anydnn.pc"
}
