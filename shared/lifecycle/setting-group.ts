/** Settings that belong together: those of the core, or of one feature. */

export type SettingKind = 'duration' | 'number' | 'integer' | 'boolean' | 'text' | readonly string[]

export interface SettingGroup<S extends object> {
  readonly defaults: S
  /**
   * Flag name -> field and kind. The environment spells the same names in capitals
   * (`environmentName`).
   */
  readonly flags: Readonly<Record<string, readonly [keyof S & string, SettingKind]>>
  /** What is wrong with the values, each beginning with the flag's name. */
  problems(settings: S): readonly string[]
}

export const brokenRules = (rules: readonly (readonly [boolean, string])[]): readonly string[] =>
  rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem)
