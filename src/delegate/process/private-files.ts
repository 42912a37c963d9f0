import { promises as disk } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';
import type { Environment } from './environment.ts';
import { isInFolder, realpath } from './folder-scope.ts';

/**
 * What a person keeps private: keys, passwords, cookies, messages and histories. Paths are relative to the home folder. The settings
 * of programs are hidden as a whole, because many keep their sign-ins there.
 */
const privatePaths = [
  ...['.ssh', '.gnupg', '.password-store', '.local/share/keyrings', '.pki', '.vault-token', '.Xauthority'],
  ...['.local/share/kwalletd', '.local/share/gnupg', '.ICEauthority', '.putty', '.step', '.op', '.bitcoin'],
  ...['.aws', '.azure', '.oci', '.boto', '.s3cfg', '.kube', '.docker', '.databrickscfg', '.terraform.d'],
  ...['.netrc', '_netrc', '.git-credentials', '.pgpass', '.my.cnf', '.mylogin.cnf', '.subversion/auth'],
  ...['.npmrc', '.pypirc', '.gem/credentials', '.cargo/credentials', '.cargo/credentials.toml'],
  ...['.composer/auth.json', '.m2/settings.xml', '.gradle/gradle.properties', '.nuget/NuGet'],
  ...[
    '.yarnrc.yml',
    '.bundle/config',
    '.ivy2/.credentials',
    '.kaggle',
    '.terraformrc',
    '.pulumi/credentials.json',
  ],
  ...['.fly', '.minikube', '.vagrant.d', '.snowsql', '.dbt', '.local/share/com.vercel.cli'],
  ...['.msmtprc', '.mbsyncrc', '.fetchmailrc', '.offlineimaprc', '.mutt', '.mail', 'Mail', 'Maildir'],
  ...[
    '.mozilla',
    '.thunderbird',
    '.var/app',
    'snap',
    '.local/share/evolution',
    '.local/share/TelegramDesktop',
  ],
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history'],
  ...[
    '.mysql_history',
    '.sqlite_history',
    '.rediscli_history',
    '.local/share/fish',
    '.cache/huggingface/token',
  ],
  ...['.histfile', '.zhistory', '.sh_history', '.irb_history', '.lesshst', '.viminfo', '.local/share/atuin'],
  // Another home folder of Adjutant can be in use.
  ...['.local/state/adjutant', '.local/share/adjutant'],
];

/** Secrets that containers and service managers hand out as files, and the mail of the person. */
const systemPaths = ['/run/secrets', '/run/credentials', '/var/mail', '/var/spool/mail'];

/** The files of git that are not private, in the folder for settings. */
const gitSettings = ['git/config', 'git/ignore', 'git/attributes'];

/** Sockets of the system through which a program can start others outside of a sandbox. */
const controlSockets = [
  ...['/run/user', '/run/dbus', '/run/systemd', '/run/snapd.socket', '/run/screen', '/run/libvirt'],
  ...['/run/docker.sock', '/run/containerd', '/run/podman', '/run/crio', '/run/buildkit', '/run/lxd'],
  ...['/run/incus', '/var/lib/lxd/unix.socket', '/var/snap/lxd', '/var/lib/incus/unix.socket'],
];
/** The addresses of name servers are below a hidden folder. */
const nameServers = '/run/systemd/resolve';

/** Sockets of programs that sign with the keys of a person. */
const agentSockets = ['SSH_AUTH_SOCK', 'GPG_AGENT_INFO'];

export interface PrivateFiles {
  readonly hidden: readonly string[];
  /** What stays visible below hidden folders. */
  readonly visible: readonly string[];
}

/** The private files of a person, without those in `visible`. */
export function privateFiles(userHome: string, env: Environment, visible: readonly string[]): PrivateFiles {
  const settings = env['XDG_CONFIG_HOME'] || join(userHome, '.config');
  const hidden = [
    ...new Set([
      ...[settings, join(userHome, '.config')],
      ...privatePaths.map((path) => join(userHome, path)),
      ...[...controlSockets, ...systemPaths],
      ...[env['XDG_RUNTIME_DIR'], env['XAUTHORITY'], ...agentSockets.map((name) => env[name]?.split(':')[0])],
    ]),
  ].filter((path) => path !== undefined && path !== '' && path !== userHome);
  const shown = visible.map((path) => resolve(userHome, path.replace(/^~(?=\/|$)/, '.')));
  // Programs can be installed below a hidden folder, such as ~/.config/yarn. Runs need them.
  const programs = (env['PATH'] ?? '').split(':').flatMap((folder) => {
    const around = hidden.find((one) => one !== folder && isInFolder(folder, one!));
    return around === undefined ? [] : [partBelow(around, folder)];
  });
  const isShown = (path: string) => shown.some((one) => isInFolder(path, one));
  const keys = isShown(join(userHome, '.ssh')) ? [env['SSH_AUTH_SOCK'] ?? ''] : [];
  return {
    hidden: hidden.filter(
      (path): path is string => path !== undefined && !isShown(path) && !keys.includes(path),
    ),
    visible: [...shown, ...programs, nameServers, ...gitSettings.map((path) => join(settings, path))],
  };
}

