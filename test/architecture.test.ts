import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Modules without opinions: anybody may use them. */
const leaves = [
  'json.ts',
  'failure.ts',
  'feature.ts',
  'log.ts',
  'nearest.ts',
  'records.ts',
  'regular-file.ts',
  'search',
  'setting.ts',
  'version.ts',
  'without-password.ts',
];

/** Who may import whom. A folder may always import itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli'],
  'api.ts': ['prompts', 'delegate', 'assistant', 'demo', 'status', 'feature.ts', 'json.ts'],
  'app.ts': [
    'api.ts',
    'config.ts',
    'contracts',
    'engine',
    'prompts',
    'delegate',
    'assistant',
    'demo',
    'status',
    ...leaves,
  ],
  'config.ts': ['config', ...leaves],
  config: ['settings.ts', ...leaves],
  'settings.ts': ['contracts', 'prompts', 'delegate', 'assistant', 'setting.ts'],
  'setting.ts': ['contracts', 'json.ts'],
  'json.ts': [],
  'failure.ts': ['json.ts'],
  'feature.ts': ['json.ts'],
  'log.ts': ['json.ts'],
  'nearest.ts': [],
  'records.ts': ['json.ts'],
  'regular-file.ts': ['failure.ts'],
  search: [],
  'stack-trace.ts': [],
  'version.ts': [],
  'without-password.ts': [],
  cli: [
    'api.ts',
    'app.ts',
    'config.ts',
    'settings.ts',
    'contracts',
    'engine',
    'transports',
    'web',
    'prompts',
    'delegate',
    'assistant',
    ...leaves,
  ],
  contracts: ['feature.ts', 'failure.ts', 'json.ts', 'version.ts'],
  engine: ['contracts', ...leaves],
  transports: ['engine', 'contracts', ...leaves],
  prompts: leaves,
  delegate: leaves,
  assistant: leaves,
  demo: ['api.ts', ...leaves],
  status: leaves,
  web: ['api.ts', ...leaves],
};

/** Outside packages that belong to one place. */
const owners: Readonly<Record<string, readonly string[]>> = {
  minisearch: ['search'],
  stemmer: ['search'],
  'typebox/schema': ['engine', 'config', 'feature.ts', 'prompts', 'delegate', 'assistant'],
};

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

function place(path: string): string {
  return normalize(path).split(/[\\/]/)[1]!;
}

const files = sources('src');
const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => ({
    file,
    target: target!,
  })),
);

describe('the import table', () => {
  it('has a row for every place', () => {
    expect([...new Set(files.map(place))].filter((name) => !(name in allowed))).toEqual([]);
  });

  it('is kept by every file', () => {
    const broken = imports
      .filter(({ target }) => target.startsWith('.') && !target.endsWith('.json'))
      .map(({ file, target }) => ({
        file,
        from: place(file),
        to: place(join(dirname(file), target)),
        target,
      }))
      .filter(({ from, to }) => from !== to && !allowed[from]!.includes(to));
    expect(broken).toEqual([]);
  });

  it('gives outside packages to those who own them', () => {
    const broken = imports.filter(
      ({ file, target }) => target in owners && !owners[target]!.includes(place(file)),
    );
    expect(broken).toEqual([]);
  });
});

describe('the start', () => {
  it('leaves out what is only needed later', () => {
    const pattern = /^(?:import|export)\s(?!type\s)(?:[^;']*?\sfrom\s)?'([^']+)'/gm;
    const loaded = new Set<string>();
    const load = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      if (!file.startsWith('src')) return;
      for (const [, target] of readFileSync(file, 'utf8').matchAll(pattern))
        load(target!.startsWith('.') ? join(dirname(file), target!) : target!);
    };
    load(join('src', 'main.ts'));
    load(join('src', 'cli', 'serve.ts'));
    expect(loaded).toContain(join('src', 'prompts', 'catalog-tools.ts'));
    expect([...loaded].filter((one) => /^(minisearch|stemmer|diff)$/.test(one))).toEqual([]);
  });
});

describe('conventions', () => {
  it('reads the environment in the configuration only', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual([join('src', 'main.ts')]);
  });

  it('opens regular files only', () => {
    /** Files that nobody but Adjutant, its build or the kernel writes. */
    const trusted = [
      join('src', 'cli', 'checks-machine.ts'), // /proc/sys
      join('src', 'delegate', 'process-table.ts'), // /proc
      join('src', 'demo', 'sample-run.ts'), // the text of a sample patch
      join('src', 'web', 'page.ts'), // the built page, from a fixed list of names
    ];
    const openers = files.filter(
      (file) =>
        !file.startsWith(join('src', 'web', 'page') + sep) &&
        /\b(readFile|readFileSync|createReadStream|openAsBlob)\b/.test(readFileSync(file, 'utf8')),
    );
    expect(openers.sort()).toEqual(trusted);
  });

  it('leaves the process in main only', () => {
    const leavers = files.filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(leavers).toEqual([join('src', 'main.ts')]);
  });

  it('names no file for nothing', () => {
    const vague = files.filter((file) =>
      /(^|[\\/])(utils?|helpers?|common|misc|types|index|manager|service|base)\.tsx?$/.test(file),
    );
    expect(vague).toEqual([]);
  });
});
