/** What the Lambda entries need of the app. */
import type { Answer } from '../answer/plain-answer.ts'
import type { ThinRequest } from '../request/incoming.ts'
import { type HttpEvent, requestOf, thinRequestOf } from './event-request.ts'

export interface App {
  fetch(request: Request): Response | Promise<Response>
  /** The short way of a renewal; undefined for whatever is none. */
  beat?(request: ThinRequest): Promise<Answer> | undefined
  /** What an answer left to be done. Lambda stops the process in between two requests. */
  settled?(): Promise<void>
}

export const answerEvent = async (app: App, event: HttpEvent): Promise<Answer> =>
  await (app.beat?.(thinRequestOf(event)) ?? app.fetch(requestOf(event)))
