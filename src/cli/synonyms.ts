import { nearest } from '../nearest.ts';
import type { Command } from './terminal/command.ts';

/** Short names that work wherever a command has the action and nothing else of that name. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  get: ['show'],
  new: ['create'],
  add: ['create'],
  rm: ['delete', 'remove', 'revoke'],
};

/** Words that mean the same. A word of a line suggests the actions of that line. */
const sameMeaning: readonly (readonly string[])[] = [
  ['list', 'ls', 'all', 'index', 'ps'],
  ['show', 'get', 'view', 'info', 'cat', 'describe', 'print', 'open', 'read', 'details', 'inspect'],
  ['create', 'new', 'add', 'make', 'insert', 'write', 'save', 'register', 'schedule'],
  ['delete', 'remove', 'revoke', 'rm', 'del', 'erase', 'destroy', 'drop', 'uninstall', 'purge'],
  ['update', 'edit', 'change', 'set', 'modify', 'rename', 'move'],
  ['search', 'find', 'grep', 'query', 'lookup'],
  ['render', 'run', 'use', 'expand', 'fill', 'execute', 'apply'],
  ['watch', 'tail', 'follow', 'attach', 'logs', 'log', 'stream'],
  ['cancel', 'stop', 'kill', 'abort', 'end', 'terminate'],
  ['undo', 'revert', 'rollback', 'restore'],
  ['apply', 'accept', 'merge', 'deliver'],
  ['approve', 'allow', 'accept', 'yes', 'confirm'],
  ['refuse', 'deny', 'reject', 'no', 'decline'],
  ['steer', 'tell', 'message', 'say', 'send'],
  ['install', 'start', 'enable', 'up', 'setup'],
  ['remove', 'stop', 'disable', 'down'],
  ['status', 'state', 'show', 'list'],
  ['import', 'load', 'add', 'subscribe', 'connect'],
  ['sync', 'refresh', 'update', 'pull', 'fetch'],
  ['find', 'search', 'free', 'meet'],
  ['busy', 'availability', 'freebusy'],
  ['answer', 'accept', 'decline', 'respond', 'reply', 'rsvp'],
  ['explain', 'audit', 'why', 'reason', 'history', 'log'],
  ['history', 'versions', 'revisions', 'diff'],
  ['lint', 'check', 'validate', 'verify'],
  ['stats', 'statistics', 'usage', 'cost', 'costs'],
  ['clean', 'prune', 'gc', 'purge', 'clear'],
  ['acknowledge', 'ack', 'dismiss', 'done', 'confirm'],
  ['snooze', 'delay', 'later', 'postpone'],
  ['test', 'try', 'check'],
];

/** The action that a word names, directly or by a short name. */
export function findAction({ actions }: Command, word: string): string | undefined {
  if (Object.hasOwn(actions, word)) return word;
  const short = Object.hasOwn(shortNames, word) ? shortNames[word]! : [];
  return short.find((one) => Object.hasOwn(actions, one));
}

/** Actions close to an unknown word, in spelling or else in meaning. */
export function similarActions({ actions }: Command, word: string): readonly string[] {
  const known = Object.keys(actions);
  const spelled = nearest(word, known, typos(word));
  if (spelled !== undefined) return [spelled];
  const alike = sameMeaning.filter((line) => line.includes(word)).flat();
  return known.filter((one) => alike.includes(one));
}

/** What people type first, and the command lines that do it. `…` stands for the words that follow. */
const firstGuesses: Readonly<Record<string, readonly string[]>> = {
  list: ['prompts list', 'runs list', 'events list'],
  search: ['prompts search …'],
  show: ['prompts show …', 'runs show …', 'events show …'],
  create: ['prompts create …', 'events create …'],
  delete: ['prompts delete …', 'events delete …'],
  edit: ['prompts edit …'],
  render: ['prompts render …'],
  prompt: ['prompts …'],
  history: ['runs list', 'prompts history …'],
  run: ['delegate …', 'runs list'],
  ask: ['delegate …'],
  job: ['runs list'],
  resume: ['delegate TASK --resume …', 'runs list'],
  review: ['runs diff last', 'prompts search …'],
  apply: ['runs apply last'],
  clean: ['runs clean'],
  done: ['inbox', 'events update … --task done'],
  quick: ['remind …', 'events create --title …'],
  pull: ['prompts pull', 'calendars sync'],
  me: ['users show'],
  secret: ['config set …', 'config list'],
  watch: ['runs watch last'],
  cancel: ['runs cancel …'],
  undo: ['runs undo last'],
  approve: ['runs approve …'],
  agent: ['agents'],
  model: ['config list', 'agents'],
  calendar: ['events list', 'calendars list'],
  event: ['events …'],
  remind: ['remind …'],
  notification: ['notifications list'],
  user: ['users …'],
  token: ['tokens …'],
  connect: ['install …'],
  setup: ['install …', 'status'],
  disconnect: ['uninstall …'],
  client: ['install'],
  check: ['doctor'],
  page: ['open'],
  start: ['service install', 'serve --http'],
  stop: ['service remove', 'service status'],
  server: ['serve --http', 'service status'],
  daemon: ['service install'],
  setting: ['config list'],
  log: ['logs', 'runs tail last'],
  tool: ['tools list'],
  call: ['tools call …'],
  import: ['prompts import …', 'calendars import …'],
  export: ['prompts export …'],
  sync: ['calendars sync', 'install --sync'],
  share: ['tokens create …', 'prompts export …'],
  backup: ['backup …', 'restore …', 'migrate --to …'],
  sample: ['demo'],
  upgrade: ['version'],
};

