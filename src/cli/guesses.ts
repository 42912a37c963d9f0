// Finds the command lines that somebody may have meant.
import { nearest } from '../nearest.ts';
import { settings } from '../settings.ts';
import {
  bare,
  eventLines,
  fileLines,
  filled,
  flagLike,
  has,
  isPath,
  linesIn,
  maxLines,
  messageLines,
  quoted,
  toPerson,
} from './guessed-lines.ts';
import { flagLines } from './synonyms/flags.ts';
import { type Thing, things } from './synonyms/things.ts';
import { type Meaning, meanings, shortNames, verbsAlone } from './synonyms/verbs.ts';
import type { Action, Command } from './terminal/command.ts';

/** The agents that need no setting. */
export const agentNames: readonly string[] = settings['delegate.agent_order'].default;

/** Services that send messages, by the settings with their tokens. */
const services = Object.keys(settings).flatMap((name) => /^delivery\.([a-z]+)_token$/.exec(name)?.[1] ?? []);

/** The action that a word names, directly or by a short name. */
export function findAction({ actions }: Command, word: string): string | undefined {
  if (Object.hasOwn(actions, word)) return word;
  const short = Object.hasOwn(shortNames, word) ? shortNames[word]! : [];
  return short.find((one) => Object.hasOwn(actions, one));
}

/** Lines for an action that a command does not have: by spelling, or else by meaning. */
export function similarActions(command: Command, word: string, rest: readonly string[]): readonly string[] {
  const thing = Object.hasOwn(things, command.name) ? things[command.name]! : thingOf(command.name);
  const [verb = word] = word.split('-');
  const meant = thing === undefined ? [] : [word, verb].map((one) => linesAbout(thing, one, rest));
  const found = meant.find((lines) => lines.length > 0);
  if (found !== undefined) return found;
  const spelled = nearest(word, Object.keys(command.actions));
  if (spelled !== undefined) return [filled(`${command.name} ${spelled} …`, rest)];
  // Where things have names, the word is one of them.
  return thing === undefined || command.actions['show'] !== undefined ? [] : linesIn(thing.alone, []);
}

/** The command that a singular names, if its plural means the same. */
export function pluralCommand(word: string, known: readonly string[]): string | undefined {
  return known.find((one) => one === `${word}s` && !['run', 'agent', 'calendar'].includes(word));
}

/** Lines for words that begin with no command: by what they mean, then by spelling. */
export function guessCommands(words: readonly string[], known: readonly string[]): readonly string[] {
  const [word = '', ...rest] = words;
  if (word.startsWith(':')) return [filled('prompts render …', [word.slice(1), ...rest])];
  // A sentence is a task.
  const sentence = words.find((one) => /\s/.test(one));
  if (/\s/.test(word) || (word.startsWith('-') && sentence !== undefined))
    return /^remind\b/i.test(sentence!)
      ? [filled('remind …', [sentence!.replace(/^remind /i, '')])]
      : [filled('delegate …', [sentence!])];
  const plain = word.replace(/^-+/, '');
  // "add-event" is "add event".
  const lines = [linesFor([plain, ...rest]), linesFor([...plain.split('-'), ...rest])].find(
    ({ length }) => length > 0,
  );
  if (lines !== undefined) return lines.filter((line) => known.includes(line.split(' ')[0]!));
  const spelled = nearest(plain, [...known, ...vocabulary()]);
  if (spelled === undefined) return [];
  return known.includes(spelled) ? [filled(`${spelled} …`, rest)] : linesFor([spelled, ...rest]);
}

/** Lines for words that an action does not take, such as a title without its flag. */
export function linesForWords({ name, actions }: Command, action: string, words: readonly string[]) {
  const [first = '', ...others] = words;
  const line = `${name} ${action}`.trim();
  if (line === 'events create') return eventLines(words);
  if (line === 'events list' && has(`${meanings.soon} ${meanings.later}`, first))
    return ['events list --days-forward 7', 'today'];
  if (line === 'events find') return [filled('events list --query …', words)];
  if (/^prompts (?:create|add)$/.test(line) && others.length > 0) {
    if (!isPath(others[0]!)) return [`prompts create ${first} --text ${quoted(others.join(' '))}`];
    const lines = fileLines(words);
    return action === 'add' ? lines : lines.toReversed();
  }
  if (line === 'routines create' && others.length > 0)
    return [`routines create ${first} --task ${quoted(others.join(' '))} --when "every weekday at 7"`];
  if (/^(?:un)?install$/.test(line)) return words.map((one) => `${line} ${one}`);
  if (line === 'users create' && others.length > 0)
    return [`users create ${first} --${/@/.test(others[0]!) ? 'email' : 'phone'} ${others[0]}`];
  // One word is the text or the person.
  if (line === 'send' && words.length === 1)
    return first === 'me' || /\s/.test(first)
      ? messageLines(words).slice(-1)
      : [`send me ${quoted(first)}`, ...messageLines(words)];
  if (line === 'serve') return [has('http web', first) ? 'serve --http' : 'serve'];
  if (line === 'users me') return ['users show', 'users list'];
  if (name === 'runs' && words.length === 0 && actions[action]?.args?.startsWith('RUN'))
    return [`${line} last`, 'runs list'];
  // A single word that is a verb, as in "remind list".
  const thing = Object.hasOwn(things, name) ? things[name]! : undefined;
  return thing !== undefined && action === '' && words.length === 1 ? linesAbout(thing, first, []) : [];
}

