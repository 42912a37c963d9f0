import { Interrupted, type Terminal } from '../terminal/command.ts';

/** Asks for a line on the terminal. The end of the input counts as an empty answer. */
export async function ask({ input, errors }: Terminal, question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input, output: errors });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('SIGINT', () => reject(new Interrupted()));
      lines.on('close', () => resolve(''));
      lines.question(question, resolve);
    });
  } finally {
    lines.close();
  }
}
