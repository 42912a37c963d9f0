import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Checkup, createCheckup } from '../../../test/checkup.ts';
import { componentFile } from '../../../test/components.ts';
import { surveyAgent } from '../../delegate/agents/agent-survey.ts';
import { Agents } from '../../delegate/agents/agents.ts';
import { delegateOptions } from '../../delegate/run/delegate-options.ts';
import { checkAgents, checkCodex } from './checks-agents.ts';

let home: Checkup;
let bin: string;
beforeEach(() => {
  home = createCheckup();
  bin = join(home.folder, 'bin');
  mkdirSync(bin);
});
afterEach(() => home[Symbol.asyncDispose]());

const install = (name: string) => symlinkSync(componentFile(`.bin/${name}`), join(bin, name));
const installScript = (name: string, text: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
};

/** The findings for these settings, with only the programs in `bin`, and Node, on the PATH. */
async function check(toml: string, variables: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(home.folder, 'adjutant.toml'), toml);
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/bin`,
    HOME: home.folder,
    TMPDIR: '/elsewhere',
    ...variables,
  };
  const loaded = await home.load(env);
  const found = [...(await checkCodex(loaded.config, { env })), ...(await checkAgents(loaded, { env }))];
  return Object.fromEntries(found.map(({ title, ...finding }) => [title, finding]));
}

it('reports which agents are installed, signed in, too old, unknown or missing', {
  timeout: 120_000,
}, async () => {
  install('claude');
  install('gemini');
  installScript('opencode', 'echo 0.3.1');
  installScript('qwen', 'echo "Quick Window ENvironment"');
  const settings = '[[delegate.agents]]\nname = "goose"\ncommand = "/nowhere/goose"\n';
  const found = await check(settings, { GEMINI_API_KEY: 'none' });
  expect(found).toEqual({
    Codex: { state: 'good', detail: 'not installed; runs use gemini' },
    'Agent claude': {
      state: 'warning',
      detail: expect.stringMatching(
        /^\d+\.\d+\.\d+, not signed in; can steer, interrupt, approve, resume, fork, usage, cost$/,
      ),
      remedy: expect.stringMatching(
        /^start claude once and sign in, or set ANTHROPIC_API_KEY(; install .*)?$/,
      ),
    },
    'Sandbox around agents': expect.objectContaining({
      state: expect.any(String),
      detail: expect.any(String),
    }),
    'Agent gemini': {
      state: 'good',
      detail: expect.stringMatching(/^\d+\.\d+\.\d+, signed in; can interrupt, approve, usage$/),
    },
    'Agent opencode': {
      state: 'warning',
      detail: expect.stringContaining('0.3.1'),
      remedy: expect.stringMatching(
        /^update opencode: 0\.3\.1 is older than \d+\.\d+\.\d+, with which Adjutant was tested$/,
      ),
    },
    'Agent qwen': {
      state: 'warning',
      detail: expect.stringContaining('unknown version'),
      remedy: `check that ${join(bin, 'qwen')} is Qwen Code: it reports no version`,
    },
    'Agent goose': {
      state: 'warning',
      detail: 'is in delegate.agents, but it is not installed',
      remedy: '/nowhere/goose is not an executable file; set its command in delegate.agents.',
    },
  });
});

it('does not take the program of another agent for Codex, and needs no Codex for that agent', {
  timeout: 60_000,
}, async () => {
  install('claude');
  const settings = `[delegate]\nagent = "claude"\ncommand = "${join(bin, 'claude')}"\n`;
  const found = await check(settings, { ANTHROPIC_API_KEY: 'none' });
  expect(found).toMatchObject({
    Codex: { state: 'good', detail: 'not installed; runs use claude' },
    'Agent claude': { detail: expect.stringContaining('signed in; can steer') },
    'Other agents': { state: 'good', detail: 'not installed: gemini, opencode, qwen' },
  });
});

it('reports a configured agent that is missing', { timeout: 60_000 }, async () => {
  const found = await check('[delegate]\nagent = "gemini"\n');
  expect(found['Agent gemini']).toEqual({
    state: 'warning',
    detail: 'is the configured agent, but it is not installed',
    remedy: 'gemini is not on the PATH; install it with "npm install -g @google/gemini-cli".',
  });
});

it('flags a Codex that is too old, with the same words as the tool that lists agents', {
  timeout: 60_000,
}, async () => {
  installScript('codex', 'test "$1" = --version && echo codex-cli 0.100.0');
  const found = await check('', { CODEX_HOME: home.folder });
  const remedy = expect.stringMatching(
    /^update codex: 0\.100\.0 is older than \d+\.\d+\.\d+, with which Adjutant was tested$/,
  );
  expect(found['Codex']).toEqual({ state: 'warning', detail: '0.100.0', remedy });
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/bin`,
    HOME: home.folder,
    TMPDIR: '/elsewhere',
    CODEX_HOME: home.folder,
  };
  const options = delegateOptions((await home.load(env)).config, env, false);
  const survey = await surveyAgent(new Agents(options).get('codex'), options);
  expect(survey.hint?.split('; ')).toEqual([expect.stringContaining('codex login'), remedy]);
});

it('says which layers of the sandbox work, and which agents have none', { timeout: 60_000 }, async () => {
  install('gemini');
  install('claude');
  const variables = { GEMINI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' };
  const without = await check('[delegate]\ncontainment = "none"\n', variables);
  expect(without['Sandbox around agents']).toEqual({
    state: 'warning',
    detail:
      'Linux namespaces do not work here, so nothing but the sandboxes of codex and claude themselves limits runs, and runs of gemini, opencode, qwen are refused',
    remedy: expect.stringContaining('install util-linux'),
  });
  expect(without['Agent gemini']).toMatchObject({
    state: 'warning',
    remedy: expect.stringMatching(/^every run in a sandbox is refused here: install util-linux/),
  });
  // `check` puts only these programs on the PATH.
  expect(without['Agent claude']?.remedy ?? 'install bwrap and socat').toMatch(/bwrap|socat/);
});

it.runIf(process.platform === 'linux')('reports that the sandbox works', async () => {
  const { 'Sandbox around agents': sandbox } = await check('');
  expect(sandbox).toEqual({
    state: 'good',
    detail: expect.stringMatching(/^works: agents do not see your keys/),
  });
});
