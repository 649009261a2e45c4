#!/bin/sh
# `npm run test:packages`: installs the .deb on this machine with apt, lets it join a server of one's own,
# upgrades it, removes it and purges it, and looks at each step at what is kept and what is gone.
# Needs root, apt, dpkg-deb and curl; without them it ends with 75. It leaves nothing behind.
set -eu
[ "$(id -u)" = 0 ] || { echo 'packages: not run, needs root'; exit 75; }
for tool in apt-get dpkg-deb curl; do
  command -v "$tool" >/dev/null || { echo "packages: not run, needs $tool"; exit 75; }
done
if dpkg -s leasehold-agent >/dev/null 2>&1 || [ -e /etc/leasehold ]; then
  echo 'packages: not run, this machine has an agent of its own'; exit 75
fi

work=$(mktemp -d) server= agent=
say() { echo "packages: $*"; }
fail() { say "FAILED: $*"; exit 1; }
end() { [ -z "$1" ] || { kill "$1" 2>/dev/null || :; wait "$1" 2>/dev/null || :; }; }
clean() {
  end "$agent"; end "$server"
  dpkg --purge leasehold-agent >/dev/null 2>&1 || :
  rm -rf "$work" /etc/leasehold /var/lib/leasehold-agent
}
trap clean EXIT

[ -n "${PACKAGES_BUILT:-}" ] || npm run --silent build:packages
deb=$(ls dist/leasehold-agent_*_amd64.deb)
dpkg-deb -R "$deb" "$work/next"
sed -i 's/^Version: .*/Version: 99.0.0/' "$work/next/DEBIAN/control"
dpkg-deb --build -Znone "$work/next" "$work/leasehold-agent_99.0.0_amd64.deb" >/dev/null
# apt reads packages as a user of its own.
cp "$deb" "$work" && chmod -R a+rX "$work"

node local/main.ts --listen 127.0.0.2:0 --tls-name leasehold.test --data "$work/data" >"$work/log" 2>&1 &
server=$!
until grep -q 'Everything is kept' "$work/log"; do kill -0 "$server" || { cat "$work/log"; exit 1; }; sleep 0.2; done
url=$(node -p "JSON.parse(require('fs').readFileSync('$work/data/endpoints.json')).api")
token=$(node -p "JSON.parse(require('fs').readFileSync('$work/data/kubeconfig')).users[0].user.token")
node_json() { curl -s --cacert "$work/data/ca.crt" -H "Authorization: Bearer $token" "$url/api/v1/nodes/deb-host"; }
ready() { node_json | grep -q '"reason": *"KubeletReady"'; }
uid() { node_json | sed -n 's/.*"uid": *"\([^"]*\)".*/\1/p' | head -n 1; }
# until_ready SECONDS
until_ready() {
  left=$1
  until ready; do
    left=$((left - 1)); [ "$left" -gt 0 ] || { cat "$work/agent.log"; fail 'the host is not ready'; }; sleep 1
  done
}
# There is no systemd in most containers: what the unit does is done by hand.
start() {
  leasehold-agent --config /etc/leasehold/agent.conf --state-dir /var/lib/leasehold-agent "$@" >>"$work/agent.log" 2>&1 &
  agent=$!
}

say 'install'
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$work/$(basename "$deb")" >"$work/apt.log" 2>&1 ||
  { cat "$work/apt.log"; fail 'apt install'; }
leasehold-agent --version | grep -q leasehold || fail 'the executable does not run'
cp "$work/data/ca.crt" /etc/leasehold/ca.crt
printf 'server=%s\nca-file=/etc/leasehold/ca.crt\nnode-name=deb-host\n' "$url" >/etc/leasehold/agent.conf
node local/cli/main.ts token bootstrap create --data "$work/data" >/etc/leasehold/bootstrap-token
start --bootstrap-token-file /etc/leasehold/bootstrap-token
until_ready 40
first=$(uid)

say 'upgrade'
DEBIAN_FRONTEND=noninteractive apt-get install -y "$work/leasehold-agent_99.0.0_amd64.deb" >"$work/apt.log" 2>&1 ||
  { cat "$work/apt.log"; fail 'apt upgrade'; }
grep -q node-name=deb-host /etc/leasehold/agent.conf || fail 'the upgrade lost the configuration'
end "$agent"; start
sleep 2; kill -0 "$agent" || { cat "$work/agent.log"; fail 'the upgraded agent does not run'; }
until_ready 40
[ "$(uid)" = "$first" ] || fail 'the upgraded agent is another Node'

say 'remove'
end "$agent"; agent=
apt-get remove -y leasehold-agent >/dev/null 2>&1
[ -s /var/lib/leasehold-agent/token.json ] || fail 'removing forgot the identity'
[ -e /etc/leasehold/agent.conf ] || fail 'removing forgot the configuration'
! command -v leasehold-agent >/dev/null || fail 'the executable is still there'

say 'purge'
rm /etc/leasehold/ca.crt
apt-get purge -y leasehold-agent >/dev/null 2>&1
[ ! -e /var/lib/leasehold-agent ] && [ ! -e /etc/leasehold ] || fail 'purging left something behind'
say "passed: installed, joined, upgraded, removed, purged ($(du -h "$deb" | cut -f 1))"
