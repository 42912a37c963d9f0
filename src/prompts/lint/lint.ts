import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { Pace } from '../../pace.ts';
import { truncate } from '../../single-line.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { limitProblems } from '../files/limit-problems.ts';
import { areLong, runInThread } from '../files/work-thread.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { CodeRanges } from '../template/code-ranges.ts';
import { Lines, type Position } from '../template/lexer.ts';
import { type Finding, type LintTarget, NameSuggestions, problemAt } from './finding.ts';
import { withRules } from './rules.ts';

/** Checks one prompt without rendering it. */
export async function lintPrompt(target: LintTarget): Promise<readonly Problem[]> {
  const { definition, translated = false } = target;
  const texts = definition.messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
  const findings = [
    ...nameFindings(target),
    ...(definition.misspelled ?? []).map(
      ([written, meant, line]): Finding => ({
        severity: 'warning',
        message: `the field ${written} is unknown; did you mean ${meant}?`,
        ...(line !== undefined && { line: line - definition.line + 1 }),
      }),
    ),
    ...hiddenInFields(definition),
    ...texts.flatMap(hiddenCharacters),
    ...texts.flatMap((text) => [
      ...(definition.template === 'jinja' ? [] : lintPlaceholders(definition, text, translated)),
      ...foreignSyntax(definition, text, translated),
    ]),
    ...unusedArguments(definition, texts),
  ];
  const jinja =
    definition.template === 'jinja'
      ? await import('./jinja-checks.ts').then(({ lintJinja }) => lintJinja(target))
      : [];
  const prompts = [definition.name];
  return [...findings.map((finding) => problemAt(definition, finding)), ...jinja].map((problem) => ({
    ...problem,
    prompts,
  }));
}

/** Names of JSONL prompts are also those of commands, which people type. */
function nameFindings({ definition: { name, file }, prefix }: LintTarget): readonly Finding[] {
  const written = prefix === undefined ? name : name.slice(prefix.length + 1);
  if (!file.endsWith('.jsonl') || /^[A-Za-z0-9_-]+$/.test(written)) return [];
  return [
    {
      severity: 'warning',
      message: 'the name contains characters other than letters, digits, underscores and hyphens',
    },
  ];
}

/** Finds hidden characters in the fields that lists show. */
function hiddenInFields({ name, title, description, arguments: declared, line }: PromptDefinition) {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['name', name],
    ['title', title],
    ['description', description],
    ...declared.map(
      (argument) => [`argument ${argument.name}`, `${argument.name}${argument.description ?? ''}`] as const,
    ),
  ];
  return fields.flatMap(([field, text]) =>
    hiddenCharacters(text ?? '').map(({ message, severity }) => ({
      severity,
      message: `${field}: ${message}`,
      // The fields are before the text, at the start of the file.
      line: 2 - line,
    })),
  );
}

/** Checks the named prompts of the catalog. Includes the problems that their sources report. */
export async function lintCatalog(catalog: Catalog, names: readonly string[]): Promise<readonly Problem[]> {
  const reported = (await catalog.problems()).filter(({ prompts }) =>
    prompts?.some((name) => names.includes(name)),
  );
  const entries = await Promise.all(names.map((name) => catalog.find(name)));
  return sortAndMerge(await withRules([...reported, ...(await lintEntries(catalog, entries))]));
}

/** Templates of a library can change without a change of the list, so its prompts are checked again after this time. */
const maxAgeMs = 5_000;

/**
 * Returns a function that checks all prompts of the catalog and includes the problems that the sources report. Prompts are
 * checked again only if something may have changed.
 */
export function createLibraryLint(catalog: Catalog): () => Promise<readonly Problem[]> {
  let last: { entries: readonly CatalogEntry[]; at: number; found: Promise<readonly Problem[]> } | undefined;
  return async () => {
    const entries = await catalog.list();
    const age = performance.now() - (last?.at ?? 0);
    const hasTemplates = catalog.sources.some(({ templates }) => templates !== undefined);
    if (last?.entries !== entries || (hasTemplates && age > maxAgeMs))
      last = { entries, at: performance.now(), found: lintEntries(catalog, entries) };
    // Together: a failure of one must not leave the other without a handler.
    const [reported, found] = await Promise.all([catalog.problems(), last.found]);
    return sortAndMerge(await withRules([...reported, ...found]));
  };
}

/** Like `lintPrompt`, in a thread if the prompt is long. */
function checkPrompt(target: LintTarget): Promise<readonly Problem[]> {
  return isLong(target.definition) ? lintInThread(target) : lintPrompt(target);
}

/** What `lint_prompts` says about one prompt of the user. */
export async function lintDefinition(definition: PromptDefinition): Promise<readonly Problem[]> {
  return withRules(sortAndMerge(await checkPrompt({ definition })));
}

