import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Content } from '../../content.ts';
import type { Problem } from '../../feature.ts';
import { knownMimeType } from '../../mime-types.ts';
import { digestOf, type MessageDefinition, type PromptDefinition } from '../definition/definition.ts';
import { type CachedFile, decodeText, FileCache } from '../files/file-cache.ts';
import type { FolderCache } from '../files/folder-walk.ts';
import { longText, runInThread } from '../files/work-thread.ts';
import type { MessageTemplates } from '../rendering/template-set.ts';
import { promptNames, withPromptReferences } from '../template/references.ts';
import {
  isAttachment,
  type Manifest,
  type ManifestMessage,
  type ManifestPrompt,
  parseManifest,
} from './twig-manifest.ts';
import { posixPath, type References, ReferenceTracker, TwigTemplates } from './twig-templates.ts';

/** A loaded prompt: its definition, or the problems that prevented it. */
interface LoadedPrompt {
  readonly definition?: PromptDefinition;
  readonly problems: readonly Problem[];
  /** The folders of all files that the prompt uses. */
  readonly folders: readonly string[];
}

interface CachedPrompt extends LoadedPrompt {
  readonly prompt: ManifestPrompt;
  /** The cached file of each message. If all of them are unchanged, so is the prompt. */
  readonly parts: readonly unknown[];
  readonly references: References | undefined;
}

/** One library: its manifest and the files beside it. Never reads anything outside its folder. */
export class TwigLibrary {
  readonly name: string;
  readonly folder: string;
  readonly templates: TwigTemplates;
  readonly #manifest = new FileCache<Manifest>({
    parse: (bytes, path) =>
      bytes.length <= longText
        ? parseManifest(decodeText(bytes), path)
        : (runInThread('manifest', { bytes, file: path }) as Promise<Manifest>),
  });
  readonly #digests = new FileCache<string>({ parse: async (bytes) => digestOf(bytes) });
  readonly #attachments = new FileCache<Content>({ parse: async (bytes, path) => attachmentOf(bytes, path) });
  readonly #references: ReferenceTracker;
  readonly #composes: boolean;
  readonly #loadedPrompts = new Map<string, CachedPrompt>();

  /** With `composes`, the templates can use prompts of other sources. */
  constructor(folder: string, folders: FolderCache, composes: boolean) {
    this.folder = folder;
    this.name = normalizeLibraryName(basename(folder));
    this.templates = new TwigTemplates(folder, folders);
    this.#references = new ReferenceTracker(this.templates, composes);
    this.#composes = composes;
  }

  /** Call before each pass over the prompts. */
  beginPass(): void {
    this.#references.beginPass();
  }

  /** Returns `undefined` if the folder is not a library. */
  manifest(): Promise<CachedFile<Manifest> | undefined> {
    return this.#manifest.load(join(this.folder, 'twig.toml'));
  }

  /** Adds the library's name to the prompt names in a problem of the manifest. */
  withQualifiedNames(problem: Problem): Problem {
    return {
      ...problem,
      ...(problem.prompts && { prompts: problem.prompts.map((name) => this.#qualifiedName(name)) }),
    };
  }

  #qualifiedName(prompt: string): string {
    return `${this.name}:${prompt}`;
  }

  async loadPrompt(prompt: ManifestPrompt): Promise<LoadedPrompt> {
    return this.unchanged(prompt) ?? this.#define(prompt);
  }

  /** Returns the cached prompt if none of its files has changed. Synchronous, because it runs for every prompt of a list. */
  unchanged(prompt: ManifestPrompt): LoadedPrompt | undefined {
    const known = this.#loadedPrompts.get(prompt.name);
    if (known?.prompt !== prompt) return undefined;
    const isUnchanged = prompt.messages.every((message, index) => {
      if (message.kind === 'text') return true;
      const part = known.parts[index];
      const path = this.#messagePath(message);
      if (message.kind === 'attachment')
        return part === undefined ? !existsSync(path) : this.#digests.unchanged(path) === part;
      return part !== undefined && this.templates.unchangedFile(path) === part;
    });
    const { references } = known;
    return isUnchanged && (references === undefined || this.#references.isCurrent(references))
      ? known
      : undefined;
  }

  #messagePath({ kind, path }: ManifestMessage & { readonly kind: 'file' | 'attachment' }): string {
    return join(kind === 'file' ? this.templates.folder : this.folder, path);
  }

  /** Replaces links to attachments with the contents of the files. */
  async withAttachments(prompt: ManifestPrompt, definition: PromptDefinition): Promise<PromptDefinition> {
    if (!prompt.messages.some(isAttachment)) return definition;
    const messages = await Promise.all(
      definition.messages.map(async (message, index) => {
        const declared = prompt.messages[index]!;
        if (!isAttachment(declared)) return message;
        const loaded = await this.#attachments.load(join(this.folder, declared.path), this.folder);
        return loaded?.value === undefined ? message : { ...message, content: loaded.value };
      }),
    );
    return { ...definition, messages };
  }

  /** Returns the template name and text of each message; the text is empty for attachments. */
  templatesOf(prompt: ManifestPrompt, definition: Pick<PromptDefinition, 'messages'>): MessageTemplates {
    return prompt.messages.map((message, index) => {
      const { content } = definition.messages[index]!;
      const text = content.type === 'text' ? content.text : '';
      return [message.kind === 'file' ? posixPath(message.path) : `twig.toml message ${index + 1}.md`, text];
    });
  }

  async #define(prompt: ManifestPrompt): Promise<LoadedPrompt> {
    const name = this.#qualifiedName(prompt.name);
    const parts: unknown[] = [];
    const problems: Problem[] = [];
    const messages: MessageDefinition[] = [];
    for (const message of prompt.messages) {
      const { part, content, problem } = await this.#loadMessage(message);
      parts.push(part);
      if (problem !== undefined) problems.push({ ...problem, prompts: [name] });
      if (content !== undefined) messages.push({ role: message.role, content });
    }
    const references = await this.#findReferences(prompt, messages);
    const {
      messages: { length },
      ...described
    } = prompt;
    const file = join(this.templates.folder, `${prompt.name}.md`);
    const uses = this.#composes ? usedPrompts(messages, references) : [];
    const dependencies = { ...attachmentDigests(prompt, parts), ...references?.digests };
    const loaded: CachedPrompt = {
      prompt,
      parts,
      references,
      problems,
      folders: this.#usedFolders(prompt, references),
      ...(messages.length === length && {
        definition: {
          ...described,
          name,
          messages,
          file,
          line: 1,
          ...(Object.keys(dependencies).length > 0 && { dependencies }),
          ...(uses.length > 0 && { uses }),
        },
      }),
    };
    this.#loadedPrompts.set(prompt.name, loaded);
    return loaded;
  }

  async #findReferences(
    prompt: ManifestPrompt,
    messages: readonly MessageDefinition[],
  ): Promise<References | undefined> {
    if (prompt.template !== 'jinja' || messages.length !== prompt.messages.length) return undefined;
    return this.#references.find(this.templatesOf(prompt, { messages }));
  }

  #usedFolders({ messages }: ManifestPrompt, references: References | undefined): readonly string[] {
    const files = messages.flatMap((message) =>
      message.kind === 'text' ? [] : dirname(this.#messagePath(message)),
    );
    return [...new Set(files), ...(references?.folders ?? [])];
  }

  async #loadMessage(
    message: ManifestMessage,
  ): Promise<{ part: unknown; content?: Content; problem?: Problem }> {
    if (message.kind === 'text') return { part: message, content: { type: 'text', text: message.text } };
    const path = this.#messagePath(message);
    if (isAttachment(message)) return attachmentLink(path, await this.#digests.load(path, this.folder));
    const file = await this.templates.loadFile(path);
    if (file === undefined) return { part: undefined, problem: missingFile(path) };
    return {
      part: file,
      ...(file.value !== undefined && { content: { type: 'text', text: file.value } }),
      ...(file.problem !== undefined && { problem: file.problem }),
    };
  }
}