/** Lines for a word that says what to do with runs, and is no task. */
export function linesOfRuns(word: string): readonly string[] {
  if (/^(?:agents|agent)$/.test(word)) return ['agents'];
  return /^[a-z]+$/.test(word) ? linesAbout(things['runs']!, word === 'runs' ? 'list' : word, []) : [];
}

/** Lines for a flag of other programs or actions, by the command line that does not take it. */
export function linesOfFlag(line: string, flag: string, words: readonly string[]): readonly string[] {
  const row = flagLines[line]?.find(([flags]) => has(flags, flag));
  if (row === undefined) return [];
  return linesIn(row[1], line === 'delegate' ? words : valuesIn(words, flag));
}

/** The words without flags. The value of a flag is one of them. */
const valuesIn = (words: readonly string[], flag: string): readonly string[] =>
  words.flatMap((word) => {
    if (!word.startsWith('-')) return [word];
    return bare(word) === flag && word.includes('=') ? [word.replace(/^.*?=/s, '')] : [];
  });

/** Lines for a setting that does not exist, but that other programs have under this name. */
export function linesOfSetting(
  action: 'get' | 'set' | 'unset',
  name: string,
  value: string | undefined,
): readonly string[] {
  const rest = value === undefined ? [] : [value];
  const [last = '', ...groups] = name.toLowerCase().replaceAll('_', '-').split('.').toReversed();
  const flag = personal.find((one) => one === last) ?? flagLike(last, personal);
  const isPersonal = groups.every(
    (group) => thingOf(group) === things['users'] || has('general core', group),
  );
  if (flag !== undefined && isPersonal)
    return linesIn(`${action === 'set' ? '' : 'users show me | '}users update me --${flag} …`, rest);
  const [owner = '', folder = ''] = name.toLowerCase().split(/[._-]/);
  if (thingOf(owner) !== things['prompts'] || !has(things['folders']!.words, folder)) return [];
  return action === 'set'
    ? linesIn('prompts add … | config set commands.dir …', rest)
    : [`config ${action} commands.dir`, 'config list dir'];
}

/** Flags of `users update` that other programs have as settings. */
const personal = ['timezone', 'locale', 'quiet-start', 'quiet-end', 'channel-pref', 'voice'];

/** Suggestions for an unknown flag: the name of a flag with the same meaning, or whole command lines. */
export function flagMeant(
  flag: string,
  argv: readonly string[],
  command: Command,
  action: Action,
  known: readonly string[],
): { readonly flag?: string; readonly lines?: readonly string[] } {
  const name = flag.replace(/^-+/, '').replace(/=.*$/s, '');
  const words = argv.flatMap((word) =>
    bare(word) !== name || !word.startsWith('-')
      ? [word]
      : word.includes('=')
        ? [word.replace(/^.*?=/s, '')]
        : [],
  );
  if (command.name === 'remind' && has(spoken, name))
    return { lines: [filled('remind …', argv.flatMap(undashed))] };
  if (command.name === 'send' && has(toPerson, name)) return { lines: messageLines(argv) };
  const word = Object.keys(command.actions).find((one) => command.actions[one] === action);
  const own = linesOfFlag(`${command.name} ${word}`.trim(), name, argv.slice(word === '' ? 0 : 1));
  if (own.length > 0) return { lines: own };
  const lines = linesOfFlag(command.name, name, argv);
  if (lines.length > 0) return { lines };
  const alike = flagLike(name, known);
  if (alike !== undefined) return { flag: alike };
  const spelled = nearest(name, known);
  if (spelled !== undefined) return { flag: spelled };
  if (
    action.args
      ?.toLowerCase()
      .match(/[a-z]+/g)
      ?.includes(name)
  )
    return { lines: [filled(`${command.name} …`, words)] };
  const others = words.filter((word) => !word.startsWith('-'));
  return {
    lines: Object.hasOwn(things, command.name) ? linesAbout(things[command.name]!, name, others) : [],
  };
}