/** Other words for the first guesses. */
const guessesAlike: Readonly<Record<string, string>> = {
  ...alike('list', 'ls', 'all'),
  ...alike('search', 'find', 'grep'),
  ...alike(
    'show',
    'get',
    'view',
    'cat',
    'info',
    'describe',
    'inspect',
    'explain',
    'details',
    'read',
    'print',
  ),
  ...alike('create', 'add', 'new', 'make'),
  ...alike('delete', 'remove', 'rm'),
  ...alike('render', 'use', 'expand', 'fill'),
  ...alike('prompt', 'command', 'library', 'templates', 'snippets', 'patterns', 'skills'),
  ...alike('ask', 'do', 'task', 'exec', 'execute', 'chat', 'spawn', 'subagent', 'autopilot', 'work'),
  ...alike('job', 'jobs', 'ps', 'top', 'queue', 'tasks', 'sessions'),
  ...alike('resume', 'continue'),
  ...alike('review', 'diff', 'changes'),
  ...alike('apply', 'merge', 'accept'),
  ...alike('clean', 'cache', 'prune', 'gc'),
  ...alike('done', 'complete', 'finish'),
  ...alike('pull', 'fetch', 'refresh'),
  ...alike('me', 'whoami', 'profile', 'account'),
  ...alike('secret', 'secrets', 'password', 'passwords'),
  ...alike('watch', 'tail', 'follow', 'attach'),
  ...alike('cancel', 'kill', 'abort'),
  ...alike('undo', 'revert', 'rollback'),
  ...alike('agent', 'agents', 'codex', 'claude', 'gemini', 'subagents', 'which'),
  ...alike('model', 'models', 'provider'),
  ...alike(
    'calendar',
    'cal',
    'agenda',
    'calw',
    'calm',
    'today',
    'schedule',
    'week',
    'month',
    'tomorrow',
    'upcoming',
    'next',
  ),
  ...alike('event', 'meeting', 'appointment', 'meetings'),
  ...alike('remind', 'reminder', 'reminders', 'alarm', 'timer', 'notify', 'todo', 'remember'),
  ...alike('user', 'person', 'people', 'contacts', 'contact', 'family'),
  ...alike('token', 'login', 'auth', 'key', 'keys', 'signin', 'access', 'invite', 'logout'),
  ...alike('connect', 'link', 'i', 'attach-client', 'configure-client'),
  ...alike('setup', 'init', 'onboard', 'configure', 'quickstart', 'getting-started', 'tutorial'),
  ...alike('client', 'clients', 'mcp', 'integrations'),
  ...alike('check', 'health', 'diagnose', 'test', 'verify', 'fix', 'repair', 'debug', 'problems'),
  ...alike('page', 'ui', 'web', 'gui', 'dashboard', 'browse', 'browser', 'app'),
  ...alike('start', 'up', 'launch', 'enable', 'restart', 'boot', 'deploy'),
  ...alike('stop', 'down', 'shutdown', 'quit', 'disable', 'exit'),
  ...alike('server', 'http', 'listen', 'port'),
  ...alike('daemon', 'background', 'autostart'),
  ...alike('setting', 'settings', 'preferences', 'set', 'options', 'env', 'home'),
  ...alike('log', 'journal', 'output', 'events-log'),
  ...alike('tool', 'capabilities', 'functions'),
  ...alike('backup', 'dump', 'copy', 'database', 'db'),
  ...alike('sample', 'example', 'examples', 'tour', 'samples', 'try'),
  ...alike('upgrade', 'update', 'self', 'self-update', 'outdated', 'about'),
};

