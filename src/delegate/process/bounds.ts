import { promises as disk } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';
import { isInFolder } from './folder-scope.ts';

/** What an agent, and everything it starts, can write and see. */
export interface Bounds {
  /** Folders that can be written to. Everything else is read-only. */
  readonly writable: readonly string[];
  /** Files and folders inside of writable ones that cannot be written to. */
  readonly protected: readonly string[];
  /** Files and folders that appear empty. */
  readonly hidden: readonly string[];
  /** Files and folders below hidden ones that stay as they are. */
  readonly visible: readonly string[];
  /** Folders that can be written to, but whose changes are lost at the end, except those of the folders in `keeps`. */
  readonly temporary: readonly { readonly folder: string; readonly keeps: readonly string[] }[];
  /** Folders in whose place there is an empty one, which can be written to and is lost at the end. */
  readonly emptied: readonly string[];
  /** False if everything can be written to, and only `hidden`, `protected` and `emptied` apply. */
  readonly isReadOnly: boolean;
  /** A folder for the files of the sandbox itself. */
  readonly storage: string;
}

/**
 * Applies bounds in a mount namespace. Reads its arguments up to `--`: the folder for its own files, options for overlayfs, flags
 * for a read-only root, and triples of an operation, a path and a line of a mount table. One `mount` reads the whole table: a process
 * for each mount would delay a run by a tenth of a second. It passes over what it takes for mounted, so hidden paths are checked.
 */
export const applyBounds = `
fail() { echo "adjutant: the sandbox could not be set up: $1" >&2; exit 125; }
cd -- "$1" && : > table && : > sockets || fail "$1"
xattr=$2 root=$3 held=0 put=0 at=0 mounted=' '
shift 3
while read -r _ _ _ _ target _; do mounted="$mounted$target "; done < /proc/self/mountinfo
walk() { visit=$1; shift; while [ "$1" != -- ]; do "$visit" "$1" "$2" "$3"; shift 3; done; }
operate() {
  case $1 in
    mount) printf '%s\\n' "$3" ;;
    freeze) case $mounted in *" $2 "*) printf '%s\\n' "$3" ;; esac ;;
    protect) [ ! -e "$2" ] || printf '%s\\n' "$3" ;;
    hide) if [ -d "$2" ]; then printf '%s/%s\\n' "$storage" "empty $3"
      elif [ -S "$2" ]; then printf '%s/%s\\n' "$storage" "none $3" >> sockets
      elif [ -e "$2" ]; then printf '%s/%s\\n' "$storage" "none $3"; fi ;;
    storage) storage=$3 ;;
    hold) held=$((held + 1)); mount --bind -- "$2" "k$held" || fail "$2" ;;
    put) put=$((put + 1)); mount --bind -- "k$put" "$2" || fail "$2" ;;
    temporary) at=$((at + 1)); mount --bind -- "$2" "l$at" &&
      mount -t overlay overlay -o "lowerdir=l$at,upperdir=u$at,workdir=w$at$xattr" -- "$2" || fail "$2" ;;
  esac >> table
}
check() { [ "$1" != hide ] || [ ! -e "$2" ] || [ -S "$2" ] || [ "$2" -ef empty ] || [ "$2" -ef none ] || fail "$2"; }
walk operate "$@"
# Programs remove and create sockets at any time, so a new one in the place of another must not fail the run.
[ ! -s sockets ] || { mount -a -T sockets; mount -a -T sockets; } > /dev/null 2>&1
problem=$(mount -a -T table 2>&1) || fail "$problem"
[ -z "$root" ] || mount -o "$root" -- / || fail /
walk check "$@"
while [ "$1" != -- ]; do shift 3; done
shift
`;

type Operation = readonly [name: string, path: string, line: string];

/** Device files that every program may use. A read-only file system does not protect the others. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const deviceLinks = { ptmx: 'pts/ptmx', fd: '/proc/self/fd', stdin: '/proc/self/fd/0' } as const;
const outputLinks = { stdout: '/proc/self/fd/1', stderr: '/proc/self/fd/2' } as const;
/** Settings of the kernel that root can change without capabilities. The rest of /proc stays, for sandboxes inside of this one. */
const kernelFiles = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'];

