#!/bin/bash
# `make deb`: builds Debian packages from the sdist and packaging/debian, and checks them with lintian:
# scripts/make_deb.sh BUILD. They are put into BUILD/debs. DEBFULLNAME and DEBEMAIL name the maintainer;
# without DEBEMAIL the address is pitwall@localhost, and lintian's warning about it is suppressed.

set -eu -o pipefail

tree=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:?missing argument: the build folder}"
build=$(cd "$1" && pwd)
work=$build/deb-work out=$build/debs
cd "$tree"

version=$(sed -n 's/^#define PITWALL_VERSION "\(.*\)"/\1/p' include/pitwall.h)
maintainer="${DEBFULLNAME:-The Pitwall authors} <${DEBEMAIL:-pitwall@localhost}>"
date=$(LC_ALL=C date -R -u -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}")

# A licence in the form of debian/copyright: the holder, then the text, with a dot on empty lines.
holder() {
    sed -n 's/^Copyright (c) /Copyright: /p' "$1"
    echo "License: Expat"
}
licence() {
    holder "$1"
    sed -n '/^Permission is hereby/,$p' "$1" | sed 's/^$/./; s/^/ /'
}

rm -rf "$work" "$out"
mkdir -p "$work/info" "$out"
/usr/bin/python3 setup.py -q egg_info --egg-base "$work/info" sdist --dist-dir "$work" 2>"$work/sdist.log" ||
    { cat "$work/sdist.log" >&2; exit 1; }
tar xf "$work/pitwall-$version.tar.gz" -C "$work"
source=$work/pitwall-$version
rm -rf "$source/python/pitwall.egg-info" "$source"/PKG-INFO "$source"/setup.cfg
cp -r packaging/debian "$source/debian"
sed -i "s/@MAINTAINER@/$maintainer/" "$source/debian/control"
licence LICENSE >"$work/licence"
holder web/vendor/uplot/uPlot.LICENSE >"$work/uplot"
sed -i -e "/@LICENSE@/{r $work/licence
d}" -e "/@UPLOT@/{r $work/uplot
d}" "$source/debian/copyright"
cat >"$source/debian/changelog" <<END
pitwall ($version) unstable; urgency=medium

  * Version $version; see CHANGELOG.md in the sources.

 -- $maintainer  $date
END

cd "$source"
log=$work/build.log
DEB_BUILD_OPTIONS="nocheck noddebs parallel=$(nproc)" \
    dpkg-buildpackage --build=binary --unsigned-changes --no-check-builddeps >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    echo "make deb: dpkg-buildpackage failed; full log: $log" >&2
    exit 1
}
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out"
no_address=()
if [ -z "${DEBEMAIL:-}" ]; then
    echo "make deb: DEBEMAIL is not set: the maintainer's address is pitwall@localhost" >&2
    no_address=(--suppress-tags "bogus-mail-host,bogus-mail-host-in-debian-changelog")
fi
lintian --allow-root --fail-on "error,warning" "${no_address[@]}" "$out"/*.changes
ls "$out"/*.deb
