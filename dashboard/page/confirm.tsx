/** Asks before a write: says what will happen, and why the server refused if it did. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useSubmit } from './use-submit.ts'
import { refreshLists } from './use-watch.ts'

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** On the button that does it. */
  readonly verb: string
  readonly isDangerous?: boolean
  /** The label of a text field, whose content is handed to `act`. */
  readonly ask?: string
  readonly act: (text: string) => Promise<unknown>
  readonly close: () => void
}

export function Confirm({ title, children, verb, isDangerous, ask, act, close }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const [text, setText] = useState('')
  useEffect(() => dialog.current?.showModal(), [])
  const { isBusy, refusal, onSubmit } = useSubmit(async () => {
    await act(text)
    refreshLists()
    close()
  })
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={close}>
      <form onSubmit={onSubmit}>
        <h2 id={titleId}>{title}</h2>
        <p>{children}</p>
        {ask && (
          <label class="field">
            {ask}
            <input
              value={text}
              maxLength={200}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        )}
        {refusal && (
          <p class="refusal" role="alert">
            Refused: {refusal}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy}>
            {verb}
          </button>
        </div>
      </form>
    </dialog>
  )
}