/** Prepares the files of the sandbox and returns the arguments of `applyBounds`. */
export async function boundsArguments(bounds: Bounds, isUserNamespace: boolean): Promise<readonly string[]> {
  const { writable, temporary, emptied, storage, isReadOnly } = bounds;
  const mounts = await readMounts();
  const bind = (source: string, target: string, flags: string): Operation => [
    'mount',
    target,
    line(source, target, 'none', `bind${flags}`),
  ];
  await makeFolder(join(storage, 'empty'));
  await disk.writeFile(join(storage, 'none'), '');
  for (const at of temporary.keys())
    for (const name of ['l', 'u', 'w']) await makeFolder(join(storage, `${name}${at + 1}`));
  for (const at of temporary.flatMap(({ keeps }) => keeps).keys())
    await makeFolder(join(storage, `k${at + 1}`));
  for (const at of emptied.keys()) await makeFolder(join(storage, `e${at}`));
  const open = [...writable, ...temporary.map(({ folder }) => folder), '/proc', '/dev'];
  const isLocked = (path: string) =>
    bounds.protected.includes(nearest(path, [...open, ...bounds.protected]) ?? '');
  const frozen = mounts.filter(
    ({ target }) => isLocked(target) || (isReadOnly && target !== '/' && nearest(target, open) === undefined),
  );
  // A lock on a folder must not lock the folders inside that can be written to, so they are mounts of their own.
  const opened = writable.filter((path) => isReadOnly || isLocked(dirname(path)));
  const operations: Operation[] = [
    ['storage', '', escaped(storage)],
    ...temporary.flatMap(({ folder, keeps }): Operation[] => [
      ...keeps.map((path): Operation => ['hold', path, '']),
      ['temporary', folder, ''],
      ...keeps.map((path): Operation => ['put', path, '']),
    ]),
    ...opened.map((path): Operation => ['mount', path, line(path, path, 'none', 'rbind')]),
    ...emptied.map((path, at) => bind(join(storage, `e${at}`), path, '')),
    // Only those that are still there: other programs unmount folders at any time.
    ...(await existing(frozen.map(({ target }) => target))).map(
      (path): Operation => ['freeze', escaped(path), remount(path, mounts)],
    ),
    ...bounds.protected.flatMap((path): Operation[] => [
      ['protect', path, line(path, path, 'none', 'rbind')],
      ['protect', path, remount(path, mounts)],
    ]),
    ...(isReadOnly ? await deviceMounts(storage, bind) : []),
    ...(isReadOnly && process.getuid?.() === 0
      ? (await existing(kernelFiles.map((name) => `/proc/${name}`))).map((path) =>
          bind(path, path, ',ro,nosuid,nodev,noexec'),
        )
      : []),
    ...(await hideOperations(bounds, mounts, (path) => !isReadOnly || nearest(path, open) !== undefined)),
  ];
  const root = isReadOnly ? `remount,bind,ro${flagsAt(mounts, '/')}` : '';
  return [storage, isUserNamespace ? ',userxattr' : '', root, ...operations.flat(), '--'];
}

/** The path of a file in the temporary folder with this index, as the agent has left it. Missing if it is unchanged. */
export function temporaryChanges(storage: string, at: number, path: string): string {
  return join(storage, `u${at + 1}`, path);
}

/** The innermost of these folders that contains the path. */
function nearest(path: string, folders: readonly string[]): string | undefined {
  const around = folders.filter((folder) => isInFolder(path, folder));
  return around.sort((one, other) => other.length - one.length)[0];
}

/**
 * Hides paths. A folder of which a part stays visible is replaced by a tree that contains only this part. Such a part is a mount of
 * its own, so it does not become read-only with the root.
 */
