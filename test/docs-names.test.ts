import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clients } from '../src/cli/install/clients.ts';
import { commands } from '../src/cli/program.ts';
import { commonFlags } from '../src/cli/terminal/command.ts';
import { contractNames } from '../src/contracts/contract.ts';
import { flagName, type Setting, variableName } from '../src/setting.ts';
import { removedSettings, settings } from '../src/settings.ts';
import { realClients } from './clients/clients.ts';

const table: Readonly<Record<string, Setting>> = settings;
const aliases = Object.values(table).flatMap((setting) => setting.aliases ?? []);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md').sort()].map(
  (name) => {
    const text = readFileSync(name, 'utf8');
    const prose = text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '');
    const code = [...prose.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , span]) => span!.trim());
    return { name, text, prose, code };
  },
);
const spans = pages.flatMap(({ name, code }) => code.map((span) => ({ name, span })));

/** Finds code spans that match the pattern but name something that does not exist. */
function unknown(kind: RegExp, isKnown: (name: string) => boolean): string[] {
  return spans
    .map(({ name, span }) => ({ name, named: kind.exec(span)?.[1] }))
    .filter(({ named }) => named !== undefined && !isKnown(named))
    .map(({ name, named }) => `${name}: ${named}`);
}

/** Heading anchors in the format of GitHub. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('documentation pages mention only existing', () => {
  it('pages and headings', () => {
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

  it('settings, environment variables, npm scripts and project files', () => {
    const groups = new Set(
      Object.keys(table).flatMap((key) => (key.includes('.') ? key.split('.')[0]! : [])),
    );
    const setting = new RegExp(`^((?:${[...groups].join('|')})\\.[a-z_]+)(?: = .*)?$`);
    expect(unknown(setting, (name) => name in table || name.endsWith('.toml'))).toEqual([]);
    const variables = [...Object.keys(table).map(variableName), ...aliases.map(({ env }) => env)];
    expect(
      unknown(
        /^(ADJUTANT_\w+)/,
        (name) => variables.includes(name.replace(/_FILE$/, '')) || variables.includes(name),
      ),
    ).toEqual([]);
    expect(
      unknown(/^npm (?:run )?(start|test|[a-z]+:[a-z]+|check|format|bench|prove)/, (name) => name in scripts),
    ).toEqual([]);
    expect(unknown(/^((?:src|test|docs|scripts|bench)\/\S*)$/, (path) => namesFile(path))).toEqual([]);
  });

  it('commands, subcommands and flags', async () => {
    const wrong: string[] = [];
    for (const { name, span } of spans.filter(({ span }) => span.startsWith('adjutant '))) {
      const [, command, subcommand] = /^adjutant (\S+)(?: ([a-z][a-z-]*)\b)?/.exec(span)!;
      if (command === 'COMMAND' || command!.startsWith('--')) continue;
      const found = await commands[command!]?.();
      const actions = Object.entries(found?.actions ?? {});
      const subcommands = actions.map(([word]) => word).filter((word) => word !== '');
      const flags = Object.assign({}, ...actions.map(([, action]) => action.flags));
      const known = [
        ...Object.keys({ ...flags, ...commonFlags }),
        'help',
        ...Object.keys(table).map(flagName),
        ...aliases.map(({ flag }) => flag),
      ];
      const isWrong =
        found === undefined ||
        (subcommand !== undefined && subcommands.length > 0 && !subcommands.includes(subcommand)) ||
        [...span.matchAll(/ --([\w-]+)/g)].some(([, flag]) => !known.includes(flag!));
      if (isWrong) wrong.push(`${name}: ${span}`);
    }
    expect(wrong).toEqual([]);
  });
});

it('the README or the list of pages links to every page', () => {
  const readme = pages.find(({ name }) => name === 'README.md')!.prose;
  const list = pages.find(({ name }) => name === 'docs/README.md')!.prose;
  const isLinked = (name: string) =>
    readme.includes(`](${name}`) || list.includes(`](${name.replace('docs/', '')}`);
  const names = pages.map(({ name }) => name).filter((name) => name !== 'README.md');
  expect(names.filter((name) => !isLinked(name))).toEqual([]);
});

describe('proofs and benchmarks', () => {
  const run = (kind: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/proofs.mjs', kind, ...args], { encoding: 'utf8' });
  const named = (kind: string) =>
    new Map(
      run(kind, '--list')
        .stdout.trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/, 2) as [string, string]),
    );

  it.each(['bench', 'prove'])('npm run %s -- --list has a sentence for each', (kind) => {
    const files = readdirSync({ bench: 'bench', prove: 'test/prove' }[kind]!).filter((file) =>
      /\.ts$/.test(file),
    );
    expect([...named(kind).keys()]).toEqual(files.map((file) => file.replace('.ts', '')));
    for (const [name, sentence] of named(kind)) expect(sentence, name).toMatch(/^[A-Z].{20,}\.$/);
  });

  it.each(['bench', 'prove'])(
    'docs/contributing/proofs.md has a row for each name of npm run %s, and no others',
    (kind) => {
      const rows = readFileSync('docs/contributing/proofs.md', 'utf8').matchAll(
        new RegExp(`^\\| \`npm run ${kind}(?: -- ([a-z-]+))?\``, 'gm'),
      );
      const names = named(kind);
      // `npm run bench` alone runs this one.
      const documented = [...rows].map(([, name]) => name ?? 'performance');
      expect(documented.sort()).toEqual([...names.keys()].sort());
      expect(unknown(new RegExp(`^npm run ${kind} -- ([a-z]\\S*)`), (name) => names.has(name))).toEqual([]);
    },
  );

  it('are refused if their name is unknown, or if arguments could belong to several', () => {
    expect(run('prove', 'fuz')).toMatchObject({
      status: 2,
      stderr: 'prove: there is no fuz; `npm run prove -- --list` lists what there is\n',
    });
    expect(run('prove', 'fuzz', 'ping', '7')).toMatchObject({
      status: 2,
      stderr: 'prove: 7 is not a name; arguments are possible with one name only\n',
    });
  });
});

it('package.json has few enough scripts to read them', () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(30);
});

it('troubleshooting quotes real messages of the program', () => {
  const source = globSync('src/**/*.{ts,tsx,cjs,mjs}')
    .concat(globSync('scripts/*.mjs'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const page = readFileSync('docs/guides/troubleshooting.md', 'utf8');
  const quotes = [...page.matchAll(/^\| ([^|]*) \|/gm)]
    .flatMap(([, symptom]) => [...symptom!.matchAll(/`([^`]+)`/g)].flatMap(([, words]) => words!.split('…')))
    .map((words) => words.trim())
    .filter((words) => words.includes(' '));
  expect(quotes.length).toBeGreaterThan(3);
  expect(quotes.filter((words) => !source.includes(words))).toEqual([]);
});

it('the documentation shows every command and subcommand', async () => {
  const all = pages.map(({ text }) => text).join('\n');
  const missing: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const subcommands = Object.keys((await load()).actions).filter((word) => word !== '');
    for (const word of subcommands.length === 0
      ? ['']
      : subcommands.map((one) => ` (?:[a-z]+\\|)*(?:${one}|CLIENT)`))
      if (!new RegExp(`adjutant ${name}${word}\\b`).test(all)) missing.push(`${name}${word}`);
  }
  expect(missing).toEqual([]);
});

function namesFile(path: string): boolean {
  return path.includes('*') ? globSync(path).length > 0 : /[A-Z]{3}/.test(path) || existsSync(path);
}

it('the page of contracts names the flags and variables of the replaced servers', () => {
  const page = pages.find(({ name }) => name === 'docs/reference/contracts.md')!.text;
  const own = aliases
    .filter(({ contracts = [] }) => contracts.some((one) => one !== 'standard'))
    .map(({ flag, env }) => (flag === undefined ? env! : `--${flag}`));
  // Of the removed settings, those without a dot are flags of these servers.
  const ignored = Object.keys(removedSettings).filter((name) => !name.includes('.'));
  const named = [...own, ...ignored.map((flag) => `--${flag}`), '--version'];
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((one) => !page.includes(`\`${one}\``))).toEqual([]);
});