/** Flags that are words of a reminder: its text, and when it is. */
const spoken = 'at in on when time date day every daily weekly due t message text title what m';

function undashed(word: string): readonly string[] {
  const name = bare(word);
  if (!word.startsWith('-') || !has(spoken, name)) return [word];
  const [, value] = word.split(/=(.*)/s);
  return [...(has('at in on every', name) ? [name] : []), ...(value === undefined ? [] : [value])];
}

const vocabulary = () => [
  ...agentNames,
  ...Object.values(things).flatMap(({ words }) => words.split(' ')),
  ...verbsAlone.flatMap(([words]) => words.split(' ')),
];

/** An agent by its name is told a task; an agent without one is a run. */
const namedAgent: Thing = {
  ...things['agents']!,
  lines: { ...things['agents']!.lines, steer: 'delegate …' },
};

function thingOf(word: string): Thing | undefined {
  const lower = word.toLowerCase();
  if (agentNames.includes(lower)) return namedAgent;
  if (services.includes(lower)) return things['messages'];
  return Object.values(things).find(({ words }) => has(words, lower));
}

/** Lines for a thing and a verb in either order, for a thing alone, or for a verb alone. */
function linesFor(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  // "add a new prompt", but "calendar new".
  const filler = thingOf(first) === undefined ? /^(?:an?|the|my|new|all)$/ : /^(?:an?|the|my)$/;
  const at = rest.findIndex((one) => !one.startsWith('-') && !filler.test(one));
  const second = rest[at] ?? '';
  // The agent in "--agent codex" is the second word, and its flag says nothing more.
  const before = rest
    .slice(0, Math.max(at, 0))
    .filter((one) => one.startsWith('-') && !(isClient(second) && isAgentFlag(one)));
  const after = [...before, ...rest.slice(at + 1)];
  if (/^(?:get|set)$/.test(first) && /^[a-z_]+\.[a-z_.]+$/.test(second) && !/\.(?:md|ics)$/.test(second))
    return [filled(`config ${first} …`, rest)];
  const [one, other] = [thingOf(first), thingOf(second)];
  if (other !== undefined) {
    const lines = linesAbout(other, first, after);
    if (lines.length > 0) return lines.map((line) => withAgent(line, second));
    if (has(`${meanings.list} ${meanings.show}`, first.toLowerCase())) return linesIn(other.alone, after);
  }
  if (one !== undefined && second !== '') {
    const lines = linesAbout(one, second, after);
    if (lines.length > 0) return lines.map((line) => withAgent(line, first));
    if (other !== undefined && after.length === 0) return linesIn(other.alone, []);
  }
  const verb = verbsAlone.find(([verbs]) => has(verbs, first.toLowerCase()));
  if (verb !== undefined && (one === undefined || second !== '')) return linesIn(verb[1], rest);
  if (one === undefined) return [];
  if (second === '') return linesIn(one.alone, []);
  const { show, create, send, use } = one.lines;
  const wanted = [
    send,
    one === things['prompts'] || one === things['users'] ? show : undefined,
    create ?? use,
  ];
  const lines = wanted.flatMap((line) => (line === undefined ? [] : linesIn(line, rest)));
  return [...lines.map((line) => withAgent(line, first)), ...linesIn(one.alone, [])].slice(0, maxLines);
}

/** Clients that are no agents. */
const editors = 'cursor vscode zed windsurf';

const isClient = (word: string): boolean => agentNames.includes(word) || has(editors, word);

const isAgentFlag = (word: string): boolean =>
  bare(word) === 'agent' || flagLike(bare(word), ['agent']) !== undefined;

/** Names an agent or a client that was named instead of a thing. */
function withAgent(line: string, word: string): string {
  if (!isClient(word)) return line;
  return agentNames.includes(word) && /^delegate (?!.*--agent )/.test(line)
    ? `${line} --agent ${word}`
    : /^(?:un)?install$/.test(line)
      ? `${line} ${word}`
      : line;
}

/** Lines for what somebody does with a thing. */
function linesAbout(thing: Thing, verb: string, rest: readonly string[]): readonly string[] {
  const found = (Object.entries(thing.lines) as [Meaning, string][]).find(([meaning]) =>
    has(meanings[meaning], verb.toLowerCase()),
  );
  // A thing with a name is shown; without one, all are listed.
  if (found?.[0] === 'list' && rest.length > 0 && thing.lines.show && has(meanings.show, verb))
    return linesIn(thing.lines.show, rest);
  return found === undefined ? [] : linesIn(found[1], rest);
}
