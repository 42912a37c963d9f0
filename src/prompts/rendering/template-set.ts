import { Pace } from '../../awaitable.ts';
import type { TemplateSet } from '../definition/source.ts';
import { areLong, thread } from '../files/work-thread.ts';
import { Jinja } from '../jinja/jinja.ts';
import { TemplateError } from '../jinja/template-error.ts';
import {
  collectTemplates,
  type MessageTemplates,
  type TemplateClosure,
  type TemplateFiles,
} from './template-closure.ts';
import { renderInThread, shortLimits } from './template-thread.ts';

export type { MessageTemplates, TemplateFiles } from './template-closure.ts';

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
