/**
 * Kinds of words in everyday English, for the ranking of tools. A word can be of several kinds. A kind stands for all of its
 * words, so that "ditch the haiku prompt" is found by "delete the letter template".
 */
export const kindsOfWords = {
  // What people do.
  remove:
    'remove delete erase drop bin trash scrap discard wipe purge away out rid kick dump lose scratch throw clear ditch chuck axe detach unlink disconnect',
  stop: 'stop cancel halt abort kill quit end terminate call skip enough interrupt',
  create:
    'add create new make save store book schedule enter put keep set register sign note write build compose generate',
  change:
    'change update edit modify rename move shift reschedule adjust fix correct replace swap reword rewrite switch instead alter tweak revise amend',
  undo: 'undo revert restore back recover again rollback reset before',
  show: 'show list display see view read print open give look tell',
  find: 'find search where locate hunt anything something dig',
  use: 'use apply fill run with',
  send: 'send tell message text inform notify write forward pass drop announce let',
  remind: 'remind reminded reminding nudge ping poke wake forget tell shout beep buzz bother',
  connect: 'connect link hook attach subscribe follow sync connected linked subscribed',
  pause: 'pause hold suspend resume paused freeze later postpone snooze delay',
  test: 'test tests try check trial verify',
  allow: 'allow permit approve grant permission allowed ok okay yes may request asks asking approval',
  refuse: 'refuse deny forbid reject decline no',
  done: 'done finished finish ready complete completed result outcome',
  wait: 'waiting wait waits pending open attention inbox',
  // How they ask.
  question: 'what which how is are do does did has have was were am',
  who: 'who whom whose',
  when: 'when',
  why: 'why reason',
  not: 'not no never none nobody nothing without cannot dont cant wont isnt doesnt didnt',
  me: 'me i my',
  now: 'now currently immediately right moment running',
  // What it is about.
  prompt:
    'prompt prompts template templates snippet snippets shortcut shortcuts skill skills boilerplate canned wording wordings instruction instructions library collection text texts letter note newsletter pitch greeting poem haiku recipe summary reply answer form speech refund complaint invoice offer quote',
  version: 'version versions revision older earlier previous past old history draft last',
  agent:
    'codex claude gemini qwen opencode gpt chatgpt ai ais agent agents bot bots robot robots helper helpers subagent subagents worker workers copilot model models llm machine',
  run: 'job jobs task tasks run runs work project',
  changes:
    'change changes changed edit edits edited modification difference diff altered touched modified lines',
  file: 'file files folder folders directory repository repo code json csv zip download',
  cost: 'cost costs money tokens spent bill expensive dollars euros',
  event:
    'meeting meetings appointment appointments dentist doctor lunch dinner breakfast party concert lesson lessons class practice training yoga gym haircut flight trip visit interview exam birthday wedding rehearsal workshop conference session barbecue choir vet event events match game course seminar picnic drinks brunch holiday holidays vacation funeral shift checkup surgery standup webinar ceremony excursion tour date dates playdate hairdresser cinema theatre football tennis swimming coffee reunion call piano deadline',
  calendar: 'calendar calendars diary diaries agenda schedule planner timetable dates',
  source: 'google icloud outlook nextcloud caldav ics ical webcal fastmail feed exchange thunderbird',
  alert:
    'reminder reminders alarm alarms alert alerts timer notification notifications nudge ping buzz message messages beep heads',
  // Tools add the names of channels.
  channel:
    'mail mails emails phone whatsapp signal push slack messenger mobile discord number text texts ring watch',
  person:
    'mum mom dad mother father wife husband brother sister son daughter grandma grandpa granny grandmother grandfather aunt uncle boss colleague neighbour neighbor friend friends kids family team boyfriend girlfriend partner babysitter trainee client customer mr mrs ms dr cousin nephew niece flatmate roommate coach landlord everybody everyone somebody someone him her them he she person people contact contacts',
  status: 'working broken slow okay healthy status server system up down problem problems trouble wrong',
  // When.
  day: 'monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun mondays tuesdays wednesdays thursdays fridays saturdays sundays today tonight tomorrow yesterday weekend weekday weekdays january february march april may june july august september october november december spring summer autumn fall winter christmas easter',
  time: 'morning afternoon evening noon midnight lunchtime clock pm am half quarter oclock mornings evenings afternoons',
  span: 'minute minutes min mins hour hours day days week weeks month months year years second seconds',
  regularly:
    'every each daily weekly nightly monthly hourly regularly automatically automatic recurring routine routines automation automations schedule scheduled itself always',
} as const;

export type Kind = keyof typeof kindsOfWords | 'number';
