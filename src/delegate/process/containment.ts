import { Failure } from '../../failure.ts';
import { applyBounds, type Bounds, boundsArguments } from './bounds.ts';
import type { Containment } from './containments.ts';
import type { Environment } from './environment.ts';
import { capture } from './launch.ts';
import { systemEnvironment, systemProgram, workspaceFolders } from './programs.ts';

export type { Containment };

/** A folder that the agent sees with its own changes, while the folder itself stays as it is. */
export interface Overlay {
  readonly folder: string;
  /**
   * Holds the changed files (`upper`), the mount point of the original folder (`lower`) and the kernel's files (`work`).
   */
  readonly storage: string;
}

export interface ContainOptions {
  /** Names the folders in which the wrapping programs are found. */
  readonly env?: Environment;
  readonly containment?: Containment | 'auto' | undefined;
  /** True for danger-full-access: programs such as sudo and ssh do not work in a user namespace. */
  readonly isUnrestricted?: boolean;
  /** True to end the agent when this process dies. */
  readonly endsWithParent?: boolean;
  readonly overlay?: Overlay | undefined;
  readonly bounds?: Bounds | undefined;
}

export interface Program {
  /** The path of the program, or a name that is looked up on the PATH of the agent. */
  readonly command: string;
  readonly args: readonly string[];
}

/** An argument by which the wrapper is recognized in the list of processes. */
const wrapperMark = 'adjutant-run';

const pidNamespace = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const userNamespace = ['--map-current-user', '--keep-caps', ...pidNamespace];
/**
 * Takes back the capabilities that are only needed for the mounts. Root keeps the one without which it cannot create a user
 * namespace, which the sandboxes of agents need. No file can give more than this one, because new privileges are refused.
 */
const dropCapabilities = [
  ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all,+setfcap', '--no-new-privs'],
];

/** Relative paths, because overlayfs would take commas and colons in a path as separators. */
const mountOverlay =
  'cd -- "$1" && mount --rbind -- "$2" lower && mount -t overlay overlay -o "$3" -- "$2" && cd -- "$4" || exit 125\nshift 4\n';

/**
 * Becomes the parent of all orphaned processes of the agent. A SIGTERM kills the agent. When the agent
 * has exited, this program kills its other children until there are none, and then ends as the agent did.
 */
const subreaper = `
my ($prctl, $with_parent) = splice @ARGV, 0, 2; shift;
$prctl += 0;
syscall($prctl, 36, 1, 0, 0, 0);
syscall($prctl, 1, 15, 0, 0, 0) if $with_parent;
my $agent = fork // die "fork: $!\\n";
if (!$agent) { exec { $ARGV[0] } @ARGV or do { warn "$ARGV[0]: $!\\n"; exit 127 } }
$SIG{TERM} = sub { kill 9, $agent };
1 until waitpid(-1, 0) == $agent;
my $status = $?;
for (;;) {
  my $pid;
  1 while ($pid = waitpid -1, 1) > 0;
  last if $pid < 0;
  opendir my $proc, '/proc';
  for (grep /^\\d+$/, readdir $proc) {
    open my $file, '<', "/proc/$_/stat" or next;
    kill 9, $_ if (<$file> // '') =~ /\\) \\S (\\d+) [^)]*$/ && $1 == $$;
  }
  select undef, undef, undef, 0.01;
}
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
`;
const prctlNumbers: Readonly<Record<string, string>> = { x64: '157', arm64: '167', riscv64: '167' };

/**
 * Wraps the command of an agent, so that all its processes can be ended. The wrapper exits with the agent's exit code,
 * or with 128 plus the number of the signal that ended the agent.
 */
