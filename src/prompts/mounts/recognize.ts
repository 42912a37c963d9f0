import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import { readRegularFileSync } from '../../regular-file.ts';
import type { Format } from '../formats/format.ts';
import { formatNamed, loadFormats } from '../formats/formats.ts';

/** A folder or file that holds prompts of one format. */
interface Recognized {
  /** A format of `prompts.mounts`, or `libraries`. */
  readonly format: string;
  /** Relative to the folder that was looked at; empty for that folder itself. */
  readonly path: string;
  /** True for the own folder of a client, in which names need no prefix. */
  readonly isClientFolder?: boolean;
}

const skipped = new Set(['.git', 'node_modules']);
const documents =
  /(?:^|\/)(?:(?:readme|license|licence|notice|changelog|contributing|code_of_conduct|security|roadmap)(?:[._-][^/]*)?|agents|claude|gemini)\.md$/i;
const [maxFiles, maxDepth, maxSamples] = [50_000, 10, 200];

/** Finds out what prompts a folder holds: by the layout of its folders first, then by the files themselves. */
export async function recognizePrompts(root: string): Promise<readonly Recognized[]> {
  const files = filesIn(root);
  if (files.some((path) => basename(path) === 'twig.toml')) return [{ format: 'libraries', path: '' }];
  const plugins = await formatNamed('claude-plugins');
  const formats = (await loadFormats()).filter(({ manifest }) => manifest === undefined);
  const isPlugin = files.some((path) => path.split('/').includes('.claude-plugin'));
  const visible = files.filter((path) => !/(?:^|\/)\./.test(path));
  const kinds = (list: readonly string[]) => {
    const parts = list.filter((path) => plugins.accepts(path)).map((path) => path.split('/'));
    return ['commands', 'skills', 'agents'].filter((kind) => parts.some((names) => names.includes(kind)))
      .length;
  };
  if (kinds(visible) > (isPlugin ? 0 : 1)) return [{ format: plugins.name, path: '' }];
  const own = clientFolders(root, files, formats);
  const inClaude = files.filter((path) => path.startsWith('.claude/')).map((path) => path.slice(8));
  if (kinds(inClaude) > 1)
    return [
      { format: plugins.name, path: '.claude', isClientFolder: true },
      ...own.filter(({ path }) => !path.startsWith('.claude/')),
    ];
  if (own.length > 0) return own;
  const recognized = byFile(root, visible, formats);
  return recognized.length > 0 ? recognized : markdown(root, visible);
}

function filesIn(root: string): readonly string[] {
  const files: string[] = [];
  const visit = (folder: string, depth: number) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort(byName)) {
      const path = join(folder, entry.name);
      if (files.length >= maxFiles) return;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && depth < maxDepth && !skipped.has(entry.name)) visit(path, depth + 1);
    }
  };
  visit('', 0);
  return files;
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);

/** The folders of clients, such as `.gemini/commands`, in the folder or around it. */
function clientFolders(
  root: string,
  files: readonly string[],
  formats: readonly Format[],
): readonly Recognized[] {
  const found = new Map<string, Recognized>();
  const above = `/${root.replaceAll('\\', '/').replace(/^\/+/, '')}/`;
  for (const format of formats)
    for (const folder of format.folders ?? []) {
      const inside = above.includes(`/${folder}/`);
      for (const file of files) {
        const at = `/${file}`.indexOf(`/${folder}/`);
        if (!inside && at < 0) continue;
        const path = inside ? '' : file.slice(0, at + folder.length);
        const rest = inside ? file : file.slice(path.length + 1);
        if (!found.has(path) && format.accepts(rest))
          found.set(path, { format: format.name, path, isClientFolder: true });
      }
    }
  return [...found.values()];
}

