import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Files and folders that every feature may import. */
const leaves = [
  'atomic-file.ts',
  'chat-model.ts',
  'content.ts',
  'context.ts',
  'json.ts',
  'failure.ts',
  'feature.ts',
  'front-matter.ts',
  'inbox.ts',
  'log.ts',
  'message-page.ts',
  'mime-types.ts',
  'nearest.ts',
  'outreach.ts',
  'pace.ts',
  'paging.ts',
  'public-address.ts',
  'recurrence',
  'regular-file.ts',
  'request-body.ts',
  'run-events.ts',
  'search',
  'setting.ts',
  'single-line.ts',
  'storage-error.ts',
  'store',
  'tool.ts',
  'version.ts',
  'without-password.ts',
  'threads',
];

/** What each file and folder of src may import. A folder may always import itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli'],
  'app.ts': [
    'api.ts',
    'audit',
    'config.ts',
    'contracts',
    'engine',
    'feature-api.ts',
    'feature-options.ts',
    'prompts',
    'delegate',
    'assistant',
    'routines',
    'skills',
    'demo',
    'inbox',
    'status',
    'web',
    'toolsets',
    ...leaves,
  ],
  'running-servers.ts': leaves,
  'feature-options.ts': [
    'audit',
    'identity',
    'running-servers.ts',
    'routines',
    'config.ts',
    'contracts',
    'engine',
    'prompts',
    'delegate',
    'assistant',
    'toolsets',
    ...leaves,
  ],
  'api.ts': ['audit', 'demo', 'feature-api.ts', 'inbox', 'routines', 'status', ...leaves],
  'feature-api.ts': ['prompts', 'delegate', 'assistant', ...leaves],
  cli: [
    'api.ts',
    'app.ts',
    'audit',
    'backup',
    'feature-options.ts',
    'running-servers.ts',
    'config.ts',
    'settings.ts',
    'contracts',
    'engine',
    'identity',
    'status',
    'toolsets',
    'transports',
    'web',
    'prompts',
    'delegate',
    'assistant',
    ...leaves,
  ],
  web: ['api.ts', 'contracts', 'feature.ts', ...leaves],
  transports: ['audit', 'engine', 'contracts', 'identity', 'toolsets', ...leaves],
  identity: ['toolsets', ...leaves],
  audit: leaves,
  backup: leaves,
  engine: ['audit', 'contracts', 'toolsets', ...leaves],
  contracts: ['content.ts', 'feature.ts', 'failure.ts', 'json.ts', 'tool.ts', 'version.ts'],
  prompts: leaves,
  delegate: leaves,
  assistant: leaves,
  skills: leaves,
  demo: ['feature-api.ts', ...leaves],
  inbox: leaves,
  routines: ['feature-api.ts', ...leaves],
  status: leaves,
  toolsets: ['context.ts', 'failure.ts', 'json.ts', 'nearest.ts', 'search', 'tool.ts'],
  'config.ts': ['config', ...leaves],
  config: ['settings.ts', ...leaves],
  'settings.ts': [
    'audit',
    'backup',
    'contracts',
    'identity',
    'prompts',
    'delegate',
    'assistant',
    'routines',
    'skills',
    'setting.ts',
    'toolsets',
  ],
  'setting.ts': ['contracts', 'json.ts'],
  'feature.ts': ['content.ts', 'context.ts', 'inbox.ts', 'json.ts', 'tool.ts'],
  'atomic-file.ts': [],
  'chat-model.ts': [],
  'tool.ts': ['content.ts', 'context.ts', 'json.ts'],
  'context.ts': [],
  'content.ts': ['json.ts'],
  'failure.ts': ['json.ts'],
  'front-matter.ts': ['json.ts'],
  recurrence: ['failure.ts', 'json.ts', 'threads'],
  'regular-file.ts': ['failure.ts'],
  'request-body.ts': [],
  'log.ts': ['json.ts'],
  'inbox.ts': ['context.ts', 'tool.ts'],
  'json.ts': [],
  'message-page.ts': [],
  'mime-types.ts': [],
  'nearest.ts': [],
  'outreach.ts': ['context.ts', 'run-events.ts'],
  'pace.ts': [],
  'paging.ts': ['single-line.ts'],
  'public-address.ts': [],
  'run-events.ts': [],
  search: [],
  'single-line.ts': [],
  'stack-trace.ts': [],
  'storage-error.ts': [],
  store: leaves,
  'version.ts': [],
  'without-password.ts': [],
  threads: [],
};

/**
 * The command line and the page reach features through tools. What each of these files imports from a feature all the same,
 * and why no tool can do it.
 */
