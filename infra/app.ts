/** What `cdk` runs: `cdk deploy --all`, `cdk synth`. */
import { App } from 'aws-cdk-lib'
import { buildApp } from './leasehold-app.ts'

const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env
const app = new App()
buildApp(app, app.node.getAllContext(), { account, region })
