import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { namesOf, openPrompts, structured, textOf } from '../../../test/prompts/open-prompts.ts';
import { plantTree, write } from '../../../test/tree.ts';
import { runFetchingGit } from '../../delegate/process/fetching-git.ts';
import type { JsonObject } from '../../json.ts';
import { LocalRepository, localRepositories, nameFrom, type RepositoryOptions } from './local-repository.ts';
import { pullRepository, type RunGit } from './repository-pull.ts';

const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
const gitAs =
  (variables: Readonly<Record<string, string | undefined>>): RunGit =>
  (args, own = {}, options = {}) =>
    runFetchingGit(args, { ...env, ...variables }, own, options);
const git = gitAs({});
const library = (text: string) => ({
  'team/twig.toml': '[prompts.hello]\ndescription = "d"\n',
  'team/prompts/hello.md': text,
});

/** A repository of its own, as a team would have it on a server. */
class Remote {
  readonly folder: string;

  constructor(files: Readonly<Record<string, string>>) {
    this.folder = plantTree(files);
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    this.commit();
  }

  git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=Team', '-c', 'user.email=team@example.com'];
    return execFileSync('git', [...identity, ...args], { cwd: this.folder, encoding: 'utf8' }).trim();
  }

  commit(files: Readonly<Record<string, string>> = {}): string {
    write(this.folder, files);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message=change');
    return this.git('rev-parse', 'HEAD');
  }
}

function local(options: RepositoryOptions, root = plantTree({})) {
  const repository = new LocalRepository(root, options);
  const serve = () =>
    openPrompts({}, {}, {}, 'tester', { repositories: { list: [options], folder: root, git } });
  return { root, repository, serve, pull: () => pullRepository(repository, git) };
}

async function problemsOf({ call }: ReturnType<typeof openPrompts>): Promise<readonly string[]> {
  const { problems } = structured(await call('lint_prompts'));
  return (problems as JsonObject[]).map(({ message }) => String(message));
}

