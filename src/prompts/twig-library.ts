import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize, posix, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Content, Problem } from '../feature.ts';
import { attachmentOf } from './attachment.ts';
import type { MessageDefinition, PromptDefinition } from './definition.ts';
import { type CachedFile, FileCache } from './file-cache.ts';
import type { FolderCache } from './folder-cache.ts';
import { digestOf } from './revision.ts';
import type { MessageTemplates, TemplateClosure, TemplateFiles } from './template-closure.ts';
import { decodeText } from './text-file.ts';
import { type Manifest, type ManifestMessage, type ManifestPrompt, parseManifest } from './twig-manifest.ts';

/** What became of one prompt: its definition, or why there is none. */
export interface Outcome {
  readonly definition?: PromptDefinition;
  readonly problems: readonly Problem[];
  /** Where the files lie that it is made of. */
  readonly folders: readonly string[];
}

interface Remembered extends Outcome {
  readonly prompt: ManifestPrompt;
  /** The file of each message; as long as these are the same the outcome is. */
  readonly parts: readonly unknown[];
  readonly closure: TemplateClosure | undefined;
}

/** Names of files a template may include. Those that would turn on escaping are not among them. */
const templateFile = /^(?!.*\.(?:html?|xml|json5?|js|ya?ml)\.[^.]+$).*\.(?:md|txt|j2|jinja2?)$/;

