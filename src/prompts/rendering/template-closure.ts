import { scanTemplate } from '../template/scanner.ts';
import { resolveReferences } from '../template/template-references.ts';

/** The files a template can reach, by their names inside the library. */
export interface TemplateFiles {
  load(name: string): Promise<string | undefined>;
  names(): readonly string[];
}

/** The template of each message: its name and its text. */
export type MessageTemplates = readonly (readonly [name: string, source: string])[];

/** Templates with everything that they include, import or extend. */
export interface TemplateClosure {
  /** By name, with relative references resolved. */
  readonly sources: ReadonlyMap<string, string>;
  /** The text of each file that was referred to; undefined for a file that does not exist. */
  readonly loaded: ReadonlyMap<string, string | undefined>;
  /** All template files of the library, where a reference is known only at run time. */
  readonly listed: readonly string[] | undefined;
}

interface Scanned {
  readonly source: string;
  readonly resolved: string;
  /** Undefined for a name that is known only at run time. */
  readonly references: readonly (string | undefined)[];
}

/** Files by name, each scanned once for all the templates that include it. */
export type ScannedFiles = Map<string, Scanned>;

export async function collectTemplates(
  messages: MessageTemplates,
  files: TemplateFiles,
  scanned: ScannedFiles = new Map(),
): Promise<TemplateClosure> {
  const sources = new Map<string, string>();
  const loaded = new Map<string, string | undefined>();
  let listed: readonly string[] | undefined;
  const waiting: (readonly [string, string])[] = [...messages];
  const want = async (name: string) => {
    if (loaded.has(name)) return;
    const source = await files.load(name);
    loaded.set(name, source);
    if (source !== undefined) waiting.push([name, source]);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [name, source] = next;
    if (sources.has(name)) continue;
    const known = scanned.get(name);
    const { resolved, references } = known?.source === source ? known : scan(name, source);
    if (loaded.has(name)) scanned.set(name, { source, resolved, references });
    sources.set(name, resolved);
    for (const reference of references) {
      if (reference !== undefined) await want(reference);
      else if (listed === undefined) {
        // The name is known only at run time, so it may be any.
        listed = files.names();
        for (const other of listed) await want(other);
      }
    }
  }
  return { sources, loaded, listed };
}

function scan(name: string, source: string): Scanned {
  const resolved = resolveReferences(name, source);
  return { source, resolved, references: scanTemplate(resolved).references.map((one) => one.name) };
}
