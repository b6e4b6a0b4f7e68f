#!/usr/bin/env bash
# Builds the libraries of the report anew, in the versions named here, and writes their licences and SHA-256 sums.
# Needs npm. What it makes is committed; the program is built without it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund --save-exact three@0.187.0 uplot@1.6.32 esbuild@0.28.2
build() {
  npx esbuild "$1" --bundle --minify --format=iife --target=es2022 --charset=ascii \
    --legal-comments=none --outfile="$here/$2"
}
cp "$here"/three.entry.js "$here"/uplot.entry.js .
build three.entry.js three.min.js
build uplot.entry.js uplot.min.js
cp node_modules/uplot/dist/uPlot.min.css "$here/uplot.min.css"
cp node_modules/three/LICENSE "$here/LICENSE-three"
cp node_modules/uplot/LICENSE "$here/LICENSE-uplot"
cd "$here"
sha256sum three.min.js uplot.min.js uplot.min.css LICENSE-three LICENSE-uplot > SHA256SUMS
