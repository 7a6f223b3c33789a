#!/bin/sh
# After the files of a deb or rpm are gone. On an upgrade (dpkg says so, rpm counts what stays), the rest is the new
# version's: rpm runs this after the new version's after-install.
case "$1" in
  upgrade | failed-upgrade | abort-install | abort-upgrade | disappear | [1-9]*) exit 0 ;;
esac

link='/usr/bin/${executable}'
if [ "$(readlink "$link")" = '/opt/${sanitizedProductName}/${executable}' ]; then rm -f "$link"; fi

profile='/etc/apparmor.d/${executable}'
if [ -f "$profile" ]; then
  if [ -d /sys/kernel/security/apparmor ] && command -v apparmor_parser >/dev/null 2>&1; then
    apparmor_parser --remove "$profile" >/dev/null 2>&1 || true
  fi
  rm -f "$profile"
fi

if command -v update-desktop-database >/dev/null 2>&1; then update-desktop-database -q /usr/share/applications || true; fi
if command -v gtk-update-icon-cache >/dev/null 2>&1; then gtk-update-icon-cache -q -t -f /usr/share/icons/hicolor || true; fi
exit 0
