/** The entry of the api's Lambda: a Function URL that streams, or an HTTP API that does not. */

import { lambdaApi, readEnvironment } from './lambda/environment.ts'
import { bufferedHandler, type LambdaStreaming, streamingHandler } from './lambda/http-event.ts'

declare const awslambda: LambdaStreaming

const environment = readEnvironment(process.env)
const api = lambdaApi(environment)

export const handler =
  environment.ingress === 'http-api' ? bufferedHandler(api) : streamingHandler(api, awslambda)
