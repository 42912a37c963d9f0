/** The job that a line of an autopilot is about, in front of what is said. */
const job = /^[\w-]+: (?=\$ |\{|warning: |failed)/;

/** What a line of a run is, as the server words it. */
export function kindOf(line: string): '' | 'command' | 'command failed' | 'warning' | 'failed' | 'step' {
  const text = line.replace(job, '');
  if (text.startsWith('$ ')) return / → -?[1-9]\d*$/.test(text) ? 'command failed' : 'command';
  if (text.startsWith('warning: ')) return 'warning';
  if (/^failed\b/.test(text)) return 'failed';
  return /^(thread |turn )/.test(text) ? 'step' : '';
}

/** An agent ends with an answer in JSON, perhaps cut off; what it says in it is its summary. */
export function spoken(line: string): string {
  const [prefix = ''] = job.exec(line) ?? [];
  const [, summary] = /^\{\s*"summary"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line.slice(prefix.length)) ?? [];
  if (summary === undefined) return line;
  try {
    return `${prefix}${JSON.parse(summary)}`;
  } catch {
    return line;
  }
}
