/**
 * What fast-check draws is the same in every run, so that a red suite says something about the
 * change and not about luck. `FUZZ_SEED=$RANDOM npx vitest run --project unit` draws anew.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 1) })
