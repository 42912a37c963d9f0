/** The lines that go and come, with their neighbours, as people read a patch. */
export function textDifference(before: string, after: string): string {
  const [a, b] = [lines(before), lines(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const near = (all: readonly string[], from: number, to: number) =>
    all.slice(Math.max(0, from), to).map((line) => `  ${line}\n`);
  return [
    ...near(a, start - 2, start),
    ...a.slice(start, a.length - end).map((line) => `- ${line}\n`),
    ...b.slice(start, b.length - end).map((line) => `+ ${line}\n`),
    ...near(b, b.length - end, b.length - end + 2),
  ].join('');
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
