/**
 * `npm run sam`: synthesizes the HTTP API variant and serves its api with `sam local start-api`, in
 * Lambda's own container. Tables and keys come from whatever speaks AWS at AWS_ENDPOINT_URL: `npm
 * run localstack` makes one.
 */
import { writeFileSync } from 'node:fs'
import { main, need, run } from './program.ts'

const STAGE = 'local'
const ENVIRONMENT_FILE = 'cdk.out/sam-environment.json'
/** As a container sees the machine it runs on. */
const endpoint = process.env.SAM_AWS_ENDPOINT_URL ?? 'http://host.docker.internal:4566'

main(() => {
  need({ name: 'docker', install: 'https://docs.docker.com/get-docker' })
  need({ name: 'sam', install: 'pip install aws-sam-cli' })
  run('npx', ['cdk', 'synth', '--quiet', '-c', 'ingress=http-api', '-c', `stage=${STAGE}`])
  writeFileSync(ENVIRONMENT_FILE, JSON.stringify({ Parameters: samEnvironment(endpoint) }))
  const template = `cdk.out/leasehold-${STAGE}.template.json`
  run('sam', ['local', 'start-api', '--template', template, '--env-vars', ENVIRONMENT_FILE])
})

/** What CloudFormation would have filled in from the other stack. */
function samEnvironment(endpointUrl: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    LEASEHOLD_NODE_KEY_ID: `alias/leasehold-${STAGE}-node`,
    LEASEHOLD_ADMIN_KEY_ID: `alias/leasehold-${STAGE}-admin`,
  }
}
