import type { PromptDefinition } from '../definition/definition.ts';
import { ifFound } from '../definition/source.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { escapeJinja } from '../template/lexer.ts';
import { promptOf, renameReferences, resolveName, withPromptReferences } from '../template/references.ts';
import { inputPlaceholder } from './rendering.ts';
import type { MessageTemplates, TemplateFiles } from './template-set.ts';

/** The prompts and library files that templates of any source can use. */
export interface ComposedPrompts {
  find(name: string): Promise<{ readonly definition: PromptDefinition }>;
  /** The text of a template file, or `undefined` if there is no such library or file. */
  libraryFile(library: string, path: string): Promise<string | undefined>;
}

/** A file of another library: `library:/path`. */
const foreignFile = /^([^:]*):\/(.+)$/s;
const jinjaName = /^[A-Za-z_]\w*$/;

/** Lets the templates of one source use the prompts of all sources. */
export class Composition {
  readonly #prompts: ComposedPrompts;

  constructor(prompts: ComposedPrompts) {
    this.#prompts = prompts;
  }

  messages(messages: MessageTemplates): MessageTemplates {
    return messages.map(([name, source]) => [name, withPromptReferences(source)]);
  }

  /** The files of a library, and under further names the prompts and files that they use. */
  files(own: TemplateFiles): TemplateFiles {
    return { names: () => own.names(), load: (name) => this.#load(name, own) };
  }

  async #load(name: string, own: TemplateFiles): Promise<string | undefined> {
    const prompt = promptOf(name);
    if (prompt !== undefined) return this.#promptText(prompt, name);
    const [, library, path] = foreignFile.exec(name) ?? [];
    if (library !== undefined) {
      const text = await this.#prompts.libraryFile(library, path!);
      return text === undefined ? undefined : inLibrary(library, name, text);
    }
    const text = await own.load(name);
    return text === undefined ? undefined : withPromptReferences(text);
  }

  async #promptText(name: string, template: string): Promise<string | undefined> {
    const { definition } = (await ifFound(this.#prompts.find(name))) ?? {};
    if (definition === undefined) return undefined;
    const texts = definition.messages.map(({ content }) => {
      if (content.type === 'text') return toJinja(definition, content.text);
      throw new TemplateError(
        template,
        `it contains a message of the type ${content.type}, so it cannot be included`,
      );
    });
    // Only libraries have files of their own. The name of another prompt leads to no library.
    const [library = ''] = name.split(':', 1);
    const text = texts.join('\n\n');
    return inLibrary(library, template, defaultsOf(definition, text) + text);
  }
}

/** Gives the files that a text includes their full names, because it is used outside its library. */
function inLibrary(library: string, template: string, text: string): string {
  const folder = promptOf(template) === undefined ? template : `${library}:/${library}`;
  return renameReferences(withPromptReferences(text), (name) => {
    if (promptOf(name) !== undefined) return name;
    const resolved = resolveName(folder, name);
    if (resolved.startsWith(`${library}:/`)) return resolved;
    // A path that leaves the library keeps its dots, so that no file is found.
    return `${library}:/${resolved === name ? '' : '../'}${resolved}`;
  });
}

/** The text of a prompt as a Jinja template. Arguments are variables of the template that includes it. */
function toJinja({ template, arguments: args }: PromptDefinition, text: string): string {
  if (template === 'jinja') return text;
  if (template === 'none') return escapeJinja(text);
  const names =
    template === 'input' ? ['input'] : args.map(({ name }) => name).filter((name) => jinjaName.test(name));
  const isArgument = new Set(names.map((name) => (template === 'input' ? inputPlaceholder : `{{${name}}}`)));
  return text
    .split(/(\{\{[^{}]+\}\})/)
    .map((part) => (isArgument.has(part) ? `{{ ${part.slice(2, -2)} }}` : escapeJinja(part)))
    .join('');
}

/** Sets optional arguments that the including template does not set. Stays on the first line, so that line numbers fit. */
function defaultsOf({ arguments: args }: PromptDefinition, text: string): string {
  // A template that asks whether an argument is defined must get the answer that it gets alone.
  const asked = new Set(
    [...text.matchAll(/\b(\w{1,100})\s{1,20}is\s{1,20}(?:not\s{1,20})?(?:un)?defined\b/g)].map(
      ([, name]) => name,
    ),
  );
  return args
    .filter(
      ({ name, required, default: value }) =>
        jinjaName.test(name) && (value !== undefined || (!required && !asked.has(name))),
    )
    .map(
      ({ name, default: value = '' }) =>
        `{% if ${name} is not defined %}{% set ${name} = ${JSON.stringify(value)} %}{% endif %}`,
    )
    .join('');
}
