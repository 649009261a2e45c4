/** The login form: takes a token, which the server checks. */
import { useState } from 'preact/hooks'
import { useSubmit } from './use-submit.ts'

interface LoginProps {
  /** Why the user must sign in again. */
  readonly notice: string
  readonly signIn: (token: string) => Promise<void>
}

export function Login({ notice, signIn }: LoginProps) {
  const [token, setToken] = useState('')
  const { isBusy, refusal, onSubmit } = useSubmit(() => signIn(token.trim()))
  return (
    <main class="login">
      <form class="panel" onSubmit={onSubmit}>
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
        {refusal && (
          <p class="refusal" role="alert">
            {refusal}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy || token.trim() === ''}>
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