const doctor = 'doctor must work when no server can be created';
const copies = 'copies prompts with their history between stores, which no client may do';
const featureImports: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cli/assistant/migrate.ts': {
    'prompts/jsonl/copy-prompts.ts': copies,
    'prompts/versions/label-store.ts': copies,
  },
  'cli/assistant/calendar-sign-in.ts': {
    'assistant/calendar/browser-sign-in.ts':
      'a sign-in ends in a browser on this machine, and stores secrets of its owner',
  },
  'cli/assistant/users.ts': {
    'assistant/entities/channels.ts': 'help lists a flag for the address of each channel',
  },
  'cli/background/backup-places.ts': {
    'prompts/jsonl/file-lock.ts': 'a backup reads prompts and their history as of one moment',
  },
  'cli/doctor/checks-agents.ts': {
    'delegate/agents/agent-survey.ts': doctor,
    'delegate/agents/agents.ts': doctor,
    'delegate/run/delegate-options.ts': doctor,
  },
  'cli/doctor/checks-machine.ts': {
    'delegate/run/delegate-options.ts': doctor,
    'delegate/tools/retention.ts': doctor,
  },
  'cli/doctor/checks-providers.ts': {
    'assistant/entities/channels.ts': doctor,
    'assistant/problems.ts': doctor,
    'assistant/sending/channel.ts': doctor,
    'assistant/sending/probe.ts': doctor,
  },
  'cli/install/native-files.ts': {
    'prompts/native/native-prompts.ts': 'install writes into the folders of clients, which no client may do',
  },
  'cli/prompts/prompts-add.ts': {
    'prompts/formats/formats.ts': 'adds sources to the settings, which no client may do',
    'prompts/mounts/new-source.ts': 'adds sources to the settings, which no client may do',
  },
  'cli/prompts/prompts-editing.ts': {
    'prompts/formats/file-syntax.ts': 'the text in the editor has the format that import_prompts reads',
  },
  'cli/prompts/prompts-library.ts': {
    'prompts/files/file-cache.ts':
      'files are decoded, and unreadable ones reported, as the server does with its own',
    'prompts/formats/formats.ts': 'reads only the files of a folder that the format accepts',
  },
  'cli/prompts/prompts-move.ts': {
    'prompts/jsonl/copy-prompts.ts': copies,
    'prompts/mounts/local-repository.ts': 'pull runs git over the network, which no client may do',
    'prompts/mounts/repository-pull.ts': 'pull runs git over the network, which no client may do',
  },
  'cli/run-view.ts': { 'delegate/run/run-report.ts': 'runs watch formats every event when it arrives' },
  'cli/runs.ts': { 'delegate/run/run-report.ts': 'runs watch formats every event when it arrives' },
  'cli/serve-http.ts': {
    'assistant/delivery/acknowledge.ts': 'the answer pages of messages are HTTP, not MCP',
  },
};

