/** The way in: a token, checked by asking the server who we are. */
import { useState } from 'preact/hooks'

interface LoginProps {
  /** Why one is here again. */
  readonly notice: string
  readonly signIn: (token: string) => Promise<void>
}

export function Login({ notice, signIn }: LoginProps) {
  const [token, setToken] = useState('')
  const [state, setState] = useState<{ isBusy: boolean; refusal?: string }>({ isBusy: false })
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setState({ isBusy: true })
    try {
      await signIn(token.trim())
    } catch (error) {
      setState({ isBusy: false, refusal: (error as Error).message })
    }
  }
  return (
    <main class="login">
      <form class="panel" onSubmit={submit}>
        <h1>
          <span class="brand">Leasehold</span>
        </h1>
        {notice && <p role="status">{notice}</p>}
        <label class="field">
          Token
          <input
            type="password"
            name="token"
            autocomplete="off"
            spellcheck={false}
            required
            autofocus
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {state.refusal && (
          <p class="refusal" role="alert">
            {state.refusal}
          </p>
        )}
        <button type="submit" class="primary" disabled={state.isBusy || token.trim() === ''}>
          Sign in
        </button>
        <p class="hint">
          Print one with
          <code>kubectl config view --minify --raw -o jsonpath='{'{.users[0].user.token}'}'</code>
          It stays in this tab and is forgotten when you close it.
        </p>
      </form>
    </main>
  )
}
