import type { ToolAnswer } from '../../../api.ts';

type TailEvent = ToolAnswer<'tail_run'>['events'][number];

export type StepKind =
  | 'command'
  | 'edit'
  | 'thought'
  | 'plan'
  | 'message'
  | 'asked'
  | 'told'
  | 'warning'
  | 'failed';

/** One thing that the agent did. Its start and its end are one step. */
export interface Step {
  readonly key: string;
  readonly kind: StepKind;
  readonly text: string;
  readonly output: string;
  readonly exitCode: number | undefined;
  /** Whether the agent is still at it. */
  readonly open: boolean;
  readonly failed: boolean;
  readonly time: string | undefined;
  /** From its start to its end, in milliseconds. */
  readonly duration: number | undefined;
}

/** The job id at the start of a line of an autopilot run. */
const jobPrefix = /^([\w-]+): (?=\$ |\{|warning: |failed)/;

/** The steps of a run, without what only matters to the programs: threads, turns and counted tokens. */
export function stepsOf(events: readonly TailEvent[], runIsOpen: boolean): readonly Step[] {
  const steps = new Map<string, Step>();
  // Lines without an item: the same command may run twice, one after the other.
  const openWithout = new Map<string, string>();
  for (const { line, text, time, kind, item, output = '', exit_code } of events) {
    const plain = text.replace(jobPrefix, '');
    const found = kindOf(plain);
    if (text === '' || found === undefined) continue;
    const command = found === 'command' ? plain.replace(/ → -?\d+$/, '') : undefined;
    const ended = kind ? kind === 'item.completed' : command === undefined || plain !== command;
    const [, job] = jobPrefix.exec(text) ?? [];
    const name = item === undefined ? `${job ?? ''} ${command ?? text}` : `${job ?? ''} item ${item}`;
    const before = item === undefined ? openWithout.get(name) : name;
    const key =
      before !== undefined && steps.has(before) ? before : item === undefined ? `line ${line}` : name;
    const exitCode = exit_code ?? exitOf(plain);
    const first = steps.get(key);
    const at = first?.time ?? time;
    steps.set(key, {
      ...{ key, kind: found, output, exitCode, time: at },
      text: `${job === undefined ? '' : `${job}: `}${shownText(command?.slice(2) ?? plain)}`,
      open: command !== undefined && !ended && runIsOpen,
      failed: found === 'failed' || (exitCode !== undefined && exitCode !== 0),
      duration: at && time && ended && command ? Date.parse(time) - Date.parse(at) : undefined,
    });
    if (item === undefined && command !== undefined)
      if (ended) openWithout.delete(name);
      else openWithout.set(name, key);
  }
  return [...steps.values()];
}

/** What a line tells about, by the words with which the server begins it. */
function kindOf(text: string): StepKind | undefined {
  if (/^(thread |turn )/.test(text)) return undefined;
  if (text.startsWith('$ ')) return 'command';
  if (text.startsWith('warning: ')) return 'warning';
  if (/^failed\b/.test(text)) return 'failed';
  if (/^(asks for approval|approval) /.test(text)) return 'asked';
  if (/^(message from|interrupted by) /.test(text)) return 'told';
  if (/^(add|update|delete) \S/.test(text)) return 'edit';
  if (/^\[[x ]\] /.test(text)) return 'plan';
  return /^\(.*\)$/.test(text) ? 'thought' : 'message';
}

function exitOf(text: string): number | undefined {
  const [, code] = / → (-?\d+)$/.exec(text) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** Shows only the summary of an agent's final answer, which is JSON and may be truncated. */
function shownText(line: string): string {
  const [, summary] = /^\{\s*"summary"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
  if (summary === undefined) return line;
  try {
    return JSON.parse(summary);
  } catch {
    return line;
  }
}

/** The parts of a plan: what is done, and what is not. */
export function planOf(text: string): readonly { readonly done: boolean; readonly text: string }[] {
  return [...text.matchAll(/\[([x ])\] (.*?)(?= \[[x ]\] |$)/g)].map(([, mark, what]) => ({
    done: mark === 'x',
    text: what!,
  }));
}

/** Steps whose words contain the query, of a kind, or all. */
export function findSteps(
  steps: readonly Step[],
  query: string,
  kinds: 'all' | 'commands' | 'edits',
): readonly Step[] {
  const wanted = query.trim().toLowerCase();
  return steps.filter(
    ({ kind, text, output }) =>
      (kinds === 'all' || kind === (kinds === 'commands' ? 'command' : 'edit')) &&
      (wanted === '' || `${text}\n${output}`.toLowerCase().includes(wanted)),
  );
}
