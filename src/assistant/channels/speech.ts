/** Renders text to a WAV file with espeak-ng. Returns false if the program is missing or fails. */
export async function speak(
  text: string,
  file: string,
  locale: string,
  program = 'espeak-ng',
): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const run = (voice: readonly string[]) =>
    new Promise<boolean>((resolve) => {
      const child = spawn(program, [...voice, '-b', '1', '-w', file, '--stdin'], {
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: 20_000,
      });
      child.once('error', () => resolve(false));
      child.once('exit', (code) => resolve(code === 0));
      // Without free file handles, the process has no streams.
      child.stdin?.once('error', () => undefined);
      child.stdin?.end(text);
    });
  const language = /^[a-z]{2,3}(-[a-z]{2,4})?$/.exec(locale.toLowerCase())?.[0];
  return (language !== undefined && (await run(['-v', language]))) || run([]);
}
