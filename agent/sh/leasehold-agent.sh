#!/bin/sh
# The agent on one page, for hosts without Node: registers once, then beats. Needs a shell,
# curl and sha256sum.
#
#   LEASEHOLD_SERVER=https://leasehold.example.com LEASEHOLD_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef \
#     sh leasehold-agent.sh
#
# Also: LEASEHOLD_CA_FILE, LEASEHOLD_NODE_NAME, LEASEHOLD_ZONE, LEASEHOLD_REGION, LEASEHOLD_STATE_DIR,
# and LEASEHOLD_LEASE_SECONDS (40). A beat is one merge PATCH, with no read. Ready is reported every
# thirty beats, after a beat that failed and when the service gave the host up; nothing of the
# machine is. The service may ask for another pace (curl 7.84 or later hears it).
set -u
umask 077

server=${LEASEHOLD_SERVER:?set it to the address of the service}
name=${LEASEHOLD_NODE_NAME:-$(uname -n | tr '[:upper:]' '[:lower:]')}
state=${LEASEHOLD_STATE_DIR:-/var/lib/leasehold-agent}
own_seconds=${LEASEHOLD_LEASE_SECONDS:-40} seconds=${LEASEHOLD_LEASE_SECONDS:-40}
machine=$(cat /etc/machine-id 2>/dev/null || uname -n)
holder="${name}_$(printf 'leasehold.dev holder %s %s' "$name" "$machine" | sha256sum | cut -c 1-32)"
leases=/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases
token_file=$state/token
# These go into JSON as they are.
case $name in *[!a-z0-9.-]*) echo "node name $name: use letters, digits, dashes, dots" >&2; exit 2 ;; esac
case ${LEASEHOLD_ZONE:-}${LEASEHOLD_REGION:-} in
  *[!A-Za-z0-9._-]*) echo 'LEASEHOLD_ZONE, LEASEHOLD_REGION: use letters, digits, . _ -' >&2; exit 2 ;;
esac
if [ -n "${LEASEHOLD_CA_FILE:-}" ] && [ ! -r "$LEASEHOLD_CA_FILE" ]; then
  echo "LEASEHOLD_CA_FILE: $LEASEHOLD_CA_FILE cannot be read" >&2; exit 2
fi
case $own_seconds in '' | *[!0-9]*) echo 'LEASEHOLD_LEASE_SECONDS: a whole number' >&2; exit 2 ;; esac

say() { echo "leasehold-agent: $*" >&2; }
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }
micro() { date -u +%Y-%m-%dT%H:%M:%S.000000Z; }
field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" | head -n 1; }

# call TOKEN METHOD PATH TYPE BODY: prints the answer; its last line is the status code, 000 for none,
# the pace that is asked for and when the host was given up, and why there is no answer. The token goes
# in by standard input, so that it shows in no list of processes.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$1" |
    curl -sS -m 10 -K - ${LEASEHOLD_CA_FILE:+--cacert "$LEASEHOLD_CA_FILE"} -X "$2" \
      -H "Content-Type: $4" -d "$5" -w '\n%{http_code}|%header{leasehold-beat-seconds}|%header{leasehold-declared}' "$server$3" \
      2>/dev/null || printf '\n000|||%s' "$(why $?)"
}
# why CODE: what curl's exit code means to an operator.
why() {
  case $1 in
    6) echo "the name of $server is not known" ;;
    7) echo "nothing answers at $server" ;;
    28) echo "$server does not answer in time" ;;
    35) echo "$server speaks no TLS" ;;
    60) echo "the certificate of $server is not trusted: set LEASEHOLD_CA_FILE to the authority that signed it" ;;
    77) echo "LEASEHOLD_CA_FILE holds no certificate" ;;
    *) echo "curl ends with $1" ;;
  esac
}
word() { printf '%s\n' "$1" | tail -n 1 | cut -d '|' -f "$2"; }
code() { word "$1" 1; }
# shown ANSWER: the status code, or why there is none.
shown() { case $(code "$1") in 000) word "$1" 4 ;; *) code "$1" ;; esac; }

