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
  ...['.aws', '.azure', '.oci', '.boto', '.s3cfg', '.kube', '.docker', '.databrickscfg', '.terraform.d'],
  ...['.netrc', '_netrc', '.git-credentials', '.pgpass', '.my.cnf', '.mylogin.cnf', '.subversion/auth'],
  ...['.npmrc', '.pypirc', '.gem/credentials', '.cargo/credentials', '.cargo/credentials.toml'],
  ...['.composer/auth.json', '.m2/settings.xml', '.gradle/gradle.properties', '.nuget/NuGet'],
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
];

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
      ...controlSockets,
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

/** The first folder below `folder` on the way to `path`. */
function partBelow(folder: string, path: string): string {
  return join(folder, path.slice(folder.length + 1).split('/')[0]!);
}

const secretName = /KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL/i;
const addressWithPassword = /:\/\/[^\s/@]*:[^\s/@]+@/;

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

/** Tells whether a name matches one of these patterns, in which `*` stands for any text. */
export function matches(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.map(
    (one) => new RegExp(`^${one.replaceAll(/[^\w*]/g, String.raw`\$&`).replaceAll('*', '.*')}$`, 'i'),
  );
  return (name) => all.some((pattern) => pattern.test(name));
}