export async function contain(program: Program, cwd: string, options: ContainOptions = {}): Promise<Program> {
  const { env = {}, containment = 'auto', isUnrestricted = false, endsWithParent = false, overlay } = options;
  const { bounds } = options;
  const untrusted = await workspaceFolders([cwd, overlay?.folder], env);
  const system = (name: string) => systemProgram(name, env, untrusted);
  // Each question starts a program, and every run host asks all of them.
  const [hasLayer, hasReaper, canScope] = await Promise.all([
    hasNamespaces(env, containment),
    ['auto', 'subreaper'].includes(containment) && hasSubreaper(env),
    bounds !== undefined && !isUnrestricted && canScopeSockets(env),
  ]);
  const namespace = hasLayer ? await namespaceFlags(env) : undefined;
  const isUserNamespace = namespace === userNamespace;
  const needsMounts = overlay !== undefined || bounds !== undefined;
  if (namespace === undefined || (!needsMounts && isUserNamespace && isUnrestricted && hasReaper)) {
    if (bounds !== undefined)
      throw new Failure(
        'refused',
        'The agent has no sandbox of its own, and the one of Adjutant needs Linux namespaces, which do not work on this machine. Use another agent, such as codex or claude.',
      );
    if (overlay !== undefined) throw new Error('An overlay needs a mount namespace, which is not available.');
    if (!hasReaper) return program;
    const perl = ['-e', subreaper, prctlNumbers[process.arch]!, endsWithParent ? '1' : '0', wrapperMark];
    return { command: await system('perl'), args: [...perl, program.command, ...program.args] };
  }
  // The shell stays: the first process of a namespace ignores most signals, also those that an agent sends to itself.
  // It must not write "Killed" into the agent's error output.
  const bind = bounds === undefined ? '' : `${applyBounds}cd -- "$1" && shift || exit 125\n`;
  const limits = bounds === undefined ? [] : [...(await boundsArguments(bounds, isUserNamespace)), cwd];
  // The programs of the script come from the system, also if the PATH of the agent begins with a folder of the repository.
  const ownPath = 'agent_path=$PATH\nexport PATH="$1"\nshift\n';
  const { PATH } = await systemEnvironment(env, untrusted);
  const script = `${ownPath}${overlay === undefined ? '' : mountOverlay}${bind}exec 9>&2 2>/dev/null; (PATH=$agent_path; exec "$@" 2>&9 9>&-); exit $?`;
  const mounts = overlay === undefined ? [] : overlayArguments(overlay, cwd, isUserNamespace);
  const [setpriv, unshare, sh] = await Promise.all([system('setpriv'), system('unshare'), system('sh')]);
  const [command, ...args] = [
    ...(endsWithParent ? [setpriv, '--pdeathsig', 'KILL'] : []),
    ...[unshare, ...namespace, sh, '-c', script, wrapperMark, PATH!, ...mounts, ...limits],
    ...(isUserNamespace || bounds !== undefined ? [setpriv, ...dropCapabilities] : []),
    ...(canScope ? [await system('perl'), '-e', scopeSockets] : []),
    program.command,
    ...program.args,
  ];
  return { command: command!, args };
}

/** True for a process that `contain` put around an agent. */
export function isWrapper({ command }: { readonly command: string }): boolean {
  return command.includes(` ${wrapperMark} `);
}

function overlayArguments({ folder, storage }: Overlay, cwd: string, isUserNamespace: boolean): string[] {
  const options = `lowerdir=lower,upperdir=upper,workdir=work${isUserNamespace ? ',userxattr' : ''}`;
  return [storage, folder, options, cwd];
}

/** Whether agents can be started in their own mount and pid namespaces. */
export async function hasNamespaces(
  env: Environment,
  containment: Containment | 'auto' = 'auto',
): Promise<boolean> {
  return ['auto', 'namespace'].includes(containment) && (await namespaceFlags(env)) !== undefined;
}

let namespaces: Promise<readonly string[] | undefined> | undefined;

/** The options of `unshare` that work for this user: without a user namespace for root, with one for others. */
function namespaceFlags(env: Environment): Promise<readonly string[] | undefined> {
  namespaces ??= (async () => {
    if (process.platform !== 'linux') return undefined;
    if (process.getuid?.() === 0 && (await succeeds('unshare', [...pidNamespace, 'true'], env)))
      return pidNamespace;
    const inside = [...userNamespace, 'setpriv', ...dropCapabilities, 'true'];
    return (await succeeds('unshare', inside, env)) ? userNamespace : undefined;
  })();
  return namespaces;
}

let reaper: Promise<boolean> | undefined;

function hasSubreaper(env: Environment): Promise<boolean> {
  const prctl = process.platform === 'linux' ? prctlNumbers[process.arch] : undefined;
  if (prctl === undefined) return Promise.resolve(false);
  reaper ??= succeeds('perl', ['-e', `exit(syscall(${prctl}, 36, 1, 0, 0, 0) == 0 ? 0 : 1)`], env);
  return reaper;
}

/**
 * Starts a program that reaches no socket without a file (abstract socket) but its own, such as those of X servers and D-Bus: with
 * Landlock, whose calls have the same numbers everywhere. It needs a kernel of version 6.12 and new privileges to be refused.
 */
const scopeSockets = `
my $scope = pack 'QQQ', 0, 0, 1;
my $rules = syscall(444, $scope, 24, 0);
exit 125 if $rules < 0 || syscall(446, $rules, 0) != 0;
exit 0 unless @ARGV;
exec { $ARGV[0] } @ARGV or do { warn "$ARGV[0]: $!\\n"; exit 127 };
`;

let scope: Promise<boolean> | undefined;

/** Whether the sandbox closes the abstract sockets of other programs. */
export function canScopeSockets(env: Environment): Promise<boolean> {
  scope ??=
    process.platform === 'linux'
      ? succeeds('setpriv', ['--no-new-privs', 'perl', '-e', scopeSockets], env)
      : Promise.resolve(false);
  return scope;
}

async function succeeds(command: string, args: readonly string[], env: Environment): Promise<boolean> {
  const { code } = await capture({ command, args, env }, { timeoutMs: 10_000 });
  return code === 0;
}