describe('a repository', () => {
  it('is fetched, updated and served as of one commit, and still served when it is gone', async () => {
    const remote = new Remote(library('First.'));
    const { repository, pull, serve } = local({ address: remote.folder, name: 'shared' });
    const first = await pull();
    expect(first).toMatchObject({ name: 'shared', changed: true, commit: remote.git('rev-parse', 'HEAD') });
    expect(await pull()).toMatchObject({ changed: false });
    const server = serve();
    const get = async () => textOf(await server.request('prompts/get', { name: 'team:hello' }));
    expect(await get()).toBe('First.');
    remote.commit({ 'team/prompts/hello.md': 'Second.' });
    expect(await get()).toBe('First.');
    expect(await pull()).toMatchObject({ changed: true });
    expect(await get()).toBe('Second.');
    rmSync(remote.folder, { recursive: true });
    await expect(pull()).rejects.toThrow(/^The repository shared could not be updated: .*does not/);
    expect(await get()).toBe('Second.');
    expect(await problemsOf(server)).toEqual([
      expect.stringMatching(/^the repository shared could not be updated: .*; its prompts of .* are served$/),
    ]);
    // Only the history that is needed is on this machine.
    expect(readdirSync(repository.folder).filter((name) => /^[0-9a-f]{40}$/.test(name))).toHaveLength(2);
  });

  it('over http is updated by a running server, which notifies its client', async () => {
    const remote = new Remote(library('First.'));
    const address = await serveOverHttp(remote.folder);
    const { serve, repository } = local({ address, name: 'shared', interval_minutes: 0.02 });
    const server = serve();
    expect(await problemsOf(server)).toEqual([
      'the repository shared has not been fetched; run adjutant prompts pull',
    ]);
    let changes = 0;
    for (const feature of server.server.features) feature.subscribe?.(() => changes++);
    await expect
      .poll(async () => namesOf(await server.request('prompts/list')), { timeout: 20_000 })
      .toContain('team:hello');
    const seen = changes;
    remote.commit({ 'team/prompts/hello.md': 'Second.' });
    await expect
      .poll(async () => textOf(await server.request('prompts/get', { name: 'team:hello' })), {
        timeout: 20_000,
      })
      .toBe('Second.');
    await expect.poll(() => changes, { timeout: 20_000 }).toBeGreaterThan(seen);
    expect(existsSync(join(repository.folder, 'git', 'shallow'))).toBe(true);
  });

  it('can be one library, a folder, a branch, a commit or files of another client', async () => {
    const remote = new Remote({ 'twig.toml': '[prompts.p]\ndescription = "d"\n', 'prompts/p.md': 'Root.' });
    const pinned = remote.commit({ 'claude/git/fix.md': 'Fix $0', 'libs/a/twig.toml': '' });
    remote.git('checkout', '--quiet', '-b', 'next');
    remote.commit({ 'prompts/p.md': 'Next.', ...library('Hi.') });
    remote.git('checkout', '--quiet', 'main');
    remote.commit({ 'prompts/p.md': 'Newest.' });
    const texts = async (options: Omit<RepositoryOptions, 'address'>, name: string) => {
      const { pull, serve } = local({ address: remote.folder, ...options });
      await pull();
      return textOf(await serve().request('prompts/get', { name, arguments: {} }));
    };
    expect(await texts({ name: 'My-Lib' }, 'my_lib:p')).toBe('Newest.');
    expect(await texts({ name: 'lib', commit: pinned }, 'lib:p')).toBe('Root.');
    expect(await texts({ name: 'lib', branch: 'next' }, 'lib:p')).toBe('Next.');
    expect(await texts({ branch: 'next', folder: 'team' }, 'team:hello')).toBe('Hi.');
    expect(await texts({ format: 'claude-code', folder: 'claude', prefix: 'c' }, 'c:git:fix')).toBe('Fix $0');
  });

  it('is a source with a name, a prefix and the format of its files', async () => {
    const remote = new Remote({ 'fix.md': 'Fix $0' });
    const { pull, serve } = local({
      address: remote.folder,
      name: 'shared',
      format: 'claude-code',
      prefix: 'c',
    });
    await pull();
    const { call } = serve();
    for (const source of ['repository shared', 'shared', 'Claude-Code', 'c'])
      expect(structured(await call('list_prompts', { source }))).toMatchObject({
        prompts: [{ name: 'c:fix' }],
      });
  });

  it('is not served with other settings than it was fetched with', async () => {
    const remote = new Remote(library('First.'));
    const { pull, root } = local({ address: remote.folder, name: 'shared' });
    await pull();
    const { request } = local({ address: '/elsewhere', name: 'shared' }, root).serve();
    expect(namesOf(await request('prompts/list'))).not.toContain('team:hello');
  });

  it('keeps its last commit if a new one cannot be written', async () => {
    const remote = new Remote(library('First.'));
    const { pull, serve } = local({ address: remote.folder, name: 'shared', folder: 'team' });
    await pull();
    remote.git('rm', '-r', '--quiet', 'team');
    remote.commit({ 'other.md': 'x' });
    await expect(pull()).rejects.toThrow('team');
    expect(textOf(await serve().request('prompts/get', { name: 'team:hello' }))).toBe('First.');
  });
});