function alike(word: string, ...others: readonly string[]): Record<string, string> {
  return Object.fromEntries(others.map((one) => [one, word]));
}

/** What people call agents at work, by what they want of them. */
const agentWishes: readonly (readonly [words: readonly string[], line: string])[] = [
  [['run', 'start', 'create', 'new', 'ask', 'spawn', 'launch', 'delegate', 'do'], 'delegate …'],
  [['resume', 'continue', 'reply'], 'delegate TASK --resume …'],
  [['show', 'view', 'status', 'info', 'get', 'inspect', 'result'], 'runs show …'],
  [['attach', 'watch', 'follow', 'logs', 'log', 'tail', 'output'], 'runs watch …'],
  [['stop', 'kill', 'cancel', 'abort', 'rm'], 'runs cancel …'],
  [['diff', 'changes', 'review'], 'runs diff …'],
  [['list', 'ls', 'ps', 'all'], 'runs list'],
];

/** The same for a calendar. What is added is a calendar if it is a file or an address, and an event otherwise. */
const calendarWishes: readonly (readonly [words: readonly string[], line: string])[] = [
  [['today', 'now'], 'today'],
  [['add', 'create', 'new', 'book', 'schedule'], 'events create …'],
  [['delete', 'rm', 'cancel'], 'events delete …'],
  [['sync', 'refresh', 'pull'], 'calendars sync'],
  [['import', 'subscribe', 'connect'], 'calendars import …'],
  [['list', 'ls', 'show', 'view', 'week', 'month'], 'events list'],
];

function wishIn(wishes: typeof agentWishes, rest: readonly string[]): string | undefined {
  const [action = '', ...after] = rest.filter((one) => !one.startsWith('-'));
  const line = wishes.find(([words]) => words.includes(action))?.[1];
  const isPlace = /:\/\/|\.ics$/.test(after.join(' '));
  return line && filled(line === 'events create …' && isPlace ? 'calendars add …' : line, after);
}

function filled(line: string, rest: readonly string[]): string {
  const words = rest.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word));
  return line.replace(/ ?…/, words.length > 0 ? ` ${words.join(' ')}` : '');
}

/** Command lines for what people want of agents at work, which are runs here. */
export function agentCommands(rest: readonly string[]): readonly string[] {
  const line = wishIn(agentWishes, rest);
  return line === undefined ? [] : line === 'runs list' ? ['agents', line] : [line];
}

/** The action for a verb that was written before its command, as in `list prompts` and `delete event lunch`. */
export function actionOfVerb(command: Command, verb: string, hasName: boolean): string | undefined {
  const isReading = ['get', 'show', 'view', 'list', 'ls', 'all', 'describe', 'inspect'].includes(verb);
  if (isReading && !hasName && Object.hasOwn(command.actions, 'list')) return 'list';
  return findAction(command, verb) ?? similarActions(command, verb)[0];
}

/** The command that a singular names, if its plural means the same. */
export function pluralCommand(word: string, known: readonly string[]): string | undefined {
  return known.find((one) => one === `${word}s` && !['run', 'agent', 'calendar'].includes(word));
}

/** Command lines for a word that is no command: by what was added to it, by meaning, then by spelling. */
export function guessCommands(
  word: string,
  rest: readonly string[],
  known: readonly string[],
): readonly string[] {
  const own = (line: string) => known.includes(line.split(' ')[0]!);
  if (word.startsWith(':')) return [`prompts render ${[word.slice(1), ...rest].join(' ')}`];
  // A sentence is a task.
  const sentence = [word, ...rest].find((one) => /\s/.test(one));
  if (/\s/.test(word) || (word.startsWith('-') && sentence !== undefined))
    return [filled('delegate …', [sentence!])];
  const key = guessesAlike[word] ?? word;
  const wish =
    key === 'agent' || key === 'run' ? agentWishes : key === 'calendar' ? calendarWishes : undefined;
  const line = wish && wishIn(wish, rest);
  if (line !== undefined && own(line)) return [line];
  const lines = Object.hasOwn(firstGuesses, key) ? firstGuesses[key]!.filter(own) : [];
  if (lines.length > 0) return lines.map((one) => filled(one, rest));
  const spelled = nearest(word, known, typos(word));
  return spelled === undefined ? [] : [filled(`${spelled} …`, rest)];
}

/** How many letters of a word may be wrong: a suggestion that is not meant misleads more than none. */
function typos(word: string): number {
  return word.length < 8 ? 1 : 2;
}
