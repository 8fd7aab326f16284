#!/bin/sh
# Installs what driver.mjs needs into DIR: Node 24, code-server (VS Code itself,
# with its page in a browser), playwright-core and, by apt, Chromium.
# What is there already is left alone.
#
#   install.sh DIR
#
# Then DIR/node is Node, DIR/code-server is what the driver calls code_server,
# and DIR/chromium is the browser.
set -eu

NODE=24.9.0 # code-server insists on this major
CODE_SERVER=4.139.1
PLAYWRIGHT=1.65.1

dir=${1:?usage: install.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
npm=$(cd "$(dirname "$0")/../../../.ci" && pwd)/npm

# package FOLDER NAME@VERSION... installs packages without running their scripts.
package() {
	folder=$1
	shift
	mkdir -p "$folder"
	[ -f "$folder/package.json" ] || echo '{"private":true}' >"$folder/package.json"
	"$npm" install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >/dev/null
}

# The stamp is written last: a half-done installation is done again.
stamp="$dir/.installed"
want="node $NODE, code-server $CODE_SERVER, playwright-core $PLAYWRIGHT"
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$want" ]; then
	rm -rf "$dir/node24" "$dir/code-server" "$stamp"
	case $(uname -s)-$(uname -m) in
	Linux-x86_64) platform=linux-x64 ;;
	Linux-aarch64) platform=linux-arm64 ;;
	*) echo "install.sh: there is no Node for $(uname -s) $(uname -m) here" >&2 && exit 1 ;;
	esac
	package "$dir/node24" "node-$platform@$NODE"
	ln -sfn "$dir/node24/node_modules/node-$platform/bin/node" "$dir/node"
	PATH="$dir/node24/node_modules/node-$platform/bin:$PATH"
	export PATH
	package "$dir/code-server" "code-server@$CODE_SERVER" "playwright-core@$PLAYWRIGHT"
	# These are what its own install script would fetch; the modules that this
	# leaves uncompiled (the terminal's among them) it can do without.
	vscode="$dir/code-server/node_modules/code-server/lib/vscode"
	for folder in "$vscode" "$vscode/extensions"; do
		(cd "$folder" && "$npm" install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
	done
	echo "$want" >"$stamp"
fi

if ! command -v chromium >/dev/null; then
	apt-get install -y --no-install-recommends chromium >/dev/null
fi
ln -sfn "$(command -v chromium)" "$dir/chromium"
