#!/bin/bash
# Installs missing tools on Debian or Ubuntu: scripts/setup.sh GROUP...
# Groups: build, test, bench, lint, package. Prints nothing and changes nothing if all are installed.

set -eu

# clang-runtime is not a package name: the package with the libraries of clang's sanitizers and fuzzer has
# a different name in each release.
declare -A packages=(
    [build]="gcc g++ cmake make libc6-dev pkg-config python3 python3-dev zlib1g-dev libzstd-dev
             libyaml-dev libjansson-dev libncurses-dev"
    [test]="clang clang-runtime gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user bindfs fuse3
            git gdb ninja-build ccache valgrind e2fsprogs zstd tmux procps libbenchmark-dev hyperfine python3-pytest-benchmark
            python3-jsonschema python3-pip python3-setuptools python3-venv python3-wheel
            python3-numpy python3-pandas python3-torch mypy zsh groff-base man-db musl-tools
            libomp-dev libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran chromium chromium-driver
            libmicrohttpd-dev libmicrohttpd12 prometheus python3-ipykernel python3-nbclient python3-gevent
            opencl-headers ocl-icd-opencl-dev pocl-opencl-icd python3-pyopencl librocm-smi-dev
            libamdhip64-dev"
    [bench]="git python3-numpy python3-torch valgrind chromium chromium-driver opencl-headers
             ocl-icd-opencl-dev pocl-opencl-icd"
    [package]="python3-pip python3-venv libmicrohttpd-dev debhelper dh-python dpkg-dev fakeroot lintian"
    [lint]="clang-format clang-tidy cppcheck shellcheck mypy python3-pip python3-venv"
)
# On other systems we look for the programs in PATH.
declare -A programs=(
    [build]="cc c++ cmake make pkg-config python3"
    [test]="gcc clang ninja aarch64-linux-gnu-gcc qemu-aarch64 bindfs git"
    [bench]="git"
    [package]="pip3 dh lintian"
    [lint]="clang-format clang-tidy cppcheck shellcheck mypy"
)

die() {
    echo "setup: $*" >&2
    exit 1
}

has_clang_runtime() {
    compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' >/dev/null
}

# For the clang that apt offers: a separate package, or a part of libclang-common.
clang_runtime_package() {
    local version
    version=$(apt-cache depends clang 2>/dev/null |
        sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    if [ -z "$version" ]; then
        echo libclang-rt-dev
    elif apt-cache show "libclang-rt-$version-dev" >/dev/null 2>&1; then
        echo "libclang-rt-$version-dev"
    else
        echo "libclang-common-$version-dev"
    fi
}

has_dpkg=yes
command -v dpkg-query >/dev/null || has_dpkg=no
wanted=() missing=()
for group in "$@"; do
    [ -n "${packages[$group]:-}" ] || die "$group: unknown group; use build, test, bench, lint or package"
    list=${packages[$group]}
    [ $has_dpkg = yes ] || list=${programs[$group]}
    read -ra more <<<"${list//$'\n'/ }"
    wanted+=("${more[@]}")
done
[ ${#wanted[@]} -gt 0 ] || die "no group given; use build, test, bench, lint or package"

if [ $has_dpkg = no ]; then
    for program in "${wanted[@]}"; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    [ ${#missing[@]} -eq 0 ] || die "not Debian or Ubuntu; please install: ${missing[*]}"
    exit 0
fi

# dpkg-query fails if a name is unknown, but prints the others.
installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "${wanted[@]}" 2>/dev/null || true)"
for package in "${wanted[@]}"; do
    if [ "$package" = clang-runtime ]; then
        has_clang_runtime || missing+=("$package")
    elif [[ $installed != *" installed=$package "* ]]; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

by_hand() {
    echo "apt-get install ${missing[*]/clang-runtime/$(clang_runtime_package)}"
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root and no sudo; run as root: $(by_hand)"
    as_root=(sudo)
fi
command -v apt-get >/dev/null || die "apt-get not found; please run: $(by_hand)"

echo "setup: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -qq update >&2 || die "apt-get update failed; when it works again, run: $(by_hand)"
for i in "${!missing[@]}"; do
    [ "${missing[i]}" != clang-runtime ] || missing[i]=$(clang_runtime_package)
done
"${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get install failed; please run: $(by_hand)"
