import { runProgram } from './cli/program.ts';

// Stdout carries the protocol, so output of libraries goes to stderr.
const output = Object.create(process.stdout, {
  write: { value: process.stdout.write.bind(process.stdout) },
}) as NodeJS.WriteStream;
process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) =>
  process.stderr.write(...args)) as typeof process.stdout.write;

/** How long the exit waits for stderr to be flushed. Its reader may be stuck, so the wait is limited. */
const flushTimeoutMs = 2_000;

function exit(code: number): void {
  setTimeout(() => process.exit(code), flushTimeoutMs);
  process.stderr.on('error', () => process.exit(code));
  process.stderr.write('', () => process.exit(code));
}

let outputError: NodeJS.ErrnoException | undefined;
let finish = () => {};
process.stdout.on('error', (error) => {
  outputError = error;
  finish();
});

void runProgram(
  process.argv.slice(2),
  { input: process.stdin, output, errors: process.stderr, env: process.env },
  process.cwd(),
).then((code) => {
  // Exit explicitly: a timer of some library could keep the process alive.
  finish = () => {
    // EPIPE is not a failure: a reader such as `head` closes the pipe when it has enough.
    if (outputError === undefined || outputError.code === 'EPIPE') return exit(code);
    process.stderr.write(`adjutant: cannot write the output: ${outputError.message}\n`);
    exit(1);
  };
  process.exitCode = code;
  if (outputError !== undefined) return finish();
  output.write('', (error) => {
    outputError ??= error ?? undefined;
    finish();
  });
});
