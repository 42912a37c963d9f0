// The verbs that people try first. Words are separated by spaces.

/** Short names that work wherever a command has the action and nothing else of that name. */
export const shortNames: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  get: ['show', 'list'],
  new: ['create'],
  add: ['create'],
  rm: ['delete', 'remove', 'revoke'],
};

/** Verbs grouped by meaning. If a verb has several meanings, the noun beside it decides. */
export const meanings = {
  list: 'list ls all index ps overview dump enumerate print view get show display what which status report state tags favorites favourites names categories',
  show: 'show get view info cat describe print open read details inspect display explain see result results output status whatis look state preview',
  create:
    'create new add make insert write save register schedule book set enter put plan note generate define draft record arrange track introduce',
  remove:
    'delete remove revoke rm del erase destroy drop uninstall purge cancel clear unset trash forget disconnect kick discard wipe',
  change:
    'update edit change set modify rename move reschedule mv adjust configure config assign correct shift alter tweak replace extend',
  search: 'search find grep query lookup look filter where',
  use: 'render run use expand fill execute apply exec start call try invoke paste',
  watch: 'watch tail follow attach stream monitor live observe wait await',
  logs: 'log logs output tail events trace',
  stop: 'stop cancel kill abort end terminate quit halt interrupt down disable off',
  start: 'start run up launch enable on boot install restart begin create setup init spawn fire trigger',
  undo: 'undo revert rollback restore recover back reset',
  apply: 'apply accept merge deliver commit',
  changes: 'diff changes review compare',
  approve: 'approve allow accept yes confirm grant ok',
  refuse: 'refuse deny reject no decline',
  steer: 'steer tell message say send ask reply',
  resume: 'resume continue retry again rerun reply restart unpause',
  pause: 'pause suspend disable stop off mute hold',
  send: 'send message say tell push text notify',
  done: 'done complete finish finished check tick close',
  acknowledge: 'acknowledge ack dismiss done confirm seen read ok',
  snooze: 'snooze delay later postpone defer',
  import:
    'import load subscribe connect link attach follow install add upload setup register hook configure login signin auth',
  export: 'export download save backup write',
  sync: 'sync refresh pull fetch reload update',
  check: 'lint check validate verify doctor',
  test: 'test try check ping verify eval',
  history: 'history versions revisions diff log',
  stats: 'stats statistics usage cost costs top popular',
  clean: 'clean prune gc purge clear delete rm remove',
  share: 'share publish invite',
  free: 'find search free meet slot slots available',
  busy: 'busy availability freebusy',
  answer: 'answer accept decline respond reply rsvp',
  explain: 'explain audit why reason history log',
  remind: 'remind reminder reminders alarm alert notify',
  soon: 'today now next upcoming agenda',
  later: 'tomorrow week month year day',
  copy: 'copy cp clone duplicate fork',
  label: 'label tag star favorite favourite pin publish',
  me: 'me whoami self',
} as const satisfies Readonly<Record<string, string>>;

export type Meaning = keyof typeof meanings;

/** A line for a new event, or for a calendar if the words that follow are a file or an address. */
export const event = 'EVENT …';

/** Lines that add the prompts of a file, also under a name. */
export const file = 'FILE …';

/** A line that sends a message, made of a person and a text in either order. */
export const message = 'MESSAGE …';

/** A line that tells a run something: the last one, unless it is named. */
export const steering = 'STEER …';

/** Verbs without a thing, and the lines that they may mean. */
export const verbsAlone: readonly (readonly [words: string, lines: string])[] = [
  ['setup init onboard configure quickstart getting-started bootstrap wizard begin', 'install … | status'],
  ['connect link i attach-client configure-client hook register', 'install …'],
  ['disconnect unlink', 'uninstall …'],
  ['test-message test-notification send-test', 'notifications test'],
  [
    'check health state diagnose test verify fix repair debug problems ping info',
    'doctor | status | prompts show …',
  ],
  ['start up launch enable restart boot deploy', 'service install | serve --http'],
  ['stop down shutdown quit disable exit', 'service remove | runs cancel …'],
  ['list ls all', 'prompts list | runs list | events list'],
  ['search find grep', 'prompts search … | events list --query …'],
  [
    'show get view cat describe inspect explain details read print whatis',
    'prompts show … | runs show … | events show …',
  ],
  ['book meet', `${event} | events find --people …`],
  ['free availability busy slot available', 'events find --people me | events busy --people me'],
  ['create add new make', `prompts create … | ${event} | remind … | install …`],
  ['delete remove rm', 'prompts delete … | events delete … | uninstall …'],
  ['edit rename', 'prompts edit … | events update …'],
  ['move reschedule', 'events update … | prompts edit …'],
  ['render use expand fill', 'prompts render …'],
  [
    'ask do exec execute chat spawn assign dispatch give order autopilot prompt-agent go fork plan code',
    'delegate …',
  ],
  ['compare versus', 'runs compare …'],
  ['resume continue retry rerun', 'delegate TASK --resume … | runs list'],
  ['review diff changes', 'runs diff last | prompts search …'],
  ['apply merge accept', 'runs apply last'],
  ['clean cache prune gc', 'runs clean'],
  ['done complete finish', 'inbox | events update … --task done'],
  ['snooze later postpone', 'notifications snooze …'],
  ['ack acknowledge seen', 'notifications acknowledge … | inbox dismiss …'],
  ['dismiss ignore', 'inbox dismiss … | notifications acknowledge …'],
  ['quick note', 'remind … | events create --title …'],
  ['pause suspend', 'users update --pause-until tomorrow | routines pause …'],
  ['pull fetch refresh sync', 'prompts pull | calendars sync | install --sync'],
  ['me whoami', 'users show'],
  ['set', 'config set … | config list'],
  ['watch tail follow attach monitor observe wait await', 'runs watch …'],
  ['cancel kill abort', 'runs cancel … | notifications cancel …'],
  ['undo revert rollback', 'runs undo last'],
  ['approve allow yes', 'runs approve …'],
  ['deny refuse reject no', 'runs refuse …'],
  ['reset', 'config unset … | restore … | demo remove'],
  ['history', 'runs list | prompts history …'],
  ['call', 'tools call …'],
  ['notify tell text say', message],
  ['import load', 'prompts import … | calendars import …'],
  ['export', 'prompts export … | calendars export'],
  ['share invite publish', 'tokens create … | prompts export … | users create …'],
  ['stats usage cost costs', 'runs stats | prompts usage'],
  ['memory workspace sandbox', 'runs list | config list'],
];
