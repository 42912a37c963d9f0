import { runProgram } from './cli/program.ts';

// Stdout belongs to the protocol: whatever a library prints goes to stderr.
const output = Object.create(process.stdout, {
  write: { value: process.stdout.write.bind(process.stdout) },
}) as NodeJS.WriteStream;
process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) =>
  process.stderr.write(...args)) as typeof process.stdout.write;

/** What was said on the side shall arrive, but nobody has to read it. */
const errorsWithinMs = 2_000;

function leave(code: number): void {
  setTimeout(() => process.exit(code), errorsWithinMs);
  process.stderr.on('error', () => process.exit(code));
  process.stderr.write('', () => process.exit(code));
}

let lost: NodeJS.ErrnoException | undefined;
let finish = () => {};
process.stdout.on('error', (error) => {
  lost = error;
  finish();
});

void runProgram(
  process.argv.slice(2),
  { input: process.stdin, output, errors: process.stderr, env: process.env },
  process.cwd(),
).then((code) => {
  // Everything is answered and flushed; a timer of some library must not keep us.
  finish = () => {
    // Whoever reads only the first lines has what they want.
    if (lost === undefined || lost.code === 'EPIPE') return leave(code);
    process.stderr.write(`adjutant: the output cannot be written: ${lost.message}\n`);
    leave(1);
  };
  process.exitCode = code;
  if (lost !== undefined) return finish();
  output.write('', (error) => {
    lost ??= error ?? undefined;
    finish();
  });
});