/** A quick look before a template is scanned for what it refers to. */
const mayRefer = /\{%[-+]?\s*(?:include|import|extends|from)\b/;

/** One library: its manifest and the files beside it. Nothing outside its folder is ever read. */
export class TwigLibrary implements TemplateFiles {
  readonly name: string;
  readonly folder: string;
  readonly #folders: FolderCache;
  readonly #manifest = new FileCache<Manifest>({
    parse: (bytes, path) => parseManifest(decodeText(bytes), path),
  });
  readonly #texts = new FileCache<string>({ parse: decodeText });
  readonly #digests = new FileCache<string>({ parse: digestOf });
  readonly #attachments = new FileCache<Content>({ parse: (bytes, path) => attachmentOf(bytes, path) });
  readonly #outcomes = new Map<string, Remembered>();

  constructor(folder: string, folders: FolderCache) {
    this.folder = folder;
    this.name = normalizeLibraryName(basename(folder));
    this.#folders = folders;
  }

  /** `undefined` when the folder is no library. */
  manifest(): Promise<CachedFile<Manifest> | undefined> {
    return this.#manifest.load(join(this.folder, 'twig.toml'));
  }

  /** A problem of the manifest, with the names under which its prompts are served. */
  named(problem: Problem): Problem {
    return {
      ...problem,
      ...(problem.prompts && { prompts: problem.prompts.map((name) => this.#nameOf(name)) }),
    };
  }

  #nameOf(prompt: string): string {
    return `${this.name}:${prompt}`;
  }

  get promptsFolder(): string {
    return join(this.folder, 'prompts');
  }

  async outcome(prompt: ManifestPrompt): Promise<Outcome> {
    return this.unchanged(prompt) ?? this.#define(prompt);
  }

  /** What became of a prompt before, if everything it depends on still is as it was; waits for nothing. */
  unchanged(prompt: ManifestPrompt): Outcome | undefined {
    const known = this.#outcomes.get(prompt.name);
    if (known?.prompt !== prompt) return undefined;
    const same = prompt.messages.every((message, index) => {
      if (message.kind === 'text') return true;
      const part = known.parts[index];
      const path = this.#pathOf(message);
      if (message.kind === 'attachment')
        return part === undefined ? !existsSync(path) : this.#digests.unchanged(path) === part;
      return part !== undefined && this.#texts.unchanged(path) === part;
    });
    return same && this.#sameFiles(known.closure) ? known : undefined;
  }

  #pathOf({ kind, path }: ManifestMessage & { readonly kind: 'file' | 'attachment' }): string {
    return join(kind === 'file' ? this.promptsFolder : this.folder, path);
  }

  #sameFiles(closure: TemplateClosure | undefined): boolean {
    if (closure === undefined) return true;
    const { loaded, listed } = closure;
    if (listed !== undefined && listed.join() !== this.names().join()) return false;
    return [...loaded].every(([name, source]) => {
      const path = this.#templatePath(name);
      if (source === undefined) return path === undefined || !existsSync(path);
      return this.#texts.unchanged(path!)?.value === source;
    });
  }

  /** With the bytes of the files that are sent as they are. */
  async complete(prompt: ManifestPrompt, definition: PromptDefinition): Promise<PromptDefinition> {
    if (!prompt.messages.some(isAttachment)) return definition;
    const messages = await Promise.all(
      definition.messages.map(async (message, index) => {
        const written = prompt.messages[index]!;
        if (!isAttachment(written)) return message;
        const loaded = await this.#attachments.load(join(this.folder, written.path), this.folder);
        return loaded?.value === undefined ? message : { ...message, content: loaded.value };
      }),
    );
    return { ...definition, messages };
  }

  /** The name of the template and its text, for each message that has one. */
  templatesOf(prompt: ManifestPrompt, definition: Pick<PromptDefinition, 'messages'>): MessageTemplates {
    return prompt.messages.map((message, index) => {
      const { content } = definition.messages[index]!;
      const text = content.type === 'text' ? content.text : '';
      return [message.kind === 'file' ? posixPath(message.path) : `twig.toml message ${index + 1}.md`, text];
    });
  }

  async load(name: string): Promise<string | undefined> {
    const path = this.#templatePath(name);
    return path && (await this.#texts.load(path, this.folder))?.value;
  }

  /** `undefined` for a name that no template may refer to. */
  #templatePath(name: string): string | undefined {
    const path = normalize(name);
    if (!templateFile.test(name) || path.startsWith('..') || name !== posixPath(path)) return undefined;
    return join(this.promptsFolder, path);
  }

  names(): readonly string[] {
    const names: string[] = [];
    const visit = (folder: string, prefix: string) => {
      for (const entry of this.#folders.entries(folder) ?? []) {
        if (entry.isDirectory()) visit(join(folder, entry.name), `${prefix}${entry.name}/`);
        else if (templateFile.test(entry.name)) names.push(`${prefix}${entry.name}`);
      }
    };
    visit(this.promptsFolder, '');
    return names;
  }

  async #define(prompt: ManifestPrompt): Promise<Outcome> {
    const name = this.#nameOf(prompt.name);
    const parts: unknown[] = [];
    const problems: Problem[] = [];
    const messages: MessageDefinition[] = [];
    for (const message of prompt.messages) {
      const { part, content, problem } = await this.#message(message);
      parts.push(part);
      if (problem !== undefined) problems.push({ ...problem, prompts: [name] });
      if (content !== undefined) messages.push({ role: message.role, content });
    }
    const closure = await this.#closureOf(prompt, messages);
    const {
      messages: { length },
      ...described
    } = prompt;
    const file = join(this.promptsFolder, `${prompt.name}.md`);
    const dependencies = dependenciesOf(prompt, parts, closure);
    const outcome: Remembered = {
      prompt,
      parts,
      closure,
      problems,
      folders: this.#foldersOf(prompt, closure),
      ...(messages.length === length && {
        definition: { ...described, name, messages, file, line: 1, ...(dependencies && { dependencies }) },
      }),
    };
    this.#outcomes.set(prompt.name, outcome);
    return outcome;
  }

  async #closureOf(
    prompt: ManifestPrompt,
    messages: readonly MessageDefinition[],
  ): Promise<TemplateClosure | undefined> {
    if (prompt.template !== 'jinja' || messages.length !== prompt.messages.length) return undefined;
    const templates = this.templatesOf(prompt, { messages });
    if (!templates.some(([, text]) => mayRefer.test(text))) return undefined;
    const { collectTemplates } = await import('./template-closure.ts');
    return collectTemplates(templates, this);
  }

  #foldersOf({ messages }: ManifestPrompt, closure: TemplateClosure | undefined): readonly string[] {
    const files = messages.flatMap((message) => (message.kind === 'text' ? [] : this.#pathOf(message)));
    const included = [...(closure?.loaded.keys() ?? [])].flatMap((name) => this.#templatePath(name) ?? []);
    return [...new Set([...files, ...included].map((path) => dirname(path)))];
  }

  async #message(message: ManifestMessage): Promise<{ part: unknown; content?: Content; problem?: Problem }> {
    if (message.kind === 'text') return { part: message, content: { type: 'text', text: message.text } };
    const path = this.#pathOf(message);
    if (isAttachment(message)) return attachmentLink(path, await this.#digests.load(path, this.folder));
    const file = await this.#texts.load(path, this.folder);
    if (file === undefined) return { part: undefined, problem: missing(path) };
    return {
      part: file,
      ...(file.value !== undefined && { content: { type: 'text', text: file.value } }),
      ...(file.problem !== undefined && { problem: file.problem }),
    };
  }
}

function isAttachment(message: ManifestMessage): message is ManifestMessage & { kind: 'attachment' } {
  return message.kind === 'attachment';
}

function attachmentLink(
  path: string,
  part: CachedFile<string> | undefined,
): { part: unknown; content?: Content; problem?: Problem } {
  if (part === undefined) return { part, problem: missing(path) };
  return {
    part,
    content: { type: 'resource_link', uri: pathToFileURL(path).href, name: basename(path) },
  };
}

function dependenciesOf(
  { messages }: ManifestPrompt,
  parts: readonly unknown[],
  closure: TemplateClosure | undefined,
): PromptDefinition['dependencies'] {
  const attached = messages.flatMap((message, index): readonly [string, string][] => {
    const digest = isAttachment(message) && (parts[index] as CachedFile<string> | undefined)?.value;
    return digest ? [[posixPath(message.path), digest]] : [];
  });
  const included = [...(closure?.loaded ?? [])].flatMap(([name, text]): readonly [string, string][] =>
    text === undefined ? [] : [[`prompts/${name}`, digestOf(text)]],
  );
  const all = [...attached, ...included].sort(([a], [b]) => (a < b ? -1 : 1));
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

function missing(file: string): Problem {
  return { file, severity: 'error', message: 'Prompt content file not found' };
}

/** Lower case; every character that is neither letter, digit nor underscore becomes one; none at the ends. */
export function normalizeLibraryName(folder: string): string {
  return folder
    .toLowerCase()
    .replaceAll(/[^\p{Alphabetic}\p{N}_]/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
}

function posixPath(path: string): string {
  return sep === posix.sep ? path : path.replaceAll(sep, posix.sep);
}
