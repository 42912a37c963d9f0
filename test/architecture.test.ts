import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Files and folders that everything may import. */
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
  'single-line.ts',
  'version.ts',
  'without-password.ts',
];

/** Which top-level files and folders each of them may import. A folder may always import itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli'],
  'app.ts': [
    'api.ts',
    'config.ts',
    'contracts',
    'engine',
    'prompts',
    'delegate',
    'assistant',
    'skills',
    'demo',
    'status',
    ...leaves,
  ],
  'api.ts': ['prompts', 'delegate', 'assistant', 'demo', 'status', ...leaves],
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
  web: ['api.ts', ...leaves],
  transports: ['engine', 'contracts', ...leaves],
  engine: ['contracts', ...leaves],
  contracts: ['feature.ts', 'failure.ts', 'json.ts', 'version.ts'],
  prompts: leaves,
  delegate: leaves,
  assistant: leaves,
  skills: leaves,
  demo: ['api.ts', ...leaves],
  status: leaves,
  'config.ts': ['config', ...leaves],
  config: ['settings.ts', ...leaves],
  'settings.ts': ['contracts', 'prompts', 'delegate', 'assistant', 'skills', 'setting.ts'],
  'setting.ts': ['contracts', 'json.ts'],
  'feature.ts': ['json.ts'],
  'failure.ts': ['json.ts'],
  'regular-file.ts': ['failure.ts'],
  'records.ts': ['json.ts'],
  'log.ts': ['json.ts'],
  'json.ts': [],
  'nearest.ts': [],
  search: [],
  'single-line.ts': [],
  'stack-trace.ts': [],
  'version.ts': [],
  'without-password.ts': [],
};

/** The folders of each part, lowest first: a folder imports only folders to its left. The last one, '.', is the part itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  prompts: [
    'files',
    'template',
    'watch',
    'jinja',
    'definition',
    'rendering',
    'catalog',
    'sources',
    'jsonl',
    'formats',
    'lint',
    'tools',
    '.',
  ],
  delegate: [
    'files',
    'skills',
    'agents',
    'changes',
    'process',
    'record',
    'run',
    'settings',
    'delegation',
    'autopilot',
    'sharing',
    'tools',
    '.',
  ],
  assistant: [
    'icalendar',
    'network',
    'store',
    'channels',
    'entities',
    'policy',
    'planning',
    'editing',
    'calendar',
    'delivery',
    'tools',
    '.',
  ],
  cli: ['terminal', 'client', 'install', 'assistant', 'doctor', 'prompts', '.'],
  web: ['page/shared', 'page/calendar', 'page/prompts', 'page/runs', 'page/server', 'page', '.'],
};

/** Limits that keep a folder readable from its listing and a file readable in one sitting. */
const mostFiles = 25;
const mostLines = 320;

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

  it.each(Object.entries(layers))('has %s import its own folders from right to left only', (part, order) => {
    const layerOf = (path: string) => relative(join('src', part), dirname(path)).split(sep).join('/') || '.';
    const inside = imports
      .filter(({ file, target }) => place(file) === part && target.startsWith('.'))
      .map(({ file, target }) => ({ file, target: join(dirname(file), target) }))
      .filter(({ target }) => place(target) === part);
    expect([...new Set(files.filter((file) => place(file) === part).map(layerOf))].sort()).toEqual(
      [...order].sort(),
    );
    expect(
      inside.filter(({ file, target }) => order.indexOf(layerOf(target)) > order.indexOf(layerOf(file))),
    ).toEqual([]);
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
    expect(loaded).toContain(join('src', 'prompts', 'tools', 'catalog-tools.ts'));
    expect([...loaded].filter((one) => /^(minisearch|stemmer|diff)$/.test(one))).toEqual([]);
    expect(loaded).toContain(join('src', 'skills', 'skills.ts'));
    expect(loaded).not.toContain(join('src', 'skills', 'skill-catalog.ts'));
  });
});

describe('sizes', () => {
  const inOrder = (sizes: ReadonlyMap<string, number>) =>
    [...sizes].sort(([, one], [, other]) => other - one);

  it('keeps folders small', () => {
    const [largest, ...others] = inOrder(
      new Map(
        [...Map.groupBy(files, (file) => dirname(file))].map(([folder, inside]) => [folder, inside.length]),
      ),
    );
    console.log(`largest folder: ${largest!.join(', ')} files`);
    expect([largest!, ...others].filter(([, count]) => count > mostFiles)).toEqual([]);
  });

  it('keeps files short', () => {
    const [longest, ...others] = inOrder(
      new Map(files.map((file) => [file, readFileSync(file, 'utf8').split('\n').length])),
    );
    console.log(`longest file: ${longest!.join(', ')} lines`);
    expect([longest!, ...others].filter(([, lines]) => lines > mostLines)).toEqual([]);
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
      join('src', 'cli', 'doctor', 'checks-machine.ts'), // /proc/sys
      join('src', 'delegate', 'process', 'process-table.ts'), // /proc
      join('src', 'demo', 'sample-run.ts'), // the text of a sample patch
      join('src', 'stack-trace.ts'), // source maps of the build
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

  it('gives every file a name that says what is in it', () => {
    const vague = files.filter((file) =>
      /(^|[\\/])(utils?|helpers?|common|misc|types|index|manager|service|base)\.tsx?$/.test(file),
    );
    expect(vague).toEqual([]);
  });
});
