#!/bin/sh
# Install the system packages that tests/engines needs, on Debian as root. What is there already is left alone.
set -eu
packages="chromium fonts-noto-cjk libpango-1.0-0 libpangoft2-1.0-0 default-jre-headless"
missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
[ "$(id -u)" = 0 ] || { echo "rackrent: as root, install:$missing" >&2; exit 1; }
command -v apt-get >/dev/null || { echo "rackrent: make test-engines needs Debian's apt-get" >&2; exit 1; }
echo "rackrent: installing$missing (a few minutes the first time)"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 - a list of names
apt-get install -y -qq --no-install-recommends $missing >/dev/null
