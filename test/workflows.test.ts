import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly steps?: readonly { readonly run?: string }[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
function workflow(name: string): Workflow {
  return parse(readFileSync(`.github/workflows/${name}.yml`, 'utf8')) as Workflow;
}
function commandsOf({ jobs }: Workflow): readonly string[] {
  return Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));
}
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

describe.each(['test', 'release'])('the workflow %s', (name) => {
  it('may only read, unless a job says otherwise', () => {
    expect(workflow(name).permissions).toEqual({ contents: 'read' });
  });

  it('runs scripts that exist', () => {
    const text = commandsOf(workflow(name)).join('\n');
    const npmScripts = [...text.matchAll(/npm (?:run )?(test|mcpb|[a-z]+:[a-z]+)/g)].map(
      ([, script]) => script!,
    );
    expect(npmScripts.filter((script) => !(script in scripts))).toEqual([]);
    const files = [...text.matchAll(/\bscripts\/\S+/g)].map(([file]) => file);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(npmScripts.length + files.length).toBeGreaterThan(0);
  });
});

it('the tests run on Linux, macOS and Windows', () => {
  const { on, jobs } = workflow('test');
  expect(Object.keys(on)).toEqual(['push', 'pull_request', 'workflow_call']);
  expect(jobs['test']!.strategy!.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  expect(jobs['test']!.steps).toContainEqual({ run: 'npm test' });
});

it('a release needs pinned actions and images, and has a list of its contents with provenance', () => {
  const { jobs } = workflow('release');
  const steps = jobs['publish']!.steps as readonly { readonly run?: string; readonly uses?: string }[];
  const at = (text: string) => steps.findIndex(({ run = '', uses = '' }) => `${run}${uses}`.includes(text));
  const order = ['pin.mjs --check', 'npm audit', 'npm sbom', 'attest-build-provenance', 'npm publish'].map(
    at,
  );
  expect(order.includes(-1)).toBe(false);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  const texts = ['.github/workflows/test.yml', '.github/workflows/release.yml', 'Dockerfile'].map((file) =>
    readFileSync(file, 'utf8'),
  );
  const named = texts.flatMap((text) =>
    [...text.matchAll(/(?:uses: (?!\.)|^FROM )(\S+)/gm)].map(([, one]) => one!),
  );
  expect(named.length).toBeGreaterThanOrEqual(7);
  const tagged = named.filter((one) => !/@(?:[\da-f]{40}|sha256:[\da-f]{64})$/.test(one));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/pin.mjs', '--check'], {
    encoding: 'utf8',
  });
  expect([status, stderr.match(/is not pinned/g)?.length ?? 0]).toEqual([
    tagged.length > 0 ? 1 : 0,
    tagged.length,
  ]);
});

it('a tag publishes the tested and checked package with provenance', () => {
  const { on, jobs } = workflow('release');
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(jobs['test']!.uses).toBe('./.github/workflows/test.yml');
  expect(jobs['publish']).toMatchObject({ needs: 'test', permissions: { 'id-token': 'write' } });
  const commands = jobs['publish']!.steps!.flatMap(({ run }) => run ?? []);
  const check = commands.indexOf('node scripts/release.mjs --check');
  const publish = commands.findIndex((command) => /^npm publish .*--provenance/.test(command));
  expect(check).toBeGreaterThanOrEqual(0);
  expect(publish).toBeGreaterThan(check);
});
