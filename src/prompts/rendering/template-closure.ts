import { areLong, runInThread } from '../files/work-thread.ts';
import { scanTemplate } from '../template/scanner.ts';
import { resolveReferences } from '../template/template-references.ts';

/** The files that a template can include, by their names inside the library. */
export interface TemplateFiles {
  load(name: string): Promise<string | undefined>;
  names(): readonly string[];
}

/** The name and source of each message's template. */
export type MessageTemplates = readonly (readonly [name: string, source: string])[];

/** Templates and all templates that they include, import or extend, directly or indirectly. */
export interface TemplateClosure {
  /** Sources by name, with relative references resolved. */
  readonly sources: ReadonlyMap<string, string>;
  /** The text of each referenced file. `undefined` for a file that does not exist. */
  readonly loaded: ReadonlyMap<string, string | undefined>;
  /** All template files of the library, if a reference is known only at run time. */
  readonly listed: readonly string[] | undefined;
}

interface Scanned {
  readonly source: string;
  readonly resolved: string;
  /** `undefined` for a name that is known only at run time. */
  readonly references: readonly (string | undefined)[];
}

/** A cache of scanned files by name, shared by the templates that include them. */
export type ScannedFiles = Map<string, Scanned>;

export async function collectTemplates(
  messages: MessageTemplates,
  files: TemplateFiles,
  scanned: ScannedFiles = new Map(),
): Promise<TemplateClosure> {
  const sources = new Map<string, string>();
  const loaded = new Map<string, string | undefined>();
  let listed: readonly string[] | undefined;
  const pending: (readonly [string, string])[] = [...messages];
  const loadOnce = async (name: string) => {
    if (loaded.has(name)) return;
    const source = await files.load(name);
    loaded.set(name, source);
    if (source !== undefined) pending.push([name, source]);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, source] = next;
    if (sources.has(name)) continue;
    const known = scanned.get(name);
    const { resolved, references } = known?.source === source ? known : await scan(name, source);
    if (loaded.has(name)) scanned.set(name, { source, resolved, references });
    sources.set(name, resolved);
    for (const reference of references) {
      if (reference !== undefined) await loadOnce(reference);
      else if (listed === undefined) {
        // The name is known only at run time, so load all files.
        listed = files.names();
        for (const other of listed) await loadOnce(other);
      }
    }
  }
  return { sources, loaded, listed };
}

async function scan(name: string, source: string): Promise<Scanned> {
  if (!areLong([source])) return scanSource(name, source);
  return (await runInThread('scan', { name, source })) as Scanned;
}

export function scanSource(name: string, source: string): Scanned {
  const resolved = resolveReferences(name, source);
  return { source, resolved, references: scanTemplate(resolved).references.map((one) => one.name) };
}