async function lintEntries(catalog: Catalog, entries: readonly CatalogEntry[]): Promise<readonly Problem[]> {
  const problems: (readonly Problem[])[] = [];
  const pace = new Pace();
  for (const entry of entries) {
    // Only a definition that is loaded by name is linked to the templates of its library.
    const { definition, source } = entry.source.templates ? await catalog.find(entry.definition.name) : entry;
    const found = await checkPrompt({
      definition,
      translated: source.translates ?? false,
      prefix: source.prefix,
      ...(source.templates !== undefined && { templates: () => source.templates!(definition) }),
    });
    problems.push(found.map((problem) => ({ ...problem, source: source.name })));
    await pace.pause;
  }
  return limitProblems(problems.flat());
}

/** Sorts problems by file and position. Merges equal problems of several prompts into one. */
export function sortAndMerge(problems: readonly Problem[]): readonly Problem[] {
  const files = [...Map.groupBy(problems, ({ file }) => file)];
  return files
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, found]) => countRepeated(mergeEqual(found).sort(byPosition)));
}

/** One line with a count for findings that say the same about other places of a prompt. */
function countRepeated(problems: readonly Problem[]): readonly Problem[] {
  const groups = Map.groupBy(problems, ({ rule, message, file, line }) =>
    // In JSONL, every line is a prompt of its own.
    rule === 'test-failed' ? Symbol() : file.endsWith('.jsonl') ? `${line} ${message}` : message,
  );
  return [...groups.values()].map(([first, ...others]) =>
    others.length === 0
      ? first!
      : { ...first!, message: `${first!.message} (and ${others.length} more in this file)` },
  );
}

const byPosition = (a: Problem, b: Problem) =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

/** Merges equal problems of one file into one that names all their prompts. */
function mergeEqual(problems: readonly Problem[]): Problem[] {
  const unique = new Map<string, { problem: Problem; readonly prompts: Set<string> }>();
  for (const problem of problems) {
    const key = `${problem.line}:${problem.column}:${problem.message}`;
    const merged = unique.get(key) ?? { problem, prompts: new Set() };
    merged.problem = problem;
    for (const name of problem.prompts ?? []) merged.prompts.add(name);
    unique.set(key, merged);
  }
  return [...unique.values()].map(({ problem, prompts }) => ({
    ...problem,
    ...(prompts.size > 0 && { prompts: [...prompts] }),
  }));
}

function isLong({ messages }: PromptDefinition): boolean {
  return areLong(messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : [])));
}

/** A target whose templates were compiled already, so that it can be sent to a thread. */
export interface CopiedTarget extends Omit<LintTarget, 'templates'> {
  readonly templates?: { readonly names: readonly string[]; readonly sources: ReadonlyMap<string, string> };
  readonly error?: Pick<TemplateError, 'template' | 'message' | 'line' | 'column'>;
}

async function lintInThread({ templates, ...target }: LintTarget): Promise<readonly Problem[]> {
  try {
    return (await runInThread('check', { ...target, ...(await copied(templates)) })) as readonly Problem[];
  } catch (error) {
    const message = `the prompt could not be checked: ${messageOf(error)}`;
    return [
      {
        ...problemAt(target.definition, { severity: 'warning', message }),
        prompts: [target.definition.name],
      },
    ];
  }
}

async function copied(
  templates: LintTarget['templates'],
): Promise<Pick<CopiedTarget, 'templates' | 'error'>> {
  try {
    const set = await templates?.();
    return set === undefined ? {} : { templates: { names: set.names, sources: set.sources } };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template, message, line, column } = error;
    return { error: { template, message, line, column } };
  }
}

/** Checks the placeholders in a text that is not a Jinja template. */
function lintPlaceholders(
  definition: PromptDefinition,
  text: string,
  translated: boolean,
): readonly Finding[] {
  if (translated || definition.template === 'none') return [];
  const lines = new Lines(text);
  const code = new CodeRanges(text);
  const declared = new NameSuggestions(definition.arguments.map(({ name }) => name));
  const findings: Finding[] = [];
  for (const { 0: placeholder, 1: inner = '', index } of text.matchAll(/(?<![$\\])\{\{([^{}]*)\}\}/g)) {
    const report = (severity: Finding['severity'], message: string) =>
      findings.push({ ...lines.at(index), severity, message });
    const name = inner.trim();
    const known = declared.has(name);
    if (known && inner === name) continue;
    // An example in code, or an expression of another template language.
    if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) || code.includes(index)) continue;
    if (known)
      report(
        'error',
        `${placeholder} is not replaced because of the spaces inside the braces; write {{${name}}}`,
      );
    else if (definition.template === 'input')
      report('warning', `${placeholder} is plain text here: only {{input}} is replaced`);
    else {
      const suggestion = declared.nearest(name);
      report(
        'error',
        `${placeholder} does not match any argument${suggestion === undefined ? '' : `; did you mean {{${suggestion}}}?`}`,
      );
    }
  }
  return findings;
}

type Foreign = readonly [pattern: RegExp, message: (found: string, how: string) => string];

