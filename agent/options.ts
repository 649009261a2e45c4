/** Every option of the agent: one table for flags, environment, file, `--help` and docs. */

export interface Option {
  readonly name: string
  readonly value?: string
  readonly help: string
}

const option = (name: string, value: string | undefined, help: string): Option => ({
  name,
  ...(value && { value }),
  help,
})

export const OPTIONS: readonly Option[] = [
  option('server', 'URL', 'address of the service, https://...; required'),
  option('ca-file', 'FILE', 'authority of the server certificate, PEM; default: those of Node'),
  option('bootstrap-token', 'TOKEN', 'to join with, such as abcdef.0123456789abcdef'),
  option('bootstrap-token-file', 'FILE', 'the same, read from a file'),
  option('state-dir', 'DIR', 'where the token is kept; default /var/lib/leasehold-agent'),
  option('node-name', 'NAME', 'default: the host name in lower case'),
  option('node-ip', 'IP[,IP]', 'address to announce; default: that of the default route'),
  option('zone', 'ZONE', 'label topology.kubernetes.io/zone'),
  option('region', 'REGION', 'label topology.kubernetes.io/region'),
  option('node-labels', 'K=V,...', 'more labels'),
  option('register-with-taints', 'K=V:EFFECT,...', 'taints of a new Node'),
  option('provider-id', 'ID', 'spec.providerID of a new Node'),
  option('max-pods', 'N', 'capacity for pods; default 110'),
  option('system-reserved', 'K=V,...', 'taken off allocatable, such as cpu=500m,memory=1Gi'),
  option('node-lease-duration-seconds', 'N', 'beats come at a quarter of it; default 40'),
  option('node-status-update-frequency', 'T', 'how often the host is looked at; default 10s'),
  option('node-status-report-frequency', 'T', 'how often nothing new is told; default 5m'),
  option('node-monitor-grace-period', 'T', 'what the service waits in silence; default 50s'),
  option('eviction-hard', 'S<Q,...', 'thresholds of pressure; replaces the defaults'),
  option('eviction-soft', 'S<Q,...', 'more thresholds'),
  option('eviction-soft-grace-period', 'S=T,...', 'one for each soft threshold'),
  option('eviction-minimum-reclaim', 'S=Q,...', 'to be free beyond the threshold'),
  option('eviction-pressure-transition-period', 'T', 'how long pressure lasts; default 5m'),
  option('disk-path', 'DIR', 'the file system that is watched; default /'),
  option('checks-dir', 'DIR', 'executables whose exit codes become conditions'),
  option('pod-hook', 'FILE', 'run as FILE start|stop|fence with the pod on standard input'),
  option('pod-driver', 'systemd', 'run pods as systemd units'),
  option('systemd-unit-prefix', 'TEXT', 'begins the name of such a unit; default leasehold-'),
  option('fence', undefined, 'stop the pods when cut off, before they may run elsewhere'),
  option('leave', undefined, 'on SIGTERM cordon, report not ready and release the lease'),
  option('config', 'FILE', 'read options from FILE, lines of name=value'),
  option('check', undefined, 'check configuration and reach the service, then end'),
  option('help', undefined, 'show this'),
  option('version', undefined, 'show the version'),
]

export const envName = (name: string) => `LEASEHOLD_${name.toUpperCase().replaceAll('-', '_')}`

export function helpText(): string {
  const left = OPTIONS.map(({ name, value }) => `  --${name}${value ? ` ${value}` : ''}`)
  const width = Math.max(...left.map((text) => text.length)) + 2
  const lines = OPTIONS.map(({ help }, index) => `${left[index]?.padEnd(width)}${help}`)
  return [
    'leasehold-agent: keeps this host known to a Leasehold service',
    '',
    ...lines,
    '',
    'Each may also be set in the environment (--node-name is LEASEHOLD_NODE_NAME) or in the file.',
    'A flag wins over the environment, that over the file, and that over the default.',
    '',
  ].join('\n')
}
