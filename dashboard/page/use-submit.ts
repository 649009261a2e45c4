/** A form's submit: busy while it runs, and the error message when it failed. */
import { useState } from 'preact/hooks'

interface Submit {
  readonly isBusy: boolean
  readonly refusal?: string
  readonly onSubmit: (event: SubmitEvent) => Promise<void>
}

export function useSubmit(act: () => Promise<unknown>): Submit {
  const [state, setState] = useState<Pick<Submit, 'isBusy' | 'refusal'>>({ isBusy: false })
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    setState({ isBusy: true })
    try {
      await act()
    } catch (error) {
      setState({ isBusy: false, refusal: (error as Error).message })
    }
  }
  return { ...state, onSubmit }
}
