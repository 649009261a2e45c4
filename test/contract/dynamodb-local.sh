#!/bin/sh
# Runs the contract suite against AWS's own DynamoDB Local. Needs Java 17 or newer and Maven; the libraries come from
# the Maven repository this machine is set up for and are kept in ~/.m2. Where it cannot run it says so and ends with 75.
set -eu

version=${DYNAMODB_LOCAL_VERSION:-3.1.0}
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)

command -v java >/dev/null && command -v mvn >/dev/null || {
  echo 'dynamodb-local: not run, it needs java and mvn'
  exit 75
}

work=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT INT TERM

sed "s/@VERSION@/$version/" "$here/dynamodb-local.pom.xml" >"$work/pom.xml"
if ! mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/lib" >"$work/mvn.log" 2>&1; then
  tail -5 "$work/mvn.log"
  echo "dynamodb-local: not run, Maven cannot bring DynamoDBLocal $version"
  exit 75
fi

port=$(node -e "const s=require('node:net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})")
java -Djava.library.path="$work/lib" -cp "$work/lib/*" \
  software.amazon.dynamodb.services.local.main.ServerRunner -inMemory -sharedDb -disableTelemetry -port "$port" \
  >"$work/server.log" 2>&1 &
server=$!

for _ in $(seq 150); do
  curl -s -o /dev/null "http://127.0.0.1:$port" && break
  kill -0 "$server" 2>/dev/null || { cat "$work/server.log"; exit 75; }
  sleep 0.2
done

cd "$repo"
DYNAMODB_ENDPOINT="http://127.0.0.1:$port" npx vitest run --project contract test/contract/dynamodb.test.ts test/contract/lost-answers.test.ts
