/** The entry of the api's Lambda: a Function URL that streams, or an HTTP API that does not. */
import { bufferedHandler } from './lambda/buffered.ts'
import { lambdaApi, readEnvironment } from './lambda/environment.ts'
import { type LambdaStreaming, streamingHandler } from './lambda/streaming.ts'

declare const awslambda: LambdaStreaming

const environment = readEnvironment(process.env)
const app = lambdaApi(environment)

export const handler =
  environment.ingress === 'http-api' ? bufferedHandler(app) : streamingHandler(app, awslambda)
