/** What an agent without a sandbox of its own, and everything it starts, can write and see. */
export interface Bounds {
  /** Folders that can be written to. Everything else is read-only. */
  readonly writable: readonly string[];
  /** Files and folders inside of writable ones that cannot be written to. */
  readonly protected: readonly string[];
  /** Files and folders that appear empty. */
  readonly hidden: readonly string[];
  /** Folders that can be written to, but whose changes are lost at the end, except those of the folders in `keeps`. */
  readonly temporary: readonly { readonly folder: string; readonly keeps: readonly string[] }[];
  /** False if everything can be written to, and only `hidden` applies. */
  readonly isReadOnly: boolean;
  /** A folder for the files of the sandbox itself. */
  readonly storage: string;
}

/**
 * Applies bounds in a mount namespace. Reads its arguments up to `--`: the folder for its own files, options for overlayfs, and
 * pairs of an operation and a path. The device files are replaced, because a read-only file system does not protect devices.
 */
export const applyBounds = `
fail() { echo "adjutant: the sandbox could not be set up: $1" >&2; exit 125; }
cd -- "$1" && mkdir -p empty dev && : > none || fail "$1"
mode=$2 xattr=$3 held=0 put=0 at=0 writable=
shift 3
freeze() {
  flags=$(while read -r _ _ _ _ target options _; do
    [ "$(printf %b "$target")" = "$1" ] && echo "\${options#r[wo]}"; done < /proc/self/mountinfo | tail -n 1)
  mount -o "remount,bind,ro$flags" -- "$1" || fail "$1"
}
while [ "$1" != -- ]; do
  case $1 in
    hold) held=$((held + 1)); mkdir -p "k$held" && mount --bind -- "$2" "k$held" || fail "$2" ;;
    put) put=$((put + 1)); mount --bind -- "k$put" "$2" || fail "$2"; writable="$writable$2
" ;;
    temporary) at=$((at + 1)); mkdir -p "l$at" "u$at" "w$at" && mount --bind -- "$2" "l$at" &&
      mount -t overlay overlay -o "lowerdir=l$at,upperdir=u$at,workdir=w$at$xattr" -- "$2" || fail "$2"
      writable="$writable$2
" ;;
    write) mount --rbind -- "$2" "$2" || fail "$2"; writable="$writable$2
" ;;
    hide) if [ -d "$2" ]; then mount --bind empty "$2"; elif [ -e "$2" ]; then mount --bind none "$2"; fi || fail "$2"
      [ -e "$2" ] && freeze "$2" ;;
    protect) if [ -e "$2" ]; then mount --rbind -- "$2" "$2" && freeze "$2"; fi || fail "$2" ;;
  esac
  shift 2
done
shift
if [ "$mode" = read-only ]; then
mount -t tmpfs -o mode=755 devices dev || fail /dev
for name in null zero full random urandom tty; do
  : > "dev/$name" && mount --bind "/dev/$name" "dev/$name" || fail "/dev/$name"
done
mkdir dev/pts dev/shm && mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts || fail /dev/pts
ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd
for name in stdin:0 stdout:1 stderr:2; do ln -s "/proc/self/fd/\${name#*:}" "dev/\${name%:*}"; done
mount --rbind dev /dev || fail /dev
isWritable() {
  while read -r folder; do
    case $1/ in "$folder"/*) [ -n "$folder" ] && return 0 ;; esac
  done <<END
$writable/dev
END
  return 1
}
while read -r _ _ _ _ target options _; do
  target=$(printf %b "$target")
  [ -e "$target" ] || continue
  isWritable "$target" || mount -o "remount,bind,ro\${options#r[wo]}" -- "$target" || fail "$target"
done <<END
$(cat /proc/self/mountinfo)
END
fi
`;

/** The arguments of `applyBounds`. */
export function boundsArguments(bounds: Bounds, isUserNamespace: boolean): readonly string[] {
  const { writable, hidden, temporary, storage, isReadOnly } = bounds;
  const operations = [
    ...writable.map((path) => ['write', path]),
    ...temporary.flatMap(({ folder, keeps }) => [
      ...keeps.map((path) => ['hold', path]),
      ['temporary', folder],
      ...keeps.map((path) => ['put', path]),
    ]),
    ...bounds.protected.map((path) => ['protect', path]),
    // Last, because a mount over a folder also covers the mounts below it.
    ...hidden.map((path) => ['hide', path]),
  ];
  const mode = isReadOnly ? 'read-only' : 'writable';
  return [storage, mode, isUserNamespace ? ',userxattr' : '', ...operations.flat(), '--'];
}
