/**
 * The api and its address. Hosts know the address for years, and AWS makes up a new one with every
 * function or HTTP API, so this stack is protected against deletion like the tables.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { ApiService } from '../constructs/api.ts'
import { tablesFor } from '../constructs/tables.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { DataStack } from './data-stack.ts'

interface ApiStackProps extends StackProps {
  readonly settings: DeploymentSettings
  readonly data: DataStack
}

export class ApiStack extends Stack {
  readonly api: ApiService

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { settings, data } = props
    const tables = tablesFor(this, settings, data.tables)
    this.api = new ApiService(this, 'Api', { settings, tables, keys: data.keys })
    // Exported whether or not it is used, as in the data stack.
    this.exportValue(this.api.service.function.functionName)
    this.exportValue(this.api.functionUrl)
    // `npx --no-install leasehold --outputs FILE` reads these by name.
    const { address, functionUrl, http } = this.api
    this.output('ApiUrl', address, 'Where kubectl and hosts connect')
    this.output('FunctionUrl', functionUrl, 'The address that is there with every ingress')
    if (http?.domainTarget)
      this.output('DomainTarget', http.domainTarget, 'What the DNS record of the domain points to')
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description })
  }
}
