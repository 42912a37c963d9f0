import type { TemplateSet } from '../definition/source.ts';
import { Jinja } from '../jinja/jinja.ts';
import {
  collectTemplates,
  type MessageTemplates,
  type TemplateClosure,
  type TemplateFiles,
} from './template-closure.ts';

export type { MessageTemplates, TemplateFiles } from './template-closure.ts';

/** Templates compiled together with all templates that they reference. */
export class CompiledTemplates implements TemplateSet {
  readonly jinja = new Jinja();
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
    try {
      for (const [name, source] of closure.sources) compiled.jinja.set(name, source);
      return compiled;
    } catch (error) {
      compiled.jinja.close();
      throw error;
    }
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
