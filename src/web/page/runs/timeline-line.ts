/** The job id at the start of a line of an autopilot run. */
const jobPrefix = /^[\w-]+: (?=\$ |\{|warning: |failed)/;

/** Classifies a timeline line by the prefix the server gives it. */
export function lineKind(line: string): '' | 'command' | 'command failed' | 'warning' | 'failed' | 'step' {
  const text = line.replace(jobPrefix, '');
  if (text.startsWith('$ ')) return / → -?[1-9]\d*$/.test(text) ? 'command failed' : 'command';
  if (text.startsWith('warning: ')) return 'warning';
  if (/^failed\b/.test(text)) return 'failed';
  return /^(thread |turn )/.test(text) ? 'step' : '';
}

/** Shows only the summary of an agent's final answer, which is JSON and may be truncated. */
export function displayText(line: string): string {
  const [prefix = ''] = jobPrefix.exec(line) ?? [];
  const [, summary] = /^\{\s*"summary"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line.slice(prefix.length)) ?? [];
  if (summary === undefined) return line;
  try {
    return `${prefix}${JSON.parse(summary)}`;
  } catch {
    return line;
  }
}
