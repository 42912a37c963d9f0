import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  codeCaches,
  describeAbstractSockets,
  privateFiles,
  secretFiles,
  secretVariables,
  socketsIn,
} from './private-files.ts';

const home = '/home/ada';

it('hides keys, sign-ins and settings of programs, but not the settings of git', () => {
  const { hidden, visible } = privateFiles(home, {}, []);
  for (const path of ['.ssh', '.aws', '.gnupg', '.netrc', '.kube', '.docker', '.config', '.mozilla'])
    expect(hidden).toContain(`${home}/${path}`);
  expect(visible).toContain(`${home}/.config/git/config`);
  expect(visible).not.toContain(`${home}/.config/git/credentials`);
});

it('hides the folders that variables name', () => {
  const env = { XDG_CONFIG_HOME: '/settings', SSH_AUTH_SOCK: '/tmp/ssh-1/agent', XDG_RUNTIME_DIR: '/run/me' };
  const { hidden, visible } = privateFiles(home, env, []);
  expect(hidden).toEqual(
    expect.arrayContaining(['/settings', `${home}/.config`, '/tmp/ssh-1/agent', '/run/me']),
  );
  expect(visible).toContain('/settings/git/config');
});

it.each(['~/.ssh', '.ssh', `${home}/.ssh`])('shows what %s names', (name) => {
  const { hidden, visible } = privateFiles(home, { SSH_AUTH_SOCK: '/tmp/agent' }, [name, '~/.config/gh']);
  expect(hidden).not.toContain(`${home}/.ssh`);
  expect(hidden).not.toContain('/tmp/agent');
  expect(hidden).toContain(`${home}/.config`);
  expect(visible).toContain(`${home}/.config/gh`);
});

it('shows programs that are installed below a hidden folder', () => {
  const { visible } = privateFiles(
    home,
    { PATH: `/usr/bin:${home}/.config/yarn/global/node_modules/.bin` },
    [],
  );
  expect(visible).toContain(`${home}/.config/yarn`);
});

it('hides the manager of the system, but not the addresses of name servers', () => {
  const { hidden, visible } = privateFiles(home, {}, []);
  expect(hidden).toContain('/run/systemd');
  expect(visible).toContain('/run/systemd/resolve');
});

it.runIf(process.platform === 'linux')(
  'names the sockets without a file on which programs listen',
  async () => {
    const name = `adjutant-test-${crypto.randomUUID()}`;
    // Sorted before all others.
    const server = createServer().listen(`\0!${name}`);
    await once(server, 'listening');
    expect(await describeAbstractSockets()).toContain(`@!${name}`);
    server.close();
    await once(server, 'close');
    expect((await describeAbstractSockets()) ?? '').not.toContain(name);
  },
);

it.runIf(process.platform === 'linux')('finds the sockets in a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sockets-'));
  const at = (path: string) => join(folder, path);
  mkdirSync(at('home/a b'), { recursive: true });
  const servers = [at('home/a b/one'), at('home/two'), at('homeless')].map((path) =>
    createServer().listen(path),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  expect([...(await socketsIn([at('home')]))].sort()).toEqual([at('home/a b/one'), at('home/two')]);
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

it('finds secret variables by their names and values', () => {
  const env = {
    DATABASE_PASSWORD: 'x',
    PGPASSWD: 'x',
    GOOGLE_APPLICATION_CREDENTIALS: '/file',
    some_api_key: 'x',
    NPM_TOKEN: 'x',
    CLIENT_SECRET: 'x',
    KEYSTORE_PASSPHRASE: 'x',
    SMTP_PASS: 'x',
    GITHUB_PAT: 'x',
    MYSQL_PWD: 'x',
    DOCKER_AUTH_CONFIG: 'x',
    JDBC: 'jdbc:mysql://localhost/shop?user=ada&password=hunter2',
    CONNECTION: 'Server=localhost;User Id=ada;Password=hunter2',
    DATABASE: 'postgres://ada:hunter2@localhost/shop',
    SSH_AUTH_SOCK: '/tmp/agent',
  };
  const harmless = {
    PATH: '/usr/bin',
    PWD: '/home/ada',
    OLDPWD: '/',
    GIT_ASKPASS: '/usr/bin/askpass',
    SEARCH: 'https://example.org/?q=password',
    HOMEPAGE: 'https://example.org/@ada:x',
    GIT_CONFIG_KEY_0: 'core.pager',
    GIT_AUTHOR_NAME: 'Ada',
    EMPTY_TOKEN: undefined,
  };
  expect(secretVariables({ ...env, ...harmless }, [])).toEqual(Object.keys(env));
  expect(secretVariables(env, ['*_TOKEN', 'database*'])).toEqual(
    Object.keys(env).filter((name) => name !== 'NPM_TOKEN' && !name.startsWith('DATABASE')),
  );
});

it('finds the private files that variables name', () => {
  const env = {
    ...{ KUBECONFIG: '/srv/one:/srv/two', GOOGLE_APPLICATION_CREDENTIALS: '/home/ada/account.json' },
    ...{
      SERVER_KEY: 'relative',
      API_TOKEN: 'abc',
      SSL_KEY_FOLDER: '/etc/ssl',
      KEYS: '/',
      EDITOR: '/home/ada/editor',
    },
  };
  const named = ['/srv/one', '/srv/two', '/home/ada/account.json'];
  expect([...secretFiles(env, [])].sort()).toEqual([...named].sort());
  expect(secretFiles(env, ['KUBECONFIG', 'GOOGLE_*'])).toEqual([]);
});

it('finds the folders with code of other programs in a temporary folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'caches-'));
  for (const name of ['v8-compile-cache-1000', 'jest_rs', 'tsx-1000', 'my-files'])
    mkdirSync(join(folder, name));
  symlinkSync('/', join(folder, 'jiti'));
  const found = (await codeCaches([folder, folder, '/nowhere'])).map((path) => path.slice(folder.length + 1));
  expect(found.sort()).toEqual(['jest_rs', 'node-compile-cache', 'tsx-1000', 'v8-compile-cache-1000']);
  rmSync(folder, { recursive: true });
});