/** Arguments of other clients. */
const foreignArguments: Foreign = [
  /\$(?:ARGUMENTS\b|\{input:[^{}\n]{1,200}\})/g,
  (found, how) => `${found} is plain text here: ${how}`,
];
/** In a Jinja template, these have a meaning. */
const foreignTemplates: readonly Foreign[] = [
  [
    /\{%[-+]?\s*(?:if|for|set|include|extends|macro|block|else|elif|end\w+)\b/g,
    () => 'a Jinja statement is plain text here: this prompt is not a Jinja template',
  ],
  [
    /(?<![$\\{])\{\{[#/^>][^{}\n]{1,200}\}\}/g,
    (found) => `${found} is plain text here: this prompt is not a Handlebars template`,
  ],
  [
    /(?<![$\\{])\{\{\s*[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)+\s*\}\}/gu,
    (found, how) => `${found} is plain text here: ${how}`,
  ],
];
const foreignNumber: Foreign = [/\$[1-9](?![\w%]|[,.]\d)/g, foreignArguments[1]];

/** The first of each kind of syntax that only another engine replaces. In code, it is an example. */
function foreignSyntax(
  { template, arguments: declared }: PromptDefinition,
  text: string,
  translated: boolean,
): readonly Finding[] {
  if (translated || template === 'none') return [];
  const lines = new Lines(text);
  const code = new CodeRanges(text);
  const how =
    template === 'input'
      ? 'write {{input}} for the text after the command'
      : `write an argument as ${template === 'jinja' ? '{{ name }}' : '{{name}}'}`;
  const kinds = [
    foreignArguments,
    ...(template === 'jinja' ? [] : foreignTemplates),
    // Numbers with a dollar sign are prices, too.
    ...(template === 'braces' ? [foreignNumber] : []),
  ];
  return kinds.flatMap(([pattern, message]): readonly Finding[] => {
    const found = [...text.matchAll(pattern)].find(
      ({ index, 0: written }) =>
        !code.includes(index) && !declared.some(({ name }) => written === `{{${name}}}`),
    );
    if (found === undefined) return [];
    return [{ ...lines.at(found.index), severity: 'warning', message: message(truncate(found[0], 40), how) }];
  });
}

/** Arguments that no text uses. */
function unusedArguments(definition: PromptDefinition, texts: readonly string[]): readonly Finding[] {
  if (definition.template === 'input' || definition.template === 'jinja' || definition.typed) return [];
  const used = new Set(
    texts.flatMap((text) => [...text.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name]) => name!.trim())),
  );
  return definition.arguments
    .filter(({ name }) => !used.has(name))
    .map(({ name }) => ({ severity: 'warning', message: `the argument ${name} is never used` }));
}

interface HiddenCharacter extends Position {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

interface Kind {
  readonly pattern: string;
  readonly name: string;
  readonly severity: 'error' | 'warning';
}

/** Characters that are invisible to a reader but not to a model. */
const kinds: readonly Kind[] = [
  {
    pattern: '[\\u202A-\\u202E\\u2066-\\u2069\\u061C\\u200E\\u200F]',
    name: 'changes the direction of text',
    severity: 'error',
  },
  { pattern: '[\\u{E0000}-\\u{E007F}\\u{E0100}-\\u{E01EF}]', name: 'is an invisible tag', severity: 'error' },
  {
    pattern: '[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]',
    name: 'is a control character',
    severity: 'error',
  },
  {
    pattern:
      '[\\u00AD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u2060-\\u2064\\u206A-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]',
    name: 'is invisible',
    severity: 'warning',
  },
  // Before a fence, it keeps the fence from closing the block around it.
  { pattern: '\\u200B(?!`{3})', name: 'is invisible', severity: 'warning' },
  // Joiners are legitimate only between letters of some scripts and between the parts of an emoji.
  {
    pattern:
      '(?<![\\p{Extended_Pictographic}\\u{1F3FB}-\\u{1F3FF}\\uFE0F\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Oriya}\\p{Script=Sinhala}\\p{Script=Mongolian}\\p{M}])[\\u200C\\u200D]',
    name: 'is invisible',
    severity: 'warning',
  },
  {
    pattern:
      '(?<![\\p{S}\\p{Extended_Pictographic}\\p{Script=Han}\\p{Script=Mongolian}#*0-9])[\\uFE00-\\uFE0F]',
    name: 'is invisible, and there is no emoji before it',
    severity: 'warning',
  },
];
const anyKind = new RegExp(kinds.map(({ pattern }) => `(${pattern})`).join('|'), 'gu');

const maxFindings = 100;

export function hiddenCharacters(text: string): readonly HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  let lines: Lines | undefined;
  for (const match of text.matchAll(anyKind)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)]!;
    // Alone in backticks, it is what the text is about.
    const isAlone = text[match.index - 1] === '`' && text[match.index + match[0].length] === '`';
    if (isAlone && kind.severity === 'warning') continue;
    const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    lines ??= new Lines(text);
    found.push({ ...lines.at(match.index), message: `U+${code} ${kind.name}`, severity: kind.severity });
    if (found.length === maxFindings) break;
  }
  return found;
}