function usedPrompts(
  messages: readonly MessageDefinition[],
  references: References | undefined,
): readonly string[] {
  if (references === undefined) return [];
  const own = messages.flatMap(({ content }) =>
    content.type === 'text' ? promptNames(withPromptReferences(content.text)) : [],
  );
  return [...new Set([...own, ...references.uses])];
}

function attachmentLink(
  path: string,
  part: CachedFile<string> | undefined,
): { part: unknown; content?: Content; problem?: Problem } {
  if (part === undefined) return { part, problem: missingFile(path) };
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

function missingFile(file: string): Problem {
  return { file, severity: 'error', message: 'Prompt content file not found' };
}

/** Lower case, with underscores for all characters except letters and digits, and none at the ends. */
export function normalizeLibraryName(folder: string): string {
  return folder
    .toLowerCase()
    .replaceAll(/[^\p{Alphabetic}\p{N}_]/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
}

/** Converts a file to message content: images and audio get their own type, other files become embedded resources. */
function attachmentOf(bytes: Buffer, path: string): Content {
  const mimeType = knownMimeType(path);
  const [family] = mimeType?.split('/') ?? [];
  if (family === 'image' || family === 'audio')
    return { type: family, data: bytes.toString('base64'), mimeType: mimeType! };
  const uri = pathToFileURL(path).href;
  try {
    return {
      type: 'resource',
      resource: { uri, mimeType: mimeType ?? 'text/plain', text: decodeText(bytes) },
    };
  } catch {
    const type = mimeType ?? 'application/octet-stream';
    return { type: 'resource', resource: { uri, mimeType: type, blob: bytes.toString('base64') } };
  }
}
