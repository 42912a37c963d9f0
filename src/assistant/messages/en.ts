/** All texts that people receive. English is the fallback, and defines which texts a language has. */
export const english = {
  hello: (name: string): string => `Hello ${name},`,
  /** A label before what it names. */
  labelled: (label: string, value: string): string => `${label}: ${value}`.trimEnd(),
  /** Above the other reminders in a message. */
  also: 'Also',
  anEvent: 'an event',
  when: 'When',
  due: 'Due',
  where: 'Where',
  join: 'Join',
  link: 'Link',
  now: 'Now',
  cancelled: 'Cancelled',
  why: 'Why',
  dueTask: (title: string, when: string): string => `Due: ${title}, ${when}`,
  overdueTask: (title: string, days: number): string =>
    `Overdue for ${days === 1 ? '1 day' : `${days} days`}: ${title}`,
  tentative: 'This event is not confirmed yet.',
  answers: {
    tentative: 'You accepted tentatively.',
    'needs-action': 'You have not answered this invitation yet.',
  },
  invited: (who: string, title: string, when: string): string => `${who} invites you: ${title}, ${when}`,
  cancelledBy: {
    one: (who: string, title: string, when: string): string => `${who} has cancelled: ${title}, ${when}`,
    series: (who: string, title: string, when: string): string =>
      `${who} has cancelled: ${title}, from ${when} on`,
  },
  answered: {
    accepted: (who: string, title: string, when: string): string => `${who} is coming: ${title}, ${when}`,
    declined: (who: string, title: string, when: string): string => `${who} is not coming: ${title}, ${when}`,
    tentative: (who: string, title: string, when: string): string => `${who} may come: ${title}, ${when}`,
  },
  movedBefore: (before: string): string => `Moved: your reminder said ${before}.`,
  movedSubject: (title: string, when: string): string => `Moved: ${title}, now ${when}`,
  /** `told` is true if the person received a message about the time before. */
  movedNews: (before: string, told: boolean): string =>
    told ? `It was moved. Your reminder said ${before}.` : `It was moved. Before, it was ${before}.`,
  placeSubject: (title: string, place: string): string => `New place: ${title}, ${place}`,
  placeNews: (before: string, told: boolean): string =>
    `The place has changed. ${told ? 'You were told' : 'Before, it was'}: ${before}.`,
  noPlace: 'no place',
  cancelledSubject: (title: string, when: string): string => `Cancelled: ${title}, ${when}`,
  cancelledNews: (told: boolean): string =>
    told ? 'It has been cancelled. You were reminded of it.' : 'It has been cancelled.',
  restoredSubject: (title: string, when: string): string => `Takes place after all: ${title}, ${when}`,
  restoredNews: 'You were told that it was cancelled.',
  spokenHello: (name: string): string => `Hello ${name}.`,
  spokenReminder: (title: string, when: string, place: string): string =>
    `This is a reminder of ${title}, ${when}${place === '' ? '' : `, at ${place}`}.`,
  pressOne: 'Press 1 to confirm that you heard this.',
  late: (time: string): string => `This was due ${time} and is late.`,
  lateSubject: (subject: string): string => `Late: ${subject}`,
  confirm: 'Confirm that you have seen this',
  show: 'Show',
  actions: { seen: 'OK', done: 'Done', snooze: (minutes: number): string => `Snooze ${minutes} min` },
  acknowledged: 'Confirmed',
  withdrawn: 'No longer current',
  snoozed: (until: string): string => `Snoozed until ${until}`,
  missedSubject: (count: number): string =>
    count === 1 ? 'A reminder was missed' : `${count} reminders were missed`,
  missed: 'These reminders were due while Adjutant could not send them:',
  more: (count: number): string => `and ${count} more`,
  digestSubject: (day: string, count: number): string =>
    `${day}: ${count === 1 ? '1 entry' : `${count} entries`}`,
  digest: {
    today: 'Today',
    tasks: 'Tasks',
    unanswered: 'Unanswered invitations',
    notAnswered: 'not answered yet',
    conflicts: 'Conflicts',
  },
  allDay: 'all day',
  /** The page behind the links of a message, and the answers on the phone. */
  pages: {
    confirm: 'Confirm',
    ask: {
      seen: 'Confirm that you know about this.',
      done: 'Mark this task as done.',
      fewer: 'Get fewer reminders of events like this one.',
      again: (minutes: number): string => `Get this reminder again in ${minutes} minutes.`,
    },
    thanks: {
      seen: 'Thank you. There will be no more reminders of this.',
      done: 'Thank you. The task is done.',
      fewer: 'Thank you. There will be fewer reminders of events like this one.',
      again: (minutes: number): string => `Thank you. The reminder comes again in ${minutes} minutes.`,
    },
    notConfirmed: 'The reminder is not confirmed.',
    unknown: 'There is no such reminder.',
    refused:
      'This is no longer possible. The event is about to start or cancelled, or the time is in your quiet hours.',
    failed: 'Your answer could not be stored. Try again in a few minutes.',
  },
  /** What happened to a run, or to the routine that started it. Lock screens show these texts. */
  news: {
    finished: (name: string): string => `${name}: the run has finished`,
    failed: (name: string): string => `${name}: the run has failed`,
    over_budget: (name: string): string => `${name}: the run has stopped, because a budget is used up`,
    asks_permission: (name: string): string => `${name}: the agent asks for permission`,
    has_questions: (name: string): string => `${name}: the agent has questions`,
    cancelled: (name: string): string => `${name}: the run was cancelled`,
    missed: (name: string): string => `${name}: it was due while nothing was running`,
    paused: (name: string): string => `${name} is paused`,
  },
  /** A request for permission: its links in messages and the page behind them. */
  decide: {
    review: 'Review and decide',
    refuse: 'Refuse',
    allow: 'Allow once',
    title: 'An agent asks for permission',
    gains: {
      command:
        'If you allow it, this command runs once outside the sandbox of the agent: it can write outside the folder and use the network. Your private files stay hidden.',
      files: 'If you allow it, the agent makes these changes outside its sandbox.',
      network: 'If you allow it, the agent connects to this host. Nothing else changes.',
      tool: 'If you allow it, the agent uses this tool once.',
      permissions: 'If you allow it, the agent gets these permissions for this command only.',
    },
    folder: 'Folder',
    reason: 'Reason of the agent',
    allowed: 'Allowed. The agent goes on.',
    refused: 'Refused. The agent goes on without it.',
    over: 'This request was answered already, or it has expired.',
    unknown: 'There is no such request, or the link has expired.',
    notAllowed: 'You may only refuse this request.',
    failed: 'Your decision could not be stored. Try again in a few minutes.',
  },
  test: {
    subject: 'A test from Adjutant',
    text: (channel: string): string =>
      `This is a test. Notifications from Adjutant by ${channel} arrive here.`,
  },
  /** When a reminder comes, and how the guards moved it. */
  timing: {
    /** Of a reminder of a whole day, so many days before it. */
    onDay: (time: string, days: number): string =>
      days === 0
        ? `at ${time} on the day`
        : days === 1
          ? `at ${time} on the day before`
          : `at ${time}, ${days} days before`,
    before: (time: string): string => `${time} before`,
    after: (time: string): string => `${time} after the start`,
    atStart: 'at the start',
    movedBefore: 'moved before quiet hours',
    movedAfter: 'moved after quiet hours',
  },
  /** Reasons of the built-in rules. */
  rules: {
    builtIn: 'built-in rules',
    vip: 'organized by a VIP',
    internal: 'an internal meeting',
    travel: (minutes: number): string => `${minutes} minutes of travel`,
    kinds: {
      task: 'a task',
      all_day: 'an all-day event',
      birthday: 'a birthday',
      flight: 'a flight',
      train: 'a train',
      doctor: 'a medical appointment',
      online: 'an online meeting',
      place: 'a meeting at a place',
    },
  },
  /** Why a message was sent, if not a policy decided. */
  reasons: {
    event: 'your reminder for this event',
    alarm: 'the alarm in your calendar',
    kind: (kind: string): string => `your setting for ${kind}`,
    calendar: (name: string): string => `your setting for the calendar ${name}`,
    default: 'your default reminders',
    snooze: 'you asked for it again',
    digest: 'your daily agenda',
    message: 'Adjutant was asked to send you this',
    /** Of a change: the person was reminded, or is about to be. */
    told: 'you were reminded of this event',
    soon: 'a reminder of this event is due soon',
  },
};

export type Catalog = typeof english;
