#!/bin/sh
# The application as a disk image: drag it to Applications. Signed and notarised where
# SPEC_O3_SIGN_AS names an identity and SPEC_O3_NOTARY a keychain profile of notarytool's.
#   sh packaging/macos/dmg.sh "dist/Spec-o3 Workbench.app" dist/spec-o3-workbench.dmg
set -eu

application=$1
out=$2

if [ -n "${SPEC_O3_SIGN_AS:-}" ]; then
	codesign --deep --force --options runtime --timestamp --sign "$SPEC_O3_SIGN_AS" "$application"
else
	# Apple's processors run nothing that is not signed at all; this names nobody.
	codesign --deep --force --sign - "$application"
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R "$application" "$stage/"
ln -s /Applications "$stage/Applications"
rm -f "$out"
hdiutil create -quiet -volname "Spec-o3 Workbench" -srcfolder "$stage" -format UDZO "$out"

if [ -n "${SPEC_O3_NOTARY:-}" ]; then
	xcrun notarytool submit "$out" --keychain-profile "$SPEC_O3_NOTARY" --wait
	xcrun stapler staple "$out"
fi