describe('git', () => {
  it('keeps its last commit if a new one breaks a prompt, and says which', async () => {
    const remote = new Remote(library('First.'));
    const { pull, serve } = local({ address: remote.folder });
    await pull();
    remote.commit(library('{% if %}'));
    await expect(pull()).rejects.toThrow(/the commit [0-9a-f]{7} breaks prompts: team\/prompts\/hello.md: /);
    const server = serve();
    expect(textOf(await server.request('prompts/get', { name: 'team:hello' }))).toBe('First.');
    expect(await problemsOf(server)).toEqual([expect.stringContaining('breaks prompts')]);
    remote.commit(library('Second.'));
    expect(await pull()).toMatchObject({ changed: true });
    expect(textOf(await server.request('prompts/get', { name: 'team:hello' }))).toBe('Second.');
  });

  it('starts no program of the repository or of the user, and creates no links', async () => {
    const proof = join(plantTree({}), 'ran');
    const script = `#!/bin/sh\ntouch ${proof}\ncat\n`;
    const home = plantTree({
      '.gitconfig': `[filter "x"]\n\tsmudge = touch ${proof}; cat\n[core]\n\tsshCommand = touch ${proof}\n\tfsmonitor = touch ${proof}\n\thooksPath = ${plantTree({ 'post-checkout': script, 'reference-transaction': script })}\n[url "ext::touch ${proof} "]\n\tinsteadOf = /\n`,
    });
    const remote = new Remote({ ...library('First.'), '.gitattributes': '* filter=x\n' });
    symlinkSync('/etc/passwd', join(remote.folder, 'team', 'prompts', 'link.md'));
    mkdirSync(join(remote.folder, '.git', 'hooks'), { recursive: true });
    write(remote.folder, { '.git/hooks/post-upload-pack': script });
    chmodSync(join(remote.folder, '.git/hooks/post-upload-pack'), 0o755);
    remote.commit();
    const { repository } = local({ address: remote.folder, name: 'shared' });
    const hostile = { ...env, HOME: home, GIT_DIR: '/nonexistent', GIT_SSH_COMMAND: `touch ${proof}` };
    const { commit } = await pullRepository(repository, (args, variables = {}) =>
      runFetchingGit(args, hostile, variables),
    );
    expect(existsSync(proof)).toBe(false);
    const link = join(repository.filesOf(commit), 'team', 'prompts', 'link.md');
    expect(readFileSync(link, 'utf8')).toBe('/etc/passwd');
  });

  it.each([
    'ext::sh -c touch% x',
    'http://example.com/x.git',
    'git://example.com/x.git',
    '--upload-pack=touch x',
    'relative/path',
  ])('does not fetch from %s', async (address) => {
    const { pull } = local({ address, name: 'x' });
    await expect(pull()).rejects.toThrow('is not allowed');
  });

  it('asks the credential helper of the person for the host of a private repository, only if that is set', async () => {
    const remote = new Remote(library('First.'));
    const address = await serveOverHttp(remote.folder, 'Basic YWRhOmh1bnRlcjI=');
    const { port, origin } = new URL(address);
    const home = plantTree({
      '.gitconfig': '[credential]\n\thelper = store\n',
      '.git-credentials': `http://ada:hunter2@127.0.0.1:${port}\n`,
    });
    const pull = (options: Partial<RepositoryOptions>, variables: Readonly<Record<string, string>>) =>
      pullRepository(local({ address, name: 'x', ...options }).repository, gitAs(variables));
    await expect(pull({}, { HOME: home })).rejects.toThrow(
      'if the repository is private, set credentials = "helper" or token_file on it in adjutant.toml, or use ssh',
    );
    expect(await pull({ credentials: 'helper' }, { HOME: home })).toMatchObject({ changed: true });
    await expect(pull({ credentials: 'helper' }, { HOME: plantTree({}) })).rejects.toThrow(
      `your git settings name no credential helper for ${origin}`,
    );
    write(home, { '.git-credentials': `http://ada:wrong@127.0.0.1:${port}\n` });
    await expect(pull({ credentials: 'helper' }, { HOME: home })).rejects.toThrow(
      'your credential helper or token file has no valid password for this repository',
    );
  });

  it.each<[settings: string, of: (origin: string, home: string) => string]>([
    ['several helpers', () => '[credential]\n\thelper = store\n\thelper = "!true"\n'],
    ['a helper for the host', (origin) => `[credential "${origin}"]\n\thelper = store\n`],
    ['a helper for any host of one kind', () => '[credential "http://127.0.*.1:*"]\n\thelper = store\n'],
    ['a helper for the path', (origin) => `[credential "${origin}/origin.git"]\n\thelper = store\n`],
    [
      'a name and the path',
      (origin, home) =>
        `[credential]\n\thelper = store --file ${home}/paths\n[credential "${origin}"]\n\tusername = ada\n\tuseHttpPath\n`,
    ],
    [
      'a helper for another host, too',
      (_, home) =>
        `[credential "http://example.com"]\n\thelper = "!touch ${home}/asked"\n[credential]\n\thelper = store\n`,
    ],
  ])('uses git settings with %s', async (_, settings) => {
    const remote = new Remote(library('First.'));
    const address = await serveOverHttp(remote.folder, 'Basic YWRhOmh1bnRlcjI=');
    const { origin, host, pathname } = new URL(address);
    const home = plantTree({ '.git-credentials': `http://ada:hunter2@${host}\n` });
    write(home, {
      '.gitconfig': settings(origin, home)
        .replace('/origin.git', pathname)
        .replace(':*', `:${new URL(address).port}`),
      paths: `http://bob:wrong@${host}${pathname}\nhttp://ada:wrong@${host}/other\nhttp://ada:hunter2@${host}${pathname}\n`,
    });
    const { repository } = local({ address, name: 'x', credentials: 'helper' });
    expect(await pullRepository(repository, gitAs({ HOME: home }))).toMatchObject({ changed: true });
    expect(existsSync(join(home, 'asked'))).toBe(false);
  });

  it('asks no helper that an empty one removes, or that is for other paths', async () => {
    const home = plantTree({
      '.gitconfig':
        '[credential]\n\thelper = store\n\thelper =\n[credential "http://127.0.0.1:1/other"]\n\thelper = store\n',
    });
    const { repository } = local({ address: 'http://127.0.0.1:1/x.git', name: 'x', credentials: 'helper' });
    await expect(pullRepository(repository, gitAs({ HOME: home }))).rejects.toThrow(
      'your git settings name no credential helper for http://127.0.0.1:1',
    );
  });

  it('sends the token of a file to the host of the address, and to no other', async () => {
    const remote = new Remote(library('First.'));
    const authorization = `Basic ${Buffer.from('x-access-token:s3cret').toString('base64')}`;
    const address = await serveOverHttp(remote.folder, authorization);
    const folder = plantTree({ good: 's3cret\n', bad: 'wrong', empty: '\n' });
    const pull = (name: string) =>
      pullRepository(local({ address, name: 'x', token_file: join(folder, name) }).repository, git);
    expect(await pull('good')).toMatchObject({ changed: true });
    await expect(pull('bad')).rejects.toThrow('token file has no valid password');
    await expect(pull('empty')).rejects.toThrow('must contain the token and nothing else');
    await expect(pull('none')).rejects.toThrow('none');
    const elsewhere = local({ address: remote.folder, name: 'y', token_file: join(folder, 'good') });
    await expect(elsewhere.pull()).rejects.toThrow('token_file is for https');
  });

  it('is not updated to a commit that breaks a prompt or one of its tests', async () => {
    const manifest = (expected: string) =>
      `[prompts.hello]\ndescription = "d"\n[[prompts.hello.tests]]\ncontains = "${expected}"\n`;
    const remote = new Remote({ 'team/twig.toml': manifest('First'), 'team/prompts/hello.md': 'First.' });
    const { pull, serve } = local({ address: remote.folder, name: 'shared' });
    await pull();
    const text = async () => textOf(await serve().request('prompts/get', { name: 'team:hello' }));
    remote.commit({ 'team/prompts/hello.md': 'First {{ nobody }}.' });
    await expect(pull()).rejects.toThrow(/breaks prompts: .*hello\.md: .*undefined variable/);
    expect(await text()).toBe('First.');
    remote.commit({ 'team/prompts/hello.md': 'Second.' });
    await expect(pull()).rejects.toThrow(/breaks prompts: .*test 1 failed/);
    expect(await text()).toBe('First.');
    remote.commit({ 'team/twig.toml': manifest('Second') });
    expect(await pull()).toMatchObject({ changed: true });
    expect(await text()).toBe('Second.');
  });

  it('may use prompts of other sources', async () => {
    const remote = new Remote(library('First.'));
    const { pull } = local({ address: remote.folder, name: 'shared' });
    await pull();
    remote.commit({ 'team/prompts/hello.md': '{{ prompt("research") }}' });
    expect(await pull()).toMatchObject({ changed: true });
  });

  it('sends a password to no host that the repository redirects to', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(String(request.headers.authorization));
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const first = createServer((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${portOf(other)}/x.git/info/refs` }).end(),
    );
    for (const server of [other, first]) await listen(server);
    const home = plantTree({
      '.gitconfig': '[credential]\n\thelper = "!f() { echo username=ada; echo password=hunter2; }; f"\n',
    });
    const address = `http://127.0.0.1:${portOf(first)}/x.git`;
    const { repository } = local({ address, name: 'x', credentials: 'helper' });
    await expect(pullRepository(repository, gitAs({ HOME: home }))).rejects.toThrow('could not be updated');
    expect(seen).toEqual([]);
  });

  it('brings no more files and bytes to this machine than allowed', async () => {
    const remote = new Remote({ ...library('First.'), 'big.txt': 'x'.repeat(3_000_000) });
    const { repository } = local({ address: remote.folder, name: 'x' });
    await expect(pullRepository(repository, git, { bytes: 2_000_000, files: 10 })).rejects.toThrow(
      'its files have 4 MB; at most 2 MB are allowed',
    );
    await expect(pullRepository(repository, git, { bytes: 9_000_000, files: 2 })).rejects.toThrow(
      'it has 3 files; at most 2 are allowed',
    );
    expect(await pullRepository(repository, git, { bytes: 9_000_000, files: 3 })).toMatchObject({
      changed: true,
    });
  });

  it('refuses a few objects that describe millions of files', async () => {
    const remote = new Remote({ 'a.md': 'x' });
    const run = (args: readonly string[], input = '') =>
      execFileSync('git', args, { cwd: remote.folder, input, encoding: 'utf8' }).trim();
    const file = run(['hash-object', '-w', '--stdin'], 'x');
    const folderOf = (type: string, id: string) =>
      run(['mktree'], Array.from({ length: 10 }, (_, at) => `${type} ${id}\tn${at}\n`).join(''));
    let tree = folderOf('100644 blob', file);
    for (let depth = 0; depth < 6; depth += 1) tree = folderOf('040000 tree', tree);
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    const commit = run([...author, 'commit-tree', tree, '-m', 'x']);
    run(['update-ref', 'HEAD', commit]);
    const { repository } = local({ address: remote.folder, name: 'x' });
    await expect(pullRepository(repository, git)).rejects.toThrow('it has too many files');
  });

  it('does not fetch more than allowed', async () => {
    const remote = new Remote({ 'a.md': randomBytes(2_000_000).toString('base64') });
    const { repository } = local({ address: remote.folder, name: 'x' });
    await expect(pullRepository(repository, git, { bytes: 1_000_000, files: 10 })).rejects.toThrow(
      'it is larger than 1 MB, so it was not fetched',
    );
  });

  it('never shows a password', async () => {
    const { pull, serve } = local({ address: 'https://ada:hunter2@127.0.0.1:1/x.git', name: 'x' });
    await expect(pull()).rejects.toThrow(/^(?!.*hunter2)/);
    expect((await problemsOf(serve())).join()).not.toContain('hunter2');
  });
});

it('of the same name as another gets a number', () => {
  const list = ['/one/prompts', '/two/prompts'].map((address) => ({ address }));
  expect(localRepositories('/data', list).map(({ folder }) => folder)).toEqual([
    '/data/prompts',
    '/data/prompts-2',
  ]);
});

it.each([
  ['https://example.com/team/my-prompts.git', 'my-prompts'],
  ['git@example.com:prompts.git', 'prompts'],
  ['/srv/git/a b/', 'a-b'],
])('%s is called %s', (address, name) => {
  expect(nameFrom(address)).toBe(name);
});

/** Serves a repository with git's own program for http. */
async function serveOverHttp(folder: string, authorization?: string): Promise<string> {
  const server = createServer((request, response) => {
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="team"' }).end();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname.replace('/x.git', '/.git'),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const reply = Buffer.concat(chunks);
      const end = reply.indexOf('\r\n\r\n');
      const headers = reply.subarray(0, end).toString().split('\r\n');
      const fields = headers.map((line) => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 2),
      ]);
      const { Status = '200', ...others } = Object.fromEntries(fields) as Record<string, string>;
      response.writeHead(Number.parseInt(Status, 10), others).end(reply.subarray(end + 4));
    });
  });
  await listen(server);
  return `http://127.0.0.1:${portOf(server)}/x.git`;
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
