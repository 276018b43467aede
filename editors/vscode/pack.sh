#!/usr/bin/env bash
# Makes elophanto.vsix beside this script. Needs Node with npm, and its registry; python3 to zip.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here"/{package.json,package-lock.json,extension.js} "$tmp"
cd "$tmp"
npm ci --ignore-scripts --no-audit --no-fund >&2
# esbuild's program comes in a package of its own, so that no install script need be run.
node_modules/@esbuild/*/bin/esbuild extension.js --bundle --platform=node --external:vscode --minify \
    --outfile=extension/dist/extension.js >&2
cp package.json extension/
version=$(node -p 'require("./package.json").version')
cat >'[Content_Types].xml' <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".js" ContentType="application/javascript"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
XML
cat >extension.vsixmanifest <<XML
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="elophanto" Version="$version" Publisher="elophanto"/>
    <DisplayName>elophanto</DisplayName>
    <Description xml:space="preserve">Your Markdown as a knowledge base</Description>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="^1.82.0"/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>
</PackageManifest>
XML
rm -f "$here/elophanto.vsix"
python3 -m zipfile -c "$here/elophanto.vsix" '[Content_Types].xml' extension.vsixmanifest extension
echo "$here/elophanto.vsix"
