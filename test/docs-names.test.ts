import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/program.ts';
import { commonFlags } from '../src/cli/terminal/command.ts';
import { flagName, type Setting, variableName } from '../src/setting.ts';
import { settings } from '../src/settings.ts';

const table: Readonly<Record<string, Setting>> = settings;
const aliases = Object.values(table).flatMap((setting) => setting.aliases ?? []);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
].map((name) => {
  const text = readFileSync(name, 'utf8');
  const prose = text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '');
  const code = [...prose.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , span]) => span!.trim());
  return { name, text, prose, code };
});
const spans = pages.flatMap(({ name, code }) => code.map((span) => ({ name, span })));

/** What spans of a kind name, and what of that is not there. */
function unknown(kind: RegExp, isKnown: (name: string) => boolean): string[] {
  return spans
    .map(({ name, span }) => ({ name, named: kind.exec(span)?.[1] }))
    .filter(({ named }) => named !== undefined && !isKnown(named))
    .map(({ name, named }) => `${name}: ${named}`);
}

/** As GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pages name only what is there', () => {
  it('other pages and their headings', () => {
    const broken = pages.flatMap(({ name, prose }) =>
      [...prose.matchAll(/\]\(([^)\s:#]*)(?:#([^)\s]+))?\)/g)]
        .map(([, target, anchor]) => ({ file: target ? join(dirname(name), target) : name, anchor }))
        .filter(
          ({ file, anchor }) =>
            !existsSync(file) || (anchor && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor)),
        )
        .map(({ file, anchor }) => `${name}: ${file}#${anchor ?? ''}`),
    );
    expect(broken).toEqual([]);
  });

  it('settings, their variables, scripts of npm and files of the project', () => {
    const groups = new Set(
      Object.keys(table).flatMap((key) => (key.includes('.') ? key.split('.')[0]! : [])),
    );
    const setting = new RegExp(`^((?:${[...groups].join('|')})\\.[a-z_]+)(?: = .*)?$`);
    expect(unknown(setting, (name) => name in table || name.endsWith('.toml'))).toEqual([]);
    const variables = [...Object.keys(table).map(variableName), ...aliases.map(({ env }) => env)];
    expect(unknown(/^(ADJUTANT_\w+)/, (name) => variables.includes(name))).toEqual([]);
    expect(
      unknown(/^npm (?:run )?(start|test|[a-z]+:[a-z]+|check|format)/, (name) => name in scripts),
    ).toEqual([]);
    expect(unknown(/^((?:src|test|docs|scripts|bench)\/\S*)$/, (path) => namesFile(path))).toEqual([]);
  });

  it('commands, their words and their flags', async () => {
    const wrong: string[] = [];
    for (const { name, span } of spans.filter(({ span }) => span.startsWith('adjutant '))) {
      const [, command, word] = /^adjutant (\S+)(?: ([a-z]+)\b)?/.exec(span)!;
      if (command === 'COMMAND' || command!.startsWith('--')) continue;
      const { flags = {}, usage } = (await commands[command!]?.()) ?? { usage: undefined };
      const words = usage === undefined ? [] : wordsOf(usage);
      const known = [
        ...Object.keys({ ...flags, ...commonFlags }),
        'help',
        ...Object.keys(table).map(flagName),
        ...aliases.map(({ flag }) => flag),
      ];
      const isWrong =
        usage === undefined ||
        (word !== undefined && words.length > 0 && !words.includes(word)) ||
        [...span.matchAll(/ --([\w-]+)/g)].some(([, flag]) => !known.includes(flag!));
      if (isWrong) wrong.push(`${name}: ${span}`);
    }
    expect(wrong).toEqual([]);
  });
});

it('the README leads to every page', () => {
  const [readme] = pages;
  expect(pages.filter(({ name }) => name !== 'README.md' && !readme!.prose.includes(`](${name}`))).toEqual(
    [],
  );
});

it('the proofs and benchmarks are all told of', () => {
  const proofs = readFileSync('docs/proofs.md', 'utf8');
  const all = Object.keys(scripts).filter((name) => /^(bench|prove):|^conformance$/.test(name));
  expect(all.filter((name) => !proofs.includes(`\`npm run ${name}\``))).toEqual([]);
});

it('troubleshooting quotes what the program says', () => {
  const source = globSync('src/**/*.{ts,tsx,cjs,mjs}')
    .concat(globSync('scripts/*.mjs'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const page = readFileSync('docs/troubleshooting.md', 'utf8');
  const quoted = [...page.matchAll(/^\| ([^|]*) \|/gm)]
    .flatMap(([, symptom]) => [...symptom!.matchAll(/`([^`]+)`/g)].flatMap(([, words]) => words!.split('…')))
    .map((words) => words.trim())
    .filter((words) => words.includes(' '));
  expect(quoted.length).toBeGreaterThan(3);
  expect(quoted.filter((words) => !source.includes(words))).toEqual([]);
});

it('the pages show every command and every word of it', async () => {
  const all = pages.map(({ text }) => text).join('\n');
  const missing: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const words = wordsOf((await load()).usage);
    for (const word of words.length === 0 ? [''] : words.map((one) => ` (?:[a-z]+\\|)*(?:${one}|CLIENT)`))
      if (!new RegExp(`adjutant ${name}${word}\\b`).test(all)) missing.push(`${name}${word}`);
  }
  expect(missing).toEqual([]);
});

/** `users list|show [USER_ID]` has two words. */
function wordsOf(usage: string): readonly string[] {
  return /^\w+ ((?:[a-z]+\|)+[a-z]+)(?= |$)/.exec(usage)?.[1]?.split('|') ?? [];
}

function namesFile(path: string): boolean {
  return path.includes('*') ? globSync(path).length > 0 : /[A-Z]{3}/.test(path) || existsSync(path);
}
