/** An answer that is a short text: a Response costs more to make than such a text to send. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type Answer = Response | PlainAnswer

/** Without a look at `Response`: the first one loads Node's web client, and a beat needs none. */
export const isPlain = (answer: Answer): answer is PlainAnswer => typeof answer.text === 'string'

export const responseOf = (answer: Answer): Response =>
  isPlain(answer) ? new Response(answer.text, answer) : answer