# pace ANSWER: seconds until the next beat, and a lease that lasts for four of them.
pace() {
  every=$(((own_seconds + 3) / 4)) seconds=$own_seconds
  case $(word "$1" 2) in '' | *[!0-9.]*) return ;; esac
  every=$(word "$1" 2 | cut -d . -f 1)
  [ "$every" -ge 1 ] || every=1
  [ $((every * 4)) -le "$seconds" ] || seconds=$((every * 4))
}

# token BEARER: changes a token for the next one and keeps it. Fails when the service says no.
token() {
  answer=$(call "$1" POST "/apis/leasehold.dev/v1/nodes/$name/token" application/json \
    '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}')
  given=$(printf '%s' "$answer" | tr -d '\n' | field token)
  [ -n "$given" ] || { say "no token: $(shown "$answer")"; return 1; }
  mkdir -p "$state" && printf '%s' "$given" >"$token_file.new" && mv "$token_file.new" "$token_file"
  renewed=$(date +%s)
}
kept() { cat "$token_file" 2>/dev/null; }

status() {
  printf '"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady",'
  printf '"message":"kubelet is posting ready status","lastHeartbeatTime":"%s"}]}' "$(now)"
}
report() {
  call "$(kept)" PATCH "/api/v1/nodes/$name/status" application/strategic-merge-patch+json "{$(status)}"
}

register() {
  [ -s "$token_file" ] || token "${LEASEHOLD_BOOTSTRAP_TOKEN:?needed to join}" || return 1
  zone=${LEASEHOLD_ZONE:+,\"topology.kubernetes.io/zone\":\"$LEASEHOLD_ZONE\"}
  region=${LEASEHOLD_REGION:+,\"topology.kubernetes.io/region\":\"$LEASEHOLD_REGION\"}
  answer=$(call "$(kept)" POST /api/v1/nodes application/json \
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"$name\",\"labels\":{\"kubernetes.io/hostname\":\"$name\"$zone$region}},$(status)}")
  case $(code "$answer") in
    201 | 409 | 403) token "$(kept)" || return 1 ;; # a joining token becomes one of this Node
    # Without a bootstrap token to join again with it is kept: the service may accept it again later.
    401) [ -z "${LEASEHOLD_BOOTSTRAP_TOKEN:-}" ] || rm -f "$token_file"; say 'token refused'; return 1 ;;
    *) say "not registered: $(shown "$answer")"; return 1 ;;
  esac
  answer=$(report) # brings back the Node, with its uid
  uid=$(printf '%s' "$answer" | tr -d '\n' | field uid)
  [ -n "$uid" ] || return 1
  owner="{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"$name\",\"uid\":\"$uid\"}"
  call "$(kept)" POST "$leases" application/json \
    "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"$name\",\"ownerReferences\":[$owner]},\"spec\":$(spec)}" >/dev/null
}
spec() { printf '{"holderIdentity":"%s","leaseDurationSeconds":%s,"renewTime":"%s"}' "$holder" "$seconds" "$(micro)"; }

beats=0 pause=1 owed= declared=none
pace ''
while :; do
  if register; then
    say "beating as $name"
    while :; do
      answer=$(call "$(kept)" PATCH "$leases/$name" application/merge-patch+json "{\"spec\":$(spec)}")
      case $(code "$answer") in
        200)
          beats=$((beats + 1)) pause=1
          pace "$answer"
          [ "$declared" = none ] || [ "$declared" = "$(word "$answer" 3)" ] || owed=yes
          declared=$(word "$answer" 3)
          [ $((beats % 30)) -ne 0 ] || owed=yes
          [ -z "$owed" ] || [ "$(code "$(report)")" != 200 ] || owed=
          ;;
        401 | 403 | 404) say "beat refused: $(code "$answer")"; break ;; # joins or registers again
        *) say "beat not taken: $(shown "$answer")"; owed=yes ;;
      esac
      # Once a day, whatever the pace: a token lives for days. Also when the clock was set back.
      age=$(($(date +%s) - renewed))
      [ "$age" -ge 0 ] && [ "$age" -lt 86400 ] || token "$(kept)" || renewed=$(($(date +%s) - 82800))
      sleep "$every"
    done
  fi
  sleep "$pause"; pause=$((pause * 2)); [ "$pause" -le 60 ] || pause=60
done
