import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { initialize, Program } from '../program.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** Limits the open files. The program is stopped meanwhile, so that it opens no file before the limit applies. */
function limitOpenFiles({ child }: Program, files: number): void {
  child.kill('SIGSTOP');
  execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${files}:`]);
  child.kill('SIGCONT');
}

describe.runIf(hasPrlimit)('a server that has reached its limit of open files', () => {
  it.each(['list_runs', 'list_users', 'lint_prompts'])(
    'fails the call of %s, and answers it when it can open files again',
    async (name) => {
      await using program = new Program(['serve']);
      const call = () => program.request('tools/call', { name, arguments: {} });
      program.send(initialize());
      // Loads the chunk that validates arguments, so that the chunk of the tool itself is the first to fail.
      await program.request('tools/call', { name: 'list_prompts', arguments: {} });
      limitOpenFiles(program, 3);
      expect(JSON.stringify(await call())).toMatch(/Internal error|EMFILE/);
      limitOpenFiles(program, 1024);
      expect(JSON.stringify(await call())).not.toMatch(/Internal error|EMFILE/);
    },
  );

  it('keeps running when a chunk cannot be loaded in the background', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    await program.until(({ id }) => id === 0);
    limitOpenFiles(program, 3);
    await program.untilStderr(/could not start following changes by other processes; retrying: .*EMFILE/);
    expect(await program.request('ping')).toHaveProperty('result');
  });
});
