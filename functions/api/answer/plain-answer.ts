/** An answer that is a short text: a Response costs more to make than such a text to send. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type Answer = Response | PlainAnswer

export const isPlain = (answer: Answer): answer is PlainAnswer => !(answer instanceof Response)

export const responseOf = (answer: Answer): Response =>
  isPlain(answer) ? new Response(answer.text, answer) : answer
