import { hash } from 'node:crypto'
const token = 'eyJ' + 'a'.repeat(600)
const t = (name: string, f: (i: number) => unknown) => { for (let i = 0; i < 3e4; i++) f(i); const s = process.cpuUsage(); for (let i = 0; i < 3e4; i++) f(i); const u = process.cpuUsage(s); console.log(name, ((u.user + u.system) / 3e4).toFixed(2)) }
t('hash', () => hash('sha256', token, 'base64'))
t('hash fresh', (i) => hash('sha256', token + i, 'base64'))
t('regex', () => /^bearer +([\w.~+/=-]+) *$/i.exec(`Bearer ${token}`))
t('regex fresh', (i) => /^bearer +([\w.~+/=-]+) *$/i.exec(`Bearer ${token}${i}`))
const m = new Map<string, number>([[token, 1]])
t('map fresh string', (i) => m.get(`${token}${i}`.slice(0, 603)))
