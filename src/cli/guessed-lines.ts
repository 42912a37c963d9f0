// Makes the command lines of the synonyms complete with the words that somebody wrote.
import { flagsAlike } from './synonyms/flags.ts';
import { event, file, message, steering } from './synonyms/verbs.ts';

/** More lines than these nobody reads. */
export const maxLines = 3;

export const has = (words: string, word: string): boolean => words.split(' ').includes(word);

export const bare = (word: string): string => word.replace(/^--?([^=]*)(?:=.*)?$/s, '$1');

/** Flags that name the person of a message. */
export const toPerson = 'to for user person who recipient';

/** The flag of a command that means the same. */
export function flagLike(name: string, known: readonly string[]): string | undefined {
  return flagsAlike
    .map((names) => names.split(' '))
    .find(([first, ...others]) => known.includes(first!) && others.includes(name))?.[0];
}

export function linesIn(lines: string, rest: readonly string[]): readonly string[] {
  return lines
    .split(' | ')
    .flatMap((line) => {
      if (line.startsWith(delegating)) return [`${taskLine(rest)}${line.slice(delegating.length)}`];
      return made[line]?.(rest) ?? [filled(line, rest)];
    })
    .slice(0, maxLines);
}

/** Lines that are made of more than the words that follow. */
const made: Readonly<Record<string, (rest: readonly string[]) => readonly string[]>> = {
  'runs watch …': (rest) => [filled('runs watch …', wordsIn(rest).slice(0, 1))],
  [file]: fileLines,
  [event]: eventLines,
  [message]: messageLines,
  [steering]: (rest) => [
    filled('runs steer …', /^(?:last|\S*\d\S*)$/.test(rest[0] ?? '') ? rest : ['last', ...rest]),
  ],
};

/** Whether a word is the path of a file or a folder, and not a name or a text. */
export const isPath = (word: string): boolean =>
  /^(?:\.{0,2}|~)\/\S|^[^\s:]+\.(?:md|txt|json|jsonl|toml)$/.test(word);

/** Lines that add the file among the words that follow, under its own name or under the name among the words. */
export function fileLines(rest: readonly string[]): readonly string[] {
  const address = rest.find((word) => /^\S+:\/\/|^\S+@\S+:/.test(word));
  const path = address ?? rest.find(isPath);
  if (path === undefined) return [filled('prompts add …', rest)];
  const name = rest.find((word) => /^\w[\w-]*$/.test(word) && !has('from as to', word));
  const added = filled('prompts add …', [path]);
  return name === undefined || address !== undefined
    ? [added]
    : [added, filled(`prompts create ${name} --file …`, [path])];
}

/** Flags that take no value, in this program or in others. */
const switches =
  'watch w follow f stream wait live attach autopilot background bg detach async d plan compare all json j quiet q yes y verbose v full-auto yolo readonly skip-git-repo-check';

/** Flags whose value can be a sentence. After another flag, a sentence is the task. */
const sentences = 'prompt p task message m text t role skill';

/** A word, or a flag with its value. */
interface Part {
  readonly flag?: string;
  readonly value?: string;
}

function partsOf(words: readonly string[]): readonly Part[] {
  return words.flatMap((word, index): readonly Part[] => {
    if (!isFlag(word)) return takesValue(words[index - 1], word) ? [] : [{ value: word }];
    const [, flag = word, joined] = /^(.*?)=(.*)$/s.exec(word) ?? [];
    const next = words[index + 1];
    const value = joined ?? (takesValue(word, next) ? next : undefined);
    return [{ flag, ...(value !== undefined && { value }) }];
  });
}

const isFlag = (word: string): boolean => /^-{1,2}[^-]/.test(word);

function takesValue(flag: string | undefined, next: string | undefined): boolean {
  if (flag === undefined || next === undefined || !isFlag(flag) || isFlag(next)) return false;
  const name = bare(flag);
  return !flag.includes('=') && !has(switches, name) && (!/\s/.test(next) || has(sentences, name));
}

const wordsIn = (words: readonly string[]): readonly string[] =>
  partsOf(words).flatMap(({ flag, value }) => (flag === undefined ? [value!] : []));

const delegating = 'delegate …';

/** Flags of `delegate` that other programs call by another name. */
const taskFlags = ['agent', 'cwd', 'effort', 'skill', 'resume', 'role', 'watch'];

/** Flags of other programs that `delegate` has nothing for. */
const foreign = 'timeout background bg detach async d parallel agents split plan compare all';