/**
 * The sockets in these folders. Behind them are programs of the person that do what they are told: tmux, editors, agents with keys.
 * Through one of them, a command could do anything outside of its sandbox.
 */
export async function socketsIn(folders: readonly string[]): Promise<readonly string[]> {
  const table = await readRegularFile('/proc/net/unix').catch(() => '');
  const paths = table.split('\n').map((row) => /^(?:\S+\s+){7}(\/.*)$/.exec(row)?.[1]);
  const places = await Promise.all(folders.map(realpath));
  const isInside = (path: string) =>
    [...folders, ...places].some((folder) => folder !== undefined && isInFolder(path, folder));
  return [...new Set(paths.filter((path) => path !== undefined && isInside(path)))] as string[];
}

const namedSockets = 3;

/**
 * Says which programs of this machine listen on sockets without a file (abstract sockets), such as X servers and D-Bus. For kernels
 * without `canScopeSockets`, where only a network namespace could hide them. `undefined` if there are none.
 */
export async function describeAbstractSockets(): Promise<string | undefined> {
  const table = await readRegularFile('/proc/net/unix').catch(() => '');
  // The fourth column has this flag if a program listens.
  const names = table
    .split('\n')
    .flatMap((row) => /^(?:\S+\s+){3}00010000\s+(?:\S+\s+){3}(@.*)$/.exec(row)?.[1] ?? []);
  const known = [...new Set(names)].sort();
  if (known.length === 0) return undefined;
  const more = known.length - namedSockets;
  return `${known.slice(0, namedSockets).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The first folder below `folder` on the way to `path`. */
function partBelow(folder: string, path: string): string {
  return join(folder, path.slice(folder.length + 1).split('/')[0]!);
}

const secretName =
  /KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PAT)$|_PWD$|(?:^|_)AUTH(?:_|$)/i;
/** `postgres://ada:hunter2@host`, `jdbc:…?user=ada&password=hunter2` and `Server=host;Password=hunter2`. */
const addressWithPassword = /:\/\/[^\s/@]*:[^\s/@]+@|(?:^|[?&;\s])\w*(?:password|passwd|pwd)\s*=\s*[^\s&;]/i;
/** Variables that name a private file, although neither their names nor their values suggest a secret. */
const fileVariables = ['KUBECONFIG', 'DOCKER_CONFIG', 'GNUPGHOME', 'PGPASSFILE', 'NETRC', 'AWS_CONFIG_FILE'];
const moreFileVariables = ['NPM_CONFIG_USERCONFIG', 'CLOUDSDK_CONFIG', 'AZURE_CONFIG_DIR'];

/** Variables whose names or values suggest a secret. `visible` names some that are not; `*` stands for any text. */
export function secretVariables(env: Environment, visible: readonly string[]): readonly string[] {
  const isVisible = matches(visible);
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined &&
    (secretName.test(name) || addressWithPassword.test(value) || agentSockets.includes(name)) &&
    // Git itself reads these, and they are moved to another variable.
    !/^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name) &&
    !isVisible(name)
      ? [name]
      : [],
  );
}

/** The files and folders that secret variables name. Programs of the system are not private. */
export function secretFiles(env: Environment, visible: readonly string[]): readonly string[] {
  const isVisible = matches(visible);
  const named = [...fileVariables, ...moreFileVariables].filter((name) => !isVisible(name));
  return [...secretVariables(env, visible), ...named]
    .filter((name) => !agentSockets.includes(name))
    .flatMap((name) => (env[name] ?? '').split(':'))
    .filter(
      (path) =>
        path.startsWith('/') &&
        !/^\/(?:(?:usr|bin|sbin|lib\w*|opt|nix|proc|sys|dev|etc\/(?:ssl|pki))(?:\/|$)|$)/.test(path),
    )
    .map((path) => resolve(path));
}

/** Folders in which programs keep code that they run again, and which are in the temporary folder. */
const codeCache =
  /^(?:node-compile-cache|v8-compile-cache.*|tsx-.*|(?:node-)?jiti|jest_.*|bunx-.*|metro-.*|haste-map-.*|phpstan)$/;

/**
 * The folders with code of other programs in these folders. Agents can write to temporary folders, and what they put into such a
 * cache would run outside of their sandbox.
 */
export async function codeCaches(folders: readonly string[]): Promise<readonly string[]> {
  const lists = [...new Set(folders)].map(async (folder) => {
    // Any Node program of the person may create this one while the agent works.
    await disk.mkdir(join(folder, 'node-compile-cache')).catch(() => {});
    const entries = await disk.readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isDirectory() && codeCache.test(entry.name))
      .map(({ name }) => join(folder, name));
  });
  return (await Promise.all(lists)).flat();
}

/** Tells whether a name matches one of these patterns, in which `*` stands for any text. */
export function matches(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.map(
    (one) => new RegExp(`^${one.replaceAll(/[^\w*]/g, String.raw`\$&`).replaceAll('*', '.*')}$`, 'i'),
  );
  return (name) => all.some((pattern) => pattern.test(name));
}