/** The sub-folders of each folder, lowest first: each imports only those before it. '.' stands for files directly in the folder. */
const layers: Readonly<Record<string, readonly string[]>> = {
  prompts: [
    'files',
    'template',
    'jinja',
    'definition',
    'rendering',
    'catalog',
    'sources',
    'jsonl',
    'formats',
    'lint',
    'testing',
    'mounts',
    'native',
    'versions',
    'tools',
    '.',
  ],
  delegate: ['process', 'agents/protocols', 'agents', 'workspace', 'run', 'autopilot', 'tools', '.'],
  assistant: [
    'icalendar',
    'messages',
    'network',
    'sending',
    'channels',
    'entities',
    'attention',
    'policy',
    'planning',
    'editing',
    'calendar',
    'availability',
    'writeback',
    'delivery',
    'tools',
    '.',
  ],
  routines: ['schedule', 'definition', 'firing', 'actions', 'tools', '.'],
  cli: ['terminal', 'synonyms', 'client', 'background', 'install', 'assistant', 'doctor', 'prompts', '.'],
  web: [
    'page/controls',
    'page/shared',
    'page/start',
    'page/events',
    'page/people',
    'page/calendar',
    'page/runs',
    'page/prompt-editing',
    'page/trials',
    'page/prompts',
    'page/routines',
    'page/today',
    'page/server',
    'page/shell',
    'page',
    'page/apps',
    '.',
  ],
};

/** The cycles of imports: why each exists, and its files. Imports of types count: a reader of one of these files has to know the others. */
const cyclic: Readonly<Record<string, readonly string[]>> = {
  'digest.ts has the type of a sign-in, and passwords.ts answers with it': [
    'assistant/calendar/digest.ts',
    'assistant/calendar/passwords.ts',
  ],
  'sync.ts loads verify.ts on demand, which has the type of the calendars': [
    'assistant/calendar/sync.ts',
    'assistant/calendar/verify.ts',
  ],
  'program.ts loads its commands on demand: completion lists the commands, and the demo runs some': [
    'cli/completion.ts',
    'cli/demo.ts',
    'cli/program.ts',
  ],
  'all phases share the types of the request and the results of an autopilot': [
    'delegate/autopilot/autopilot-output.ts',
    'delegate/autopilot/autopilot-request.ts',
    'delegate/autopilot/comparison.ts',
    'delegate/autopilot/job-outcome.ts',
    'delegate/autopilot/job-runner.ts',
  ],
  'a run that waits, or that recovers others, has the type of the runner': [
    'delegate/run/agent-runner.ts',
    'delegate/run/run-recovery.ts',
  ],
  'demo.ts loads the sample data on demand, which has the type of the options': [
    'demo/demo.ts',
    'demo/sample-data.ts',
  ],
  'native-sync.ts loads native-prompts.ts on demand, which reads its list': [
    'prompts/native/native-prompts.ts',
    'prompts/native/native-sync.ts',
  ],
  'a rendered prompt can contain other prompts, which are rendered the same way': [
    'prompts/rendering/composition.ts',
    'prompts/rendering/jinja-rendering.ts',
    'prompts/rendering/rendering.ts',
  ],
  'store.ts loads the two databases on demand, which implement its interface': [
    'store/activity.ts',
    'store/current-call.ts',
    'store/planning-turns.ts',
    'store/postgres.ts',
    'store/sqlite.ts',
    'store/store.ts',
  ],
};

/** A file holds one idea, and few ideas need more lines than this. */
const maxLines = 400;

/** Packages that only these files and folders may import. */
const owners: Readonly<Record<string, readonly string[]>> = {
  minisearch: ['search'],
  stemmer: ['search', 'toolsets'],
  'typebox/schema': ['engine', 'config', 'tool.ts', 'prompts', 'delegate', 'assistant'],
};

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

/** The file or folder directly in src that a path belongs to. */
function topLevel(path: string): string {
  return normalize(path).split(/[\\/]/)[1]!;
}

const files = sources('src');
const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => ({
    file,
    target: target!,
  })),
);

/** The sets of files that import each other, directly or through others (Tarjan's algorithm). */
function findCycles(): readonly (readonly string[])[] {
  const targets = new Map(files.map((file): [string, string[]] => [file, []]));
  for (const { file, target } of imports)
    if (target.startsWith('.')) targets.get(file)!.push(join(dirname(file), target));
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    const position = open.push(file) - 1;
    let lowest = own;
    for (const target of targets.get(file)!) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, order.get(target)!);
    }
    if (lowest === own) {
      const cycle = open.splice(position);
      if (cycle.length > 1) cycles.push(cycle.sort());
    }
    return lowest;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return cycles;
}

