import { Pace } from '../../pace.ts';
import { ThreadLimit } from '../../threads/work-threads.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import { areLong, runInThread, thread } from '../files/work-thread.ts';
import { Jinja } from '../jinja/jinja.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { resolveReferences } from '../template/references.ts';
import { scanTemplate } from '../template/scanner.ts';
import { freeVariables } from '../template/variables.ts';

/** If the arguments have this many characters in total, the template is rendered in a thread. */
const longArguments = 256 * 1024;

function lengthOf(args: Readonly<Record<string, unknown>>): number {
  return Object.values(args).reduce(
    (sum: number, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
}

/** Templates compiled together with all templates that they reference. */
export class CompiledTemplates implements TemplateSet {
  /** `undefined` if the templates are long or slow, and therefore rendered in a thread. */
  #jinja: Jinja | undefined;
  readonly names: readonly string[];
  readonly #messages: MessageTemplates;
  readonly #files: TemplateFiles;
  readonly #closure: TemplateClosure;

  private constructor(messages: MessageTemplates, files: TemplateFiles, closure: TemplateClosure) {
    this.#messages = messages;
    this.#files = files;
    this.#closure = closure;
    this.names = messages.map(([name]) => name);
  }

  /** Throws TemplateError if one of the templates is invalid. */
  static async compile(messages: MessageTemplates, files: TemplateFiles): Promise<CompiledTemplates> {
    const closure = await collectTemplates(messages, files);
    const compiled = new CompiledTemplates(messages, files, closure);
    await compiled.#compile();
    return compiled;
  }

  async render(template: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    try {
      if (this.#jinja !== undefined && (thread.isCurrent || lengthOf(args) < longArguments))
        return this.#jinja.render(template, args);
    } catch (error) {
      this.#leaveToThread(error);
    }
    return renderInThread({ sources: this.sources, name: template, args });
  }

  close(): void {
    this.#jinja?.close();
  }

  async #compile(): Promise<void> {
    const pace = new Pace();
    try {
      if (areLong(this.sources.values())) return void (await renderInThread({ sources: this.sources }));
      this.#jinja = new Jinja(thread.isCurrent ? {} : shortLimits);
      for (const [name, source] of this.sources) {
        this.#jinja.set(name, source);
        await pace.pause;
      }
    } catch (error) {
      if (this.#jinja === undefined) throw error;
      this.#leaveToThread(error);
      await renderInThread({ sources: this.sources });
    }
  }

  /** Throws the error again unless it only means that the template is slow. */
  #leaveToThread(error: unknown): void {
    const isSlow = error instanceof TemplateError && error.isSlow;
    if (!isSlow) throw error;
    this.close();
    this.#jinja = undefined;
  }

  get sources(): ReadonlyMap<string, string> {
    return this.#closure.sources;
  }

  sourceOf(template: string): string | undefined {
    return this.#closure.sources.get(template);
  }

  /** Whether the messages and all referenced files are unchanged since compilation. */
  async isCurrent(messages: MessageTemplates): Promise<boolean> {
    const { loaded, listed } = this.#closure;
    if (messages.some(([, source], index) => source !== this.#messages[index]![1])) return false;
    for (const [name, source] of loaded) if ((await this.#files.load(name)) !== source) return false;
    return listed === undefined || listed.join() === this.#files.names().join();
  }
}

/** The files that a template can include, by their names inside the library. */
export interface TemplateFiles {
  load(name: string): Promise<string | undefined>;
  names(): readonly string[];
}

/** The name and source of each message's template. */
export type MessageTemplates = readonly (readonly [name: string, source: string])[];

/** Templates and all templates that they include, import or extend, directly or indirectly. */
interface TemplateClosure {
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

/** Limits for the thread that answers requests. Slower templates are left to a thread. */
export const shortLimits = { milliseconds: 40 };

interface TemplateWork {
  readonly sources: ReadonlyMap<string, string>;
  /** The template to render with these arguments. Without it, the templates are only compiled. */
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

type TemplateAnswer =
  | { readonly text: string }
  | Pick<TemplateError, 'template' | 'message' | 'line' | 'column'>;

/** Compiles and renders templates in a thread. Throws TemplateError like the engine. */
async function renderInThread(work: TemplateWork): Promise<string> {
  const answer = (await threadFor('templates', work, work.name)) as TemplateAnswer;
  if ('text' in answer) return answer.text;
  throw new TemplateError(answer.template, answer.message, answer.line, answer.column);
}

/** Throws TemplateError if the template is invalid. `jinja` has the short limits. */
export async function checkSyntax(jinja: Jinja, name: string, source: string): Promise<void> {
  try {
    if (!areLong([source])) return jinja.set(name, source);
  } catch (error) {
    if (!(error instanceof TemplateError && error.isSlow)) throw error;
  }
  await renderInThread({ sources: new Map([[name, source]]) });
}

/** The work of the thread. Errors are results, because they would lose their class. */
export function runTemplates({ sources, name, args = {} }: TemplateWork): TemplateAnswer {
  const jinja = new Jinja();
  try {
    for (const [template, source] of sources) jinja.set(template, source);
    return { text: name === undefined ? '' : jinja.render(name, args) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template, message, line, column } = error;
    return { template, message, line, column };
  } finally {
    jinja.close();
  }
}

export interface UnknownVariable {
  readonly name: string;
  readonly template: string;
  readonly line: number;
}

interface VariableCheck extends Pick<TemplateSet, 'names' | 'sources'> {
  readonly declared: ReadonlySet<string>;
}

/** The first variable that is neither set nor declared as an argument. Long templates are searched in a thread. */
export async function unknownVariable(
  { arguments: declared }: PromptDefinition,
  { names, sources }: TemplateSet,
): Promise<UnknownVariable | undefined> {
  const check = { names, sources, declared: new Set(declared.map(({ name }) => name)) };
  if (!areLong(sources.values())) return firstUnknown(check);
  return (await threadFor('unknown', check, names[0])) as UnknownVariable | undefined;
}

export function firstUnknown({ names, sources, declared }: VariableCheck): UnknownVariable | undefined {
  for (const template of names) {
    const found = freeVariables(sources.get(template) ?? '', (name) => sources.get(name)).find(
      ({ name, called, guarded }) => !called && !guarded && !declared.has(name),
    );
    if (found !== undefined) return { template, ...found };
  }
  return undefined;
}

async function threadFor(task: string, input: unknown, template = ''): Promise<unknown> {
  try {
    return await runInThread(task, input);
  } catch (error) {
    if (!(error instanceof ThreadLimit)) throw error;
    throw new TemplateError(template, `the template could not be processed: ${error.message}`);
  }
}
