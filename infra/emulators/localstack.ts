/** `npm run localstack`: deploys both stacks to a LocalStack that is running on this machine. */
import { main, need, run } from './program.ts'

const CONTEXT = ['-c', 'stage=local']

main(() => {
  need({ name: 'docker', install: 'https://docs.docker.com/get-docker' })
  need({ name: 'cdklocal', install: 'npm install --global aws-cdk-local aws-cdk' })
  const environment = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' }
  run('cdklocal', ['bootstrap', ...CONTEXT], environment)
  const deploy = ['deploy', '--all', '--require-approval', 'never']
  run('cdklocal', [...deploy, '--outputs-file', 'cdk.out/outputs.json', ...CONTEXT], environment)
  console.log('\nnpx leasehold kubeconfig --outputs cdk.out/outputs.json --out kubeconfig')
})
