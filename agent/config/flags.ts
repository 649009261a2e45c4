/** Every option of the agent: one table for flags, environment, file and `--help`. */
import { type FlagSet, flag } from '../../shared/flags/flag-set.ts'
import { helpOf, standardFlags } from '../../shared/flags/program.ts'

export const FLAGS: FlagSet = {
  server: flag('URL', 'address of the service, https://...; required'),
  'ca-file': flag('FILE', 'authority of the server certificate, PEM', 'those of Node'),
  'bootstrap-token': flag('TOKEN', 'to join with, such as abcdef.0123456789abcdef'),
  'bootstrap-token-file': flag('FILE', 'the same, read from a file'),
  'node-token-file': flag('FILE', 'a token of this Node: leasehold token create --node NAME'),
  'state-dir': flag('DIR', 'where its token and proof are kept', '/var/lib/leasehold-agent'),
  'share-token-dir': flag('DIR', 'write token and kubeconfig there, for programs beside it'),
  'node-name': flag('NAME', 'name of the Node', "the cloud's, or the host name in lower case"),
  'register-node': flag('true|false', 'false waits for a Node that is made by hand', 'true'),
  'cloud-provider': flag('none|aws', 'who is asked for name, zone, type and addresses', 'none'),
  'node-ip': flag('IP[,IP]', 'address to announce', 'that of the default route'),
  'node-external-ip': flag('IP[,IP]', 'ExternalIP to announce', "the cloud's, or none"),
  zone: flag('ZONE', 'label topology.kubernetes.io/zone'),
  region: flag('REGION', 'label topology.kubernetes.io/region'),
  'node-labels': flag('K=V,...', 'more labels'),
  'register-with-taints': flag('K=V:EFFECT,...', 'taints of a new Node'),
  'provider-id': flag('ID', 'spec.providerID of a new Node'),
  'max-pods': flag('N', 'capacity for pods', '110'),
  'system-reserved': flag('K=V,...', 'taken off allocatable, such as cpu=500m,memory=1Gi'),
  'node-lease-duration-seconds': flag('N', 'beats come at a quarter of it', '40'),
  'node-status-update-frequency': flag('T', 'how often the host is looked at', '10s'),
  'node-status-report-frequency': flag('T', 'how often an unchanged status is reported', '5m'),
  'node-monitor-grace-period': flag('T', 'what the service waits in silence', '50s'),
  'eviction-hard': flag(
    'S<Q,...',
    'thresholds of pressure; replaces the defaults',
    "the kubelet's",
  ),
  'eviction-soft': flag('S<Q,...', 'more thresholds'),
  'eviction-soft-grace-period': flag('S=T,...', 'one for each soft threshold'),
  'eviction-minimum-reclaim': flag('S=Q,...', 'to be free beyond the threshold'),
  'eviction-pressure-transition-period': flag('T', 'how long pressure lasts', '5m'),
  'disk-path': flag('DIR', 'the file system that is watched', '/'),
  'checks-dir': flag('DIR', 'executables whose exit codes become conditions'),
  'pod-hook': flag('FILE', 'run as FILE start|stop|fence with the pod on standard input'),
  'pod-driver': flag('systemd', 'run pods as systemd units'),
  'systemd-unit-prefix': flag('TEXT', 'begins the name of such a unit', 'leasehold-'),
  fence: { usage: 'stop the pods when cut off, before they may run elsewhere' },
  leave: { usage: 'on SIGTERM cordon, report not ready and release the lease' },
  config: flag('FILE', 'read options from FILE, lines of name=value'),
  check: { usage: 'check configuration and reach the service, then end' },
}

/** Those of a command line only: a variable LEASEHOLD_VERSION is not for the agent. */
export const commandLineFlags: FlagSet = { ...FLAGS, ...standardFlags }

export const envName = (name: string) => `LEASEHOLD_${name.toUpperCase().replaceAll('-', '_')}`

export const agentHelp = (): string =>
  helpOf({
    call: 'leasehold-agent',
    summary: 'Keeps this host known to a Leasehold service.',
    flags: FLAGS,
    notes: `Each may also be set in the environment (--node-name is LEASEHOLD_NODE_NAME) or in the file.
A flag wins over the environment, that over the file, and that over the default.`,
  })