async function hideOperations(
  { hidden, visible, storage }: Bounds,
  mounts: readonly Mount[],
  mayWrite: (path: string) => boolean,
): Promise<readonly Operation[]> {
  const shown = await existing(visible);
  // Parents first: a mount over a folder also covers the mounts below it. The storage itself disappears last.
  const rank = (path: string) => (isInFolder(storage, path) ? Number.MAX_SAFE_INTEGER : path.length);
  const isCovered = (path: string) => {
    const around = [...hidden, ...shown].filter((one) => one !== path && isInFolder(path, one));
    const nearest = around.sort((one, other) => other.length - one.length)[0];
    return nearest !== undefined && !shown.includes(nearest);
  };
  const paths = [...new Set(hidden)].filter((path) => !shown.includes(path) && !isCovered(path));
  const operations: Operation[] = [];
  for (const [at, path] of paths.sort((one, other) => rank(one) - rank(other)).entries()) {
    const parts = shown.filter((one) => isInFolder(one, path));
    if (parts.length === 0) {
      operations.push(['hide', path, `${escaped(path)} none bind,ro${flagsAt(mounts, storage)} 0 0`]);
      continue;
    }
    const tree = join(storage, `h${at}`);
    await makeFolder(tree);
    for (const part of parts.filter(
      (one) => !parts.some((other) => other !== one && isInFolder(one, other)),
    )) {
      const place = join(tree, relative(path, part));
      if ((await disk.stat(part)).isDirectory()) await makeFolder(place);
      else await makeFolder(dirname(place)).then(() => disk.writeFile(place, ''));
      operations.push(['mount', part, line(part, place, 'none', 'rbind')]);
      if (!mayWrite(part)) operations.push(['mount', part, remount(place, mounts, part)]);
    }
    operations.push(
      ['mount', path, line(tree, path, 'none', 'rbind')],
      ['mount', path, remount(path, mounts, storage)],
    );
  }
  return operations;
}

async function deviceMounts(
  storage: string,
  bind: (source: string, target: string, flags: string) => Operation,
): Promise<readonly Operation[]> {
  const folder = join(storage, 'dev');
  for (const name of ['pts', 'shm']) await makeFolder(join(folder, name));
  for (const name of devices) await disk.writeFile(join(folder, name), '');
  for (const [name, target] of Object.entries({ ...deviceLinks, ...outputLinks }))
    await disk.symlink(target, join(folder, name)).catch(() => {});
  return [
    ...devices.map((name) => bind(`/dev/${name}`, join(folder, name), '')),
    ['mount', '', line('devpts', join(folder, 'pts'), 'devpts', 'newinstance,ptmxmode=0666,mode=620')],
    ['mount', '', line('shm', join(folder, 'shm'), 'tmpfs', 'mode=1777,nosuid,nodev')],
    ['mount', '', line(folder, '/dev', 'none', 'rbind')],
  ];
}

interface Mount {
  readonly target: string;
  /** Flags that a mount in a user namespace must keep, each after a comma. */
  readonly flags: string;
}

export async function readMounts(): Promise<readonly Mount[]> {
  const text = await readRegularFile('/proc/self/mountinfo');
  const all = text.split('\n').flatMap((row): readonly Mount[] => {
    const [, , , , target, options] = row.split(' ');
    if (target === undefined || options === undefined) return [];
    const path = target.replaceAll(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    return [{ target: path, flags: options.replace(/^r[wo]/, '') }];
  });
  // The last mount on a folder covers the others.
  return [...new Map(all.map((mount) => [mount.target, mount])).values()];
}

function flagsAt(mounts: readonly Mount[], path: string): string {
  const around = mounts.filter(({ target }) => isInFolder(path, target));
  return around.sort((one, other) => other.target.length - one.target.length)[0]?.flags ?? '';
}

/** The source is a name that no other mount has: `mount` passes over an entry whose source it finds on the target. */
function remount(path: string, mounts: readonly Mount[], origin = path): string {
  return line('adjutant', path, 'none', `remount,bind,ro${flagsAt(mounts, origin)}`);
}

function line(source: string, target: string, type: string, options: string): string {
  return `${escaped(source)} ${escaped(target)} ${type} ${options} 0 0`;
}

/** A mount table separates fields by blanks. The kernel escapes the same characters in its list of mounts. */
function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

async function makeFolder(path: string): Promise<void> {
  await disk.mkdir(path, { recursive: true, mode: 0o700 });
}

export async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => disk.stat(path).then(Boolean, () => false)));
  return [...new Set(paths.filter((_, at) => found[at]))];
}
