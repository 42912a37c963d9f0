import { runProgram } from './cli/program.ts';

// Stdout belongs to the protocol: whatever a library prints goes to stderr.
const output = Object.create(process.stdout, {
  write: { value: process.stdout.write.bind(process.stdout) },
}) as NodeJS.WriteStream;
process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) =>
  process.stderr.write(...args)) as typeof process.stdout.write;

void runProgram(
  process.argv.slice(2),
  { input: process.stdin, output, errors: process.stderr, env: process.env },
  process.cwd(),
).then((code) => {
  process.exitCode = code;
  // Everything is answered and flushed; a timer of some library must not keep us.
  output.write('', () => process.exit(code));
});
