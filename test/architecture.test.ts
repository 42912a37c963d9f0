import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Modules without opinions: anybody may use them. */
const leaves = [
  'json.ts',
  'failure.ts',
  'feature.ts',
  'log.ts',
  'nearest.ts',
  'records.ts',
  'setting.ts',
  'version.ts',
  'without-password.ts',
];

/** Who may import whom. A folder may always import itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli'],
  'app.ts': [
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
  'failure.ts': [],
  'feature.ts': ['json.ts'],
  'log.ts': ['json.ts'],
  'nearest.ts': [],
  'records.ts': ['json.ts'],
  'stack-trace.ts': [],
  'version.ts': [],
  'without-password.ts': [],
  cli: [
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
  demo: leaves,
  status: leaves,
  web: leaves,
};

/** Outside packages that belong to one place. */
const owners: Readonly<Record<string, readonly string[]>> = {
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

describe('conventions', () => {
  it('reads the environment in the configuration only', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual([join('src', 'main.ts')]);
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
