import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize, posix, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Content } from '../../content.ts';
import type { Problem } from '../../feature.ts';
import type { MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import { digestOf } from '../definition/revision.ts';
import { type CachedFile, FileCache } from '../files/file-cache.ts';
import type { FolderCache } from '../files/folder-cache.ts';
import { decodeText } from '../files/text-file.ts';
import { attachmentOf } from '../rendering/attachment.ts';
import type { MessageTemplates } from '../rendering/template-closure.ts';
import {
  isAttachment,
  type Manifest,
  type ManifestMessage,
  type ManifestPrompt,
  parseManifest,
} from './twig-manifest.ts';
import { type KnownTemplateFiles, type References, ReferenceTracker } from './twig-references.ts';

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
  readonly references: References | undefined;
}

/** Names of files a template may include. Those that would turn on escaping are not among them. */
const templateFile = /^(?!.*\.(?:html?|xml|json5?|js|ya?ml)\.[^.]+$).*\.(?:md|txt|j2|jinja2?)$/;

/** One library: its manifest and the files beside it. Nothing outside its folder is ever read. */
export class TwigLibrary implements KnownTemplateFiles {
  readonly name: string;
  readonly folder: string;
  readonly #folders: FolderCache;
  readonly #manifest = new FileCache<Manifest>({
    parse: (bytes, path) => parseManifest(decodeText(bytes), path),
  });
  readonly #texts = new FileCache<string>({ parse: decodeText });
  readonly #digests = new FileCache<string>({ parse: digestOf });
  readonly #attachments = new FileCache<Content>({ parse: (bytes, path) => attachmentOf(bytes, path) });
  readonly #references = new ReferenceTracker(this);
  readonly #outcomes = new Map<string, Remembered>();

  constructor(folder: string, folders: FolderCache) {
    this.folder = folder;
    this.name = normalizeLibraryName(basename(folder));
    this.#folders = folders;
  }

  /** Before each look at its prompts. */
  begin(): void {
    this.#references.begin();
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
      const path = this.#messagePath(message);
      if (message.kind === 'attachment')
        return part === undefined ? !existsSync(path) : this.#digests.unchanged(path) === part;
      return part !== undefined && this.#texts.unchanged(path) === part;
    });
    const { references } = known;
    return same && (references === undefined || this.#references.isCurrent(references)) ? known : undefined;
  }

  #messagePath({ kind, path }: ManifestMessage & { readonly kind: 'file' | 'attachment' }): string {
    return join(kind === 'file' ? this.promptsFolder : this.folder, path);
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
    const path = this.pathOf(name);
    return path && (await this.#texts.load(path, this.folder))?.value;
  }

  pathOf(name: string): string | undefined {
    const path = normalize(name);
    if (!templateFile.test(name) || path.startsWith('..') || name !== posixPath(path)) return undefined;
    return join(this.promptsFolder, path);
  }

  unchangedText(path: string): string | undefined {
    return this.#texts.unchanged(path)?.value;
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
    const references = await this.#referencesOf(prompt, messages);
    const {
      messages: { length },
      ...described
    } = prompt;
    const file = join(this.promptsFolder, `${prompt.name}.md`);
    const dependencies = { ...attachmentDigests(prompt, parts), ...references?.digests };
    const outcome: Remembered = {
      prompt,
      parts,
      references,
      problems,
      folders: this.#foldersOf(prompt, references),
      ...(messages.length === length && {
        definition: {
          ...described,
          name,
          messages,
          file,
          line: 1,
          ...(Object.keys(dependencies).length > 0 && { dependencies }),
        },
      }),
    };
    this.#outcomes.set(prompt.name, outcome);
    return outcome;
  }

  async #referencesOf(
    prompt: ManifestPrompt,
    messages: readonly MessageDefinition[],
  ): Promise<References | undefined> {
    if (prompt.template !== 'jinja' || messages.length !== prompt.messages.length) return undefined;
    return this.#references.of(this.templatesOf(prompt, { messages }));
  }

  #foldersOf({ messages }: ManifestPrompt, references: References | undefined): readonly string[] {
    const files = messages.flatMap((message) =>
      message.kind === 'text' ? [] : dirname(this.#messagePath(message)),
    );
    return [...new Set(files), ...(references?.folders ?? [])];
  }

  async #message(message: ManifestMessage): Promise<{ part: unknown; content?: Content; problem?: Problem }> {
    if (message.kind === 'text') return { part: message, content: { type: 'text', text: message.text } };
    const path = this.#messagePath(message);
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

function attachmentDigests({ messages }: ManifestPrompt, parts: readonly unknown[]): Record<string, string> {
  const digests = messages.flatMap((message, index): readonly (readonly [string, string])[] => {
    const digest = isAttachment(message) && (parts[index] as CachedFile<string> | undefined)?.value;
    return digest ? [[posixPath(message.path), digest]] : [];
  });
  return Object.fromEntries(digests);
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
