import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Uses up all file handles of its process, then starts a program. */
const script = `
  const { openSync } = await import('node:fs');
  await import('node:child_process');
  const { capture } = await import(${JSON.stringify(join(import.meta.dirname, 'launch.ts'))});
  try { for (;;) openSync('/dev/null'); } catch {}
  const { code, startError } = await capture({ command: 'true', args: [], env: {} }, { timeoutMs: 1000 });
  process.stdout.write(JSON.stringify({ code, error: startError.code }));
`;

it.skipIf(process.platform === 'win32')('reports that there are no free file handles', () => {
  const limited = ['-c', 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"', process.execPath, script];
  expect(JSON.parse(execFileSync('bash', limited, { encoding: 'utf8' }))).toEqual({
    code: null,
    error: 'EMFILE',
  });
});
