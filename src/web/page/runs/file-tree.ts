/** A folder or a file of a tree, in the order in which it is shown. */
export interface TreeRow {
  /** The part of the path that the rows above do not show. */
  readonly label: string;
  readonly depth: number;
  /** The path of a file. Absent for a folder. */
  readonly path?: string;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
}

/** The files of a change as a tree. Folders that contain only one folder are one row. */
export function treeOf(paths: readonly string[]): readonly TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    let folder = root;
    for (const name of path.split('/').slice(0, -1)) {
      const next = folder.folders.get(name) ?? { folders: new Map(), files: [] };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.files.push(path);
  }
  return rowsOf(root, 0);
}

function rowsOf({ folders, files }: Folder, depth: number): readonly TreeRow[] {
  return [
    ...[...folders].flatMap(([name, folder]) => {
      const [label, inner] = joined(name, folder);
      return [{ label, depth }, ...rowsOf(inner, depth + 1)];
    }),
    ...files.map((path) => ({ label: path.split('/').at(-1)!, depth, path })),
  ];
}

function joined(name: string, folder: Folder): readonly [string, Folder] {
  const [only] = folder.folders;
  if (only === undefined || folder.folders.size > 1 || folder.files.length > 0) return [name, folder];
  return joined(`${name}/${only[0]}`, only[1]);
}
