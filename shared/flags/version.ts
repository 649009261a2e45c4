/** What every program answers to `--version`, and a Node tells as its kubeletVersion. */
export const VERSION = 'v0.1.0+leasehold'