describe('numbers in the documentation', () => {
  const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const toolsOf = (contract: string) =>
    (JSON.parse(readFileSync(`test/contracts/${contract}.tools.json`, 'utf8')) as readonly unknown[]).length;
  /** Everything that the pages count, with what the program has. `undefined` for what is not a total. */
  const claims: Readonly<Record<string, number | undefined>> = {
    'README.md: seven others': clients.length - 6,
    'docs/contributing/architecture.md: five contracts': contractNames.length - 1,
    'docs/contributing/proofs.md: five real clients': Object.keys(realClients).length,
    'docs/contributing/proofs.md: five real agents': settings['delegate.agent_order'].default.length,
    'docs/explanation/assistant.md: five tools': toolsOf('assistant'),
    'docs/reference/contracts.md: two tools': toolsOf('commands'),
    'docs/reference/contracts.md: three tools': toolsOf('delegate'),
    'docs/contributing/proofs.md: three clients': undefined,
    'docs/reference/command-line.md: Three commands': undefined,
    'docs/reference/toolsets.md: three tools': undefined,
  };
  const counted =
    /(?<![\d,.])\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten) (?:real )?(?:tools|clients|settings|contracts|toolsets|channels|formats|agents|commands|others)\b/gi;

  it('are those of the program', () => {
    const found = pages
      .filter(({ name }) => name !== 'CHANGELOG.md')
      .flatMap(({ name, prose }) => [...prose.matchAll(counted)].map(([claim]) => `${name}: ${claim}`));
    expect([...new Set(found)].sort()).toEqual(Object.keys(claims).sort());
    for (const [claim, actual] of Object.entries(claims)) {
      const [, number] = /: (\w+) /.exec(claim)!;
      if (actual !== undefined) expect([claim, words[actual]]).toEqual([claim, number!.toLowerCase()]);
    }
  });

  it('in the tables of proofs have a date and a commit', () => {
    const proofs = pages.find(({ name }) => name === 'docs/contributing/proofs.md')!.text;
    // The first section lists the commands.
    const [, ...sections] = proofs.split(/^## /m).filter((section) => /^\| --- /m.test(section));
    expect(sections.length).toBeGreaterThanOrEqual(8);
    const undated = sections.filter(
      (section) => !/ on \d{4}-\d\d-\d\d, at commit `[0-9a-f]{7,}`/i.test(section),
    );
    expect(undated.map((section) => section.split('\n')[0])).toEqual([]);
    expect(proofs).not.toMatch(/\d+ of \d+(?:, on demand)? \| yes/);
  });
});