it('backups leave out every kind of record that is declared as secret', async () => {
  const declared = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export const (\w+): SecretKind =/gm)].map(([, name]) => name),
  );
  const left = readFileSync('src/feature-options.ts', 'utf8').match(
    /secretKinds\(\).*?return \[(.*?)\];/s,
  )?.[1];
  expect(declared.length).toBeGreaterThan(0);
  expect(left?.split(', ').sort()).toEqual(declared.sort());
});

describe('the import table', () => {
  it('has a row for every file and folder of src', () => {
    expect([...new Set(files.map(topLevel))].filter((name) => !(name in allowed))).toEqual([]);
  });

  it('allows every import', () => {
    const broken = imports
      .filter(({ target }) => target.startsWith('.') && !target.endsWith('.json'))
      .map(({ file, target }) => ({
        file,
        from: topLevel(file),
        to: topLevel(join(dirname(file), target)),
        target,
      }))
      .filter(({ from, to }) => from !== to && !allowed[from]!.includes(to));
    expect(broken).toEqual([]);
  });

  it('lets the command line and the page import features only where a reason is named', () => {
    const inSource = (path: string) => relative('src', path).split(sep).join('/');
    const found = imports
      .filter(({ file, target }) => ['cli', 'web'].includes(topLevel(file)) && target.startsWith('.'))
      .map(({ file, target }) => ({ file: inSource(file), target: inSource(join(dirname(file), target)) }))
      .filter(({ target }) => /^(prompts|delegate|assistant)\//.test(target));
    const named = Object.entries(featureImports).flatMap(([file, targets]) =>
      Object.keys(targets).map((target) => ({ file, target })),
    );
    const sorted = (all: typeof named) =>
      [...new Set(all.map(({ file, target }) => `${file} imports ${target}`))].sort();
    expect(sorted(found)).toEqual(sorted(named));
  });

  it.each(Object.entries(layers))(
    'lists every sub-folder of %s, and each imports only lower ones',
    (part, order) => {
      const layerOf = (path: string) =>
        relative(join('src', part), dirname(path)).split(sep).join('/') || '.';
      const inside = imports
        .filter(({ file, target }) => topLevel(file) === part && target.startsWith('.'))
        .map(({ file, target }) => ({ file, target: join(dirname(file), target) }))
        .filter(({ target }) => topLevel(target) === part);
      expect([...new Set(files.filter((file) => topLevel(file) === part).map(layerOf))].sort()).toEqual(
        [...order].sort(),
      );
      expect(
        inside.filter(({ file, target }) => order.indexOf(layerOf(target)) > order.indexOf(layerOf(file))),
      ).toEqual([]);
    },
  );

  it('has no cycles, not even of types, except the listed ones', () => {
    const pathOf = (file: string) => relative('src', file).split(sep).join('/');
    const found = findCycles().map((cycle) => cycle.map(pathOf).sort());
    const known = Object.values(cyclic).map((cycle) => cycle.toSorted());
    const sorted = (cycles: readonly (readonly string[])[]) => cycles.map((cycle) => cycle.join(' ')).sort();
    expect(sorted(found)).toEqual(sorted(known));
  });

  it('restricts some packages to the folders that own them', () => {
    const broken = imports.filter(
      ({ file, target }) => target in owners && !owners[target]!.includes(topLevel(file)),
    );
    expect(broken).toEqual([]);
  });
});

describe('starting a server', () => {
  it('does not load packages that only later requests need', () => {
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
    // The first answer does not wait for the features.
    expect(loaded).not.toContain(join('src', 'app.ts'));
    load(join('src', 'cli', 'full-server.ts'));
    expect(loaded).toContain(join('src', 'prompts', 'tools', 'catalog-tools.ts'));
    expect([...loaded].filter((one) => /^(minisearch|stemmer|diff|kysely|pg)$/.test(one))).toEqual([]);
    expect(loaded).toContain(join('src', 'skills', 'skills.ts'));
    expect(loaded).not.toContain(join('src', 'skills', 'skill-catalog.ts'));
  });
});

describe('sizes', () => {
  const descending = (sizes: ReadonlyMap<string, number>) =>
    [...sizes].sort(([, one], [, other]) => other - one);

  it('limits the number of lines in a file', () => {
    const [longest, ...others] = descending(
      new Map(files.map((file) => [file, readFileSync(file, 'utf8').split('\n').length])),
    );
    console.log(`longest file: ${longest!.join(', ')} lines`);
    expect([longest!, ...others].filter(([, lines]) => lines > maxLines)).toEqual([]);
  });
});

describe('conventions', () => {
  it('names a channel only in its own file, in texts of a language, and where no definition can', () => {
    const named = files.filter((file) => /telegram/i.test(readFileSync(file, 'utf8')));
    expect(named.sort()).toEqual([
      join('src', 'assistant', 'channels', 'channels.ts'), // the list
      join('src', 'assistant', 'channels', 'telegram.ts'),
      join('src', 'assistant', 'tools', 'prompts.ts'), // the text of a drop-in contract
      join('src', 'delegate', 'process', 'private-files.ts'), // folders of programs, hidden from runs
    ]);
  });

  it('opens SQLite files in src/store only', () => {
    const users = new Set(imports.filter(({ target }) => target === 'node:sqlite').map(({ file }) => file));
    expect([...users].filter((file) => topLevel(file) !== 'store').sort()).toEqual([
      // The database of another program.
      join('src', 'delegate', 'agents', 'opencode.ts'),
      // Loads the module ahead of time.
      join('src', 'delegate', 'run-host.ts'),
    ]);
  });

  it('returns promises always or never', () => {
    const mixed = files.filter((file) =>
      /\| Promise<|\bPromise<.*> \| (?!undefined|null)\w/.test(readFileSync(file, 'utf8')),
    );
    expect(mixed).toEqual([]);
  });

  it('reads the environment in main.ts only', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual([join('src', 'main.ts')]);
  });

  it('reads files through regular-file.ts', () => {
    /** These read only files that Adjutant, its build or the kernel writes. */
    const exceptions = [
      join('src', 'cli', 'doctor', 'checks-machine.ts'), // /proc/sys
      join('src', 'delegate', 'process', 'process-table.ts'), // /proc
      join('src', 'demo', 'sample-run.ts'), // the text of a sample patch
      join('src', 'stack-trace.ts'), // source maps of the build
      join('src', 'web', 'apps.ts'), // the built page, from a fixed list of names
    ];
    const openers = files.filter(
      (file) =>
        !file.startsWith(join('src', 'web', 'page') + sep) &&
        /\b(readFile|readFileSync|createReadStream|openAsBlob)\b/.test(readFileSync(file, 'utf8')),
    );
    expect(openers.sort()).toEqual(exceptions);
  });

  it('converts YAML to objects in front-matter.ts only', () => {
    const users = imports.filter(({ target }) => target === 'yaml').map(({ file }) => file);
    const readers = [...new Set(users)].filter((file) =>
      /\b(parse|parseDocument|parseAllDocuments)\b/.test(readFileSync(file, 'utf8')),
    );
    expect(readers.sort()).toEqual([
      join('src', 'cli', 'install', 'client-file.ts'), // reads positions in files that front-matter.ts has parsed
      join('src', 'front-matter.ts'),
    ]);
  });

  it('starts the programs of a run in launch.ts only', () => {
    const starters = imports.filter(
      ({ file, target }) => topLevel(file) === 'delegate' && /^(node:)?child_process$/.test(target),
    );
    const names = new Set(starters.map(({ file }) => file));
    expect([...names]).toEqual([join('src', 'delegate', 'process', 'launch.ts')]);
  });

  it('exits the process only in the files that start one', () => {
    const callers = files.filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(callers).toEqual([join('src', 'delegate', 'run-host.ts'), join('src', 'main.ts')]);
  });

  it('does not use file names that say nothing, such as utils', () => {
    const vague = files.filter((file) =>
      /(^|[\\/])(utils?|helpers?|common|misc|types|index|manager|service|base)\.tsx?$/.test(file),
    );
    expect(vague).toEqual([]);
  });
});
