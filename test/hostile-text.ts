/** Repeats a text until it has at least this length. */
export function repeatTo(size: number, text: string): string {
  return text.repeat(Math.ceil(size / text.length));
}

/** Joins numbered texts, each of them different, until they have at least this length. */
export function numberTo(size: number, text: (number: number) => string): string {
  const parts: string[] = [];
  for (let number = 0, written = 0; written < size; number++) {
    parts.push(text(number));
    written += parts.at(-1)!.length;
  }
  return parts.join('');
}

/** Measures processor time, which does not depend on how busy the machine is. */
export async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
