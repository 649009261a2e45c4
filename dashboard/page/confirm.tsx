/**
 * Nothing is done by one click: says what will happen, asks, and shows why it was refused if it
 * was.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { lookAgain } from './use-followed.ts'

export interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** On the button that does it, such as `Cordon host-1`. */
  readonly verb: string
  readonly isDangerous?: boolean
  /** Asks for words as well, and hands them over. */
  readonly ask?: string
  readonly act: (words: string) => Promise<void>
  readonly close: () => void
}

export function Confirm(props: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [words, setWords] = useState('')
  const [state, setState] = useState<{ isBusy: boolean; refusal?: string }>({ isBusy: false })
  useEffect(() => dialog.current?.showModal(), [])

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setState({ isBusy: true })
    try {
      await props.act(words)
      lookAgain()
      props.close()
    } catch (error) {
      setState({ isBusy: false, refusal: (error as Error).message })
    }
  }
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={props.close}>
      <form onSubmit={submit}>
        <h2 id={title}>{props.title}</h2>
        {props.children}
        {props.ask && (
          <label class="field">
            {props.ask}
            <input
              value={words}
              maxLength={200}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </label>
        )}
        {state.refusal && (
          <p class="refusal" role="alert">
            Refused: {state.refusal}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={props.close}>
            Cancel
          </button>
          <button
            type="submit"
            class={props.isDangerous ? 'danger' : 'primary'}
            disabled={state.isBusy}
          >
            {props.verb}
          </button>
        </div>
      </form>
    </dialog>
  )
}
