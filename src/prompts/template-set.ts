import { Jinja } from './jinja.ts';
import { scanTemplate } from './lint/scanner.ts';
import type { TemplateSet } from './source.ts';
import { resolveReferences } from './template-references.ts';

/** The files a template can reach, by their names inside the library. */
export interface TemplateFiles {
  load(name: string): Promise<string | undefined>;
  names(): readonly string[];
}

/** The template of each message: its name and its text. */
export type MessageTemplates = readonly (readonly [name: string, source: string])[];

/** Templates, compiled with everything they refer to. */
export class CompiledTemplates implements TemplateSet {
  readonly jinja = new Jinja();
  readonly names: readonly string[];
  readonly #messages: MessageTemplates;
  readonly #files: TemplateFiles;
  /** By name, with relative references resolved. */
  readonly #sources = new Map<string, string>();
  /** What was asked for while compiling, and what came. */
  readonly #loaded = new Map<string, string | undefined>();
  #listed: readonly string[] | undefined;

  private constructor(messages: MessageTemplates, files: TemplateFiles) {
    this.#messages = messages;
    this.#files = files;
    this.names = messages.map(([name]) => name);
  }

  /** Throws TemplateError where one of the templates is wrong. */
  static async compile(messages: MessageTemplates, files: TemplateFiles): Promise<CompiledTemplates> {
    const compiled = new CompiledTemplates(messages, files);
    try {
      await compiled.#collect();
      for (const [name, source] of compiled.#sources) compiled.jinja.set(name, source);
      return compiled;
    } catch (error) {
      compiled.jinja.close();
      throw error;
    }
  }

  sourceOf(template: string): string | undefined {
    return this.#sources.get(template);
  }

  /** Whether compiling again would make the same. */
  async isCurrent(messages: MessageTemplates): Promise<boolean> {
    if (messages.some(([, source], index) => source !== this.#messages[index]![1])) return false;
    for (const [name, source] of this.#loaded) if ((await this.#files.load(name)) !== source) return false;
    return this.#listed === undefined || this.#listed.join() === this.#files.names().join();
  }

  async #collect(): Promise<void> {
    const waiting: (readonly [string, string])[] = [...this.#messages];
    const want = async (name: string) => {
      if (this.#loaded.has(name)) return;
      const source = await this.#files.load(name);
      this.#loaded.set(name, source);
      if (source !== undefined) waiting.push([name, source]);
    };
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [name, source] = next;
      if (this.#sources.has(name)) continue;
      const resolved = resolveReferences(name, source);
      this.#sources.set(name, resolved);
      for (const reference of scanTemplate(resolved).references) {
        if (reference.name !== undefined) await want(reference.name);
        else if (this.#listed === undefined) {
          // The name is known only at run time, so it may be any.
          this.#listed = this.#files.names();
          for (const other of this.#listed) await want(other);
        }
      }
    }
  }
}
