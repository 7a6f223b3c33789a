#!/bin/sh
# After the files of a deb or rpm are in place.
set -e
home='/opt/${sanitizedProductName}'

# Where a user may not make namespaces (Debian's sysctl, Ubuntu's AppArmor), Chromium's sandbox needs its setuid helper.
# Where he may, Chromium does not use it.
chown root:root "$home/chrome-sandbox"
chmod 4755 "$home/chrome-sandbox"

# `mien swap …` in a terminal. A file that somebody else put there stays.
link='/usr/bin/${executable}'
if [ ! -e "$link" ] || [ -L "$link" ]; then ln -sfn "$home/${executable}" "$link"; fi

# Ubuntu 23.10 and later let only programs with a profile make user namespaces. Older parsers refuse it and need none.
profile="$home/resources/apparmor-profile"
if command -v apparmor_parser >/dev/null 2>&1 && apparmor_parser --skip-kernel-load --skip-cache "$profile" >/dev/null 2>&1; then
  cp "$profile" '/etc/apparmor.d/${executable}'
  if [ -d /sys/kernel/security/apparmor ]; then
    apparmor_parser --replace --write-cache '/etc/apparmor.d/${executable}' >/dev/null 2>&1 || true
  fi
fi

if command -v update-desktop-database >/dev/null 2>&1; then update-desktop-database -q /usr/share/applications || true; fi
if command -v gtk-update-icon-cache >/dev/null 2>&1; then gtk-update-icon-cache -q -t -f /usr/share/icons/hicolor || true; fi
exit 0