/** Formats whose files cannot be anything else. */
function byFile(root: string, files: readonly string[], formats: readonly Format[]): readonly Recognized[] {
  const groups = new Map<string, Recognized & { readonly files: string[] }>();
  for (const path of files) {
    const found = formatOfFile(path, () => textOf(root, path));
    if (found === undefined) continue;
    const at = found.at === '.' ? '' : found.at;
    const key = `${found.format}\0${at}`;
    const group = groups.get(key) ?? { format: found.format, path: at, files: [] };
    groups.set(key, group);
    group.files.push(path);
  }
  const all = [...groups.values()];
  // A folder in another one of the same format is served with it, unless the format does not look that deep.
  const isServedBy = (outer: Recognized, file: string) => {
    const start = outer.path === '' ? '' : `${outer.path}/`;
    const format = formats.find(({ name }) => name === outer.format)!;
    return file.startsWith(start) && format.accepts(file.slice(start.length));
  };
  return all
    .filter((one) =>
      one.files.some(
        (file) =>
          !all.some(
            (other) =>
              other !== one &&
              other.format === one.format &&
              isOuter(other.path, one.path) &&
              isServedBy(other, file),
          ),
      ),
    )
    .map(({ format, path }) => ({ format, path }));
}

function isOuter(outer: string, path: string): boolean {
  return outer === '' || path.startsWith(`${outer}/`);
}

function formatOfFile(
  path: string,
  text: () => string,
): { readonly format: string; readonly at: string } | undefined {
  const [file, folder] = [basename(path), dirname(path)];
  if (file === 'SKILL.md') return { format: 'claude-skills', at: folder === '.' ? folder : dirname(folder) };
  if (file === 'system.md') return { format: 'fabric', at: folder === '.' ? folder : dirname(folder) };
  if (file.endsWith('.prompt.md')) return { format: 'vscode', at: folder };
  if (file.endsWith('.prompt')) return { format: 'dotprompt', at: folder };
  if (file.endsWith('.toml') && /^\s*prompt\s*=/m.test(text()))
    return { format: 'gemini', at: /^(.*?\bcommands)(?:\/|$)/.exec(folder)?.[1] ?? folder };
  if (file.endsWith('.csv') && /^"?act"?\s*,\s*"?prompt"?/i.test(text()))
    return { format: 'prompts-chat', at: path };
  if (file.endsWith('.jsonl') && /^\s*\{.*"(?:messages|template)"/m.test(text()))
    return { format: 'jsonl', at: path };
  return undefined;
}

/** Plain Markdown: the folder itself, or its subfolders if the files in it are only about them. */
function markdown(root: string, files: readonly string[]): readonly Recognized[] {
  const all = files.filter((path) => path.endsWith('.md'));
  const prompts = all.filter((path) => !documents.test(path));
  if (prompts.length === 0) return [];
  const isInSubfolder = (path: string) => path.includes('/');
  if (prompts.length === all.length || !prompts.every(isInSubfolder))
    return [{ format: markdownFormat(root, prompts), path: '' }];
  const folders = [...new Set(prompts.map((path) => path.split('/')[0]!))];
  return folders.flatMap((folder) => {
    const inFolder = prompts.filter((path) => path.startsWith(`${folder}/`));
    const written = inFolder.filter((path) => isWritten(textOf(root, path)));
    return written.length * 2 >= inFolder.length
      ? [{ format: markdownFormat(root, inFolder), path: folder }]
      : [];
  });
}

/** True for a text that somebody wrote as a prompt, and not as documentation. */
function isWritten(text: string): boolean {
  return /^\uFEFF?---\r?\n/.test(text) || /\$ARGUMENTS|\{\{\s*\w+\s*\}\}/.test(text);
}

/** Our own commands have front matter and arguments in braces; everything else reads like a command of Claude Code. */
function markdownFormat(root: string, files: readonly string[]): string {
  const texts = files.slice(0, maxSamples).map((path) => textOf(root, path));
  const isOwn = files.every((path) => !path.includes('/')) && texts.every((text) => /^\uFEFF?---/.test(text));
  const isClaude = texts.some((text) => /\$ARGUMENTS|^(?:argument-hint|allowed-tools):/m.test(text));
  return isOwn && !isClaude ? 'commands' : 'claude-code';
}

function textOf(root: string, path: string): string {
  try {
    return readRegularFileSync(join(root, path));
  } catch {
    return '';
  }
}

/** The format and the folder or file to mount for a single file, or undefined for Markdown that becomes an own prompt. */
export function recognizeFile(path: string): { readonly format: string; readonly at: string } | undefined {
  const found = formatOfFile(path.replaceAll('\\', '/'), () => textOf('', path));
  return found && (basename(path) === 'SKILL.md' ? { ...found, at: dirname(path) } : { ...found, at: path });
}