/** A line that gives a task to an agent: the task, then the flags under the names that they have here. */
function taskLine(rest: readonly string[]): string {
  const parts = partsOf(rest).map(({ flag, value }) => ({ flag, name: bare(flag ?? ''), value }));
  const isNamed = ({ name, value }: (typeof parts)[number]) =>
    has('prompt p', name) && value !== undefined && !/\s/.test(value);
  const isTask = ({ flag, name }: (typeof parts)[number]) =>
    flag === undefined || has('prompt p task message text t file f', name);
  // A saved prompt is named at the start of the task.
  const prompts = parts.filter(isNamed).map(({ value }) => `:${value!.replace(/^:/, '')}`);
  const task = parts.flatMap((part) => (isTask(part) && !isNamed(part) ? [part.value ?? []].flat() : []));
  const flags = parts
    .filter((part) => !isTask(part) && !has(foreign, part.name))
    .flatMap(({ flag, name, value }) => {
      const meant = flagLike(name, taskFlags);
      return [meant === undefined ? flag! : `--${meant}`, ...(value === undefined ? [] : [value])];
    });
  const words = [...prompts, ...task].map((word) => (/\s|^:/.test(word) ? JSON.stringify(word) : word));
  return ['delegate', ...words, ...flags.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word))].join(
    ' ',
  );
}

/** A line that sends a message to a person, who stands first, after a text in quotes, or behind a flag. */
export function messageLines(rest: readonly string[]): readonly string[] {
  const at = rest.findIndex((word) => word.startsWith('-') && has(toPerson, bare(word)));
  const flagged = at < 0 ? [] : rest[at]!.includes('=') ? [rest[at]!] : rest.slice(at, at + 2);
  const words = rest.filter(
    (word, index) =>
      !word.startsWith('-') && !(flagged.length > 0 && index >= at && index < at + flagged.length),
  );
  const named = flagged.length > 0 ? flagged.at(-1)!.replace(/^--?[^=]*=?/s, '') : undefined;
  const [first = '', ...others] = words;
  const isText = /\s/.test(first);
  const after = isText ? others.filter((word) => word !== 'to').at(-1) : undefined;
  const person = named || (isText ? (after ?? 'me') : first || 'me');
  const said = (named ? words : isText ? [first] : others).join(' ') || 'hello';
  const line = `send ${quoted(person)} ${quoted(said)}`;
  // "tell me in ten minutes" is a reminder.
  return first === 'me' ? [filled('remind …', words), line] : [line];
}

/** A line that adds an event, made of its title and time, or of flags under other names. */
export function eventLines(rest: readonly string[]): readonly string[] {
  if (rest.some((one) => one.startsWith('--'))) {
    const known = ['title', 'start', 'end', 'location', 'attendees', 'description'];
    const named = rest.map((word) => {
      const flag =
        word.startsWith('--') && !known.includes(bare(word)) ? flagLike(bare(word), known) : undefined;
      return flag === undefined ? word : `--${flag}`;
    });
    const [title = '', ...others] = named;
    return [
      filled(
        'events create …',
        title.startsWith('--') || title === '' ? named : ['--title', title, ...others],
      ),
    ];
  }
  if (/:\/\/|\.ics$/.test(rest.join(' ')))
    return [filled('calendars add …', rest), filled('calendars import …', rest)];
  const [title = 'TITLE', ...time] = rest;
  const start = time.length > 0 ? time.join(' ').replace(/^(?:at|on|for) /, '') : 'tomorrow 12:00';
  return [`events create --title ${quoted(title)} --start ${quoted(start)}`];
}

export const quoted = (words: string): string => (/^[\w.:@/-]+$/.test(words) ? words : JSON.stringify(words));

/** A line with the words that follow in the place of `…`. */
export function filled(line: string, rest: readonly string[]): string {
  const all = rest.join(' ');
  if (/(?:--[\w-]+ |=)…/.test(line))
    return line.replace(/(--([\w-]+) |=)…/, (_, before: string, flag = 'text') =>
      all === '' ? `${before}${flag.split('-').at(-1).toUpperCase()}` : `${before}${quoted(all)}`,
    );
  if (rest.length === 0 && /^runs (?!list|clean|stats|compare)/.test(line)) return line.replace('…', 'last');
  const words = rest.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word));
  return line.replace(/ ?…/, words.length > 0 ? ` ${words.join(' ')}` : '');
}
