import { execFileSync } from 'node:child_process';

/**
 * Evaluates an expression in a process that has no free file handles. `loaded` is the module at the path. Returns the value of
 * the expression, or the code of the error that it throws.
 */
export function evaluateWithoutHandles(path: string, expression: string): unknown {
  const script = `
    const { openSync } = await import('node:fs');
    await import('node:child_process');
    const loaded = await import(${JSON.stringify(path)});
    try { for (;;) openSync('/dev/null'); } catch {}
    let value;
    try { value = await ${expression}; } catch (error) { value = error.code; }
    process.stdout.write(JSON.stringify({ value }));`;
  const limited = ['-c', 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"', process.execPath, script];
  return JSON.parse(execFileSync('bash', limited, { encoding: 'utf8' })).value;
}
