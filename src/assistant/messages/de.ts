import type { Catalog } from './en.ts';

/** A kind of event after a preposition such as `für`. */
function accusative(kind: string): string {
  return kind.replace(/^ein /, 'einen ').replace('ganztägiger', 'ganztägigen');
}

export const german: Catalog = {
  hello: (name) => `Hallo ${name},`,
  labelled: (label, value) => `${label}: ${value}`.trimEnd(),
  also: 'Außerdem',
  anEvent: 'ein Termin',
  when: 'Wann',
  due: 'Fällig',
  where: 'Wo',
  join: 'Teilnehmen',
  link: 'Link',
  now: 'Jetzt',
  cancelled: 'Abgesagt',
  why: 'Warum',
  dueTask: (title, when) => `Fällig: ${title}, ${when}`,
  overdueTask: (title, days) => `Seit ${days === 1 ? 'einem Tag' : `${days} Tagen`} überfällig: ${title}`,
  tentative: 'Dieser Termin steht noch nicht fest.',
  answers: {
    tentative: 'Du hast unter Vorbehalt zugesagt.',
    'needs-action': 'Du hast diese Einladung noch nicht beantwortet.',
  },
  invited: (who, title, when) => `${who} lädt dich ein: ${title}, ${when}`,
  cancelledBy: {
    one: (who, title, when) => `${who} hat abgesagt: ${title}, ${when}`,
    series: (who, title, when) => `${who} hat abgesagt: ${title}, ab ${when}`,
  },
  answered: {
    accepted: (who, title, when) => `${who} kommt: ${title}, ${when}`,
    declined: (who, title, when) => `${who} kommt nicht: ${title}, ${when}`,
    tentative: (who, title, when) => `${who} kommt vielleicht: ${title}, ${when}`,
  },
  movedBefore: (before) => `Verschoben: In der Erinnerung stand ${before}.`,
  movedSubject: (title, when) => `Verschoben: ${title}, jetzt ${when}`,
  movedNews: (before, told) =>
    told
      ? `Der Termin wurde verschoben. In der Erinnerung stand ${before}.`
      : `Der Termin wurde verschoben. Bisher: ${before}.`,
  placeSubject: (title, place) => `Neuer Ort: ${title}, ${place}`,
  placeNews: (before, told) =>
    `Der Ort hat sich geändert. ${told ? 'In der Erinnerung stand' : 'Bisher'}: ${before}.`,
  noPlace: 'kein Ort',
  cancelledSubject: (title, when) => `Abgesagt: ${title}, ${when}`,
  cancelledNews: (told) =>
    told ? 'Der Termin wurde abgesagt. Du wurdest daran erinnert.' : 'Der Termin wurde abgesagt.',
  restoredSubject: (title, when) => `Findet doch statt: ${title}, ${when}`,
  restoredNews: 'Dir wurde gesagt, dass der Termin abgesagt ist.',
  spokenHello: (name) => `Hallo ${name}.`,
  spokenReminder: (title, when, place) =>
    `Dies ist eine Erinnerung an ${title}, ${when}${place === '' ? '' : `, Ort: ${place}`}.`,
  pressOne: 'Drücke die 1, um zu bestätigen.',
  late: (time) => `Diese Nachricht war fällig am ${time} und kommt zu spät.`,
  lateSubject: (subject) => `Verspätet: ${subject}`,
  confirm: 'Bestätigen, dass du dies gesehen hast',
  show: 'Anzeigen',
  actions: { seen: 'OK', done: 'Erledigt', snooze: (minutes) => `In ${minutes} Min.` },
  acknowledged: 'Bestätigt',
  withdrawn: 'Nicht mehr aktuell',
  snoozed: (until) => `Wieder um ${until}`,
  missedSubject: (count) =>
    count === 1 ? 'Eine Erinnerung wurde verpasst' : `${count} Erinnerungen wurden verpasst`,
  missed: 'Diese Erinnerungen waren fällig, während Adjutant sie nicht senden konnte:',
  more: (count) => `und ${count} weitere`,
  digestSubject: (day, count) => `${day}: ${count === 1 ? '1 Eintrag' : `${count} Einträge`}`,
  digest: {
    today: 'Heute',
    tasks: 'Aufgaben',
    unanswered: 'Unbeantwortete Einladungen',
    notAnswered: 'noch nicht beantwortet',
    conflicts: 'Überschneidungen',
  },
  allDay: 'ganztägig',
  pages: {
    confirm: 'Bestätigen',
    ask: {
      seen: 'Bestätige, dass du davon weißt.',
      done: 'Diese Aufgabe als erledigt markieren.',
      fewer: 'Weniger Erinnerungen an solche Termine bekommen.',
      again: (minutes) => `In ${minutes} Minuten noch einmal erinnert werden.`,
    },
    thanks: {
      seen: 'Danke. Du wirst daran nicht mehr erinnert.',
      done: 'Danke. Die Aufgabe ist erledigt.',
      fewer: 'Danke. Du bekommst weniger Erinnerungen an solche Termine.',
      again: (minutes) => `Danke. Die Erinnerung kommt in ${minutes} Minuten noch einmal.`,
    },
    notConfirmed: 'Die Erinnerung ist nicht bestätigt.',
    unknown: 'Diese Erinnerung gibt es nicht.',
    refused:
      'Das geht nicht mehr. Der Termin beginnt gleich oder ist abgesagt, oder die Zeit liegt in deiner Ruhezeit.',
    failed: 'Deine Antwort konnte nicht gespeichert werden. Versuche es in ein paar Minuten noch einmal.',
  },
  news: {
    finished: (name) => `${name}: Der Lauf ist fertig`,
    failed: (name) => `${name}: Der Lauf ist gescheitert`,
    over_budget: (name) => `${name}: Der Lauf hat gestoppt, weil ein Budget aufgebraucht ist`,
    asks_permission: (name) => `${name}: Der Agent bittet um Erlaubnis`,
    has_questions: (name) => `${name}: Der Agent hat Fragen`,
    cancelled: (name) => `${name}: Der Lauf wurde abgebrochen`,
    missed: (name) => `${name}: war fällig, als nichts lief`,
    paused: (name) => `${name} ist angehalten`,
  },
  decide: {
    review: 'Ansehen und entscheiden',
    refuse: 'Ablehnen',
    allow: 'Einmal erlauben',
    title: 'Ein Agent bittet um Erlaubnis',
    gains: {
      command:
        'Wenn du es erlaubst, läuft dieser Befehl einmal außerhalb der Sandbox des Agenten: Er kann außerhalb des Ordners schreiben und das Netz benutzen. Deine privaten Dateien bleiben verborgen.',
      files: 'Wenn du es erlaubst, macht der Agent diese Änderungen außerhalb seiner Sandbox.',
      network: 'Wenn du es erlaubst, verbindet sich der Agent mit diesem Server. Sonst ändert sich nichts.',
      tool: 'Wenn du es erlaubst, benutzt der Agent dieses Werkzeug einmal.',
      permissions: 'Wenn du es erlaubst, bekommt der Agent diese Rechte nur für diesen Befehl.',
    },
    folder: 'Ordner',
    reason: 'Grund des Agenten',
    allowed: 'Erlaubt. Der Agent macht weiter.',
    refused: 'Abgelehnt. Der Agent macht ohne das weiter.',
    over: 'Diese Anfrage wurde schon beantwortet oder ist abgelaufen.',
    unknown: 'Diese Anfrage gibt es nicht, oder der Link ist abgelaufen.',
    notAllowed: 'Du kannst diese Anfrage nur ablehnen.',
    failed: 'Deine Entscheidung konnte nicht gespeichert werden. Versuche es in einigen Minuten noch einmal.',
  },
  test: {
    subject: 'Ein Test von Adjutant',
    text: (channel) => `Dies ist ein Test. Nachrichten von Adjutant per ${channel} kommen hier an.`,
  },
  timing: {
    onDay: (time, days) =>
      days === 0
        ? `um ${time} am Tag selbst`
        : days === 1
          ? `um ${time} am Vortag`
          : `um ${time}, ${days} Tage vorher`,
    before: (time) => `${time} vorher`,
    after: (time) => `${time} nach dem Beginn`,
    atStart: 'zum Beginn',
    movedBefore: 'wegen der Ruhezeit vorgezogen',
    movedAfter: 'wegen der Ruhezeit später',
  },
  rules: {
    builtIn: 'übliche Erinnerung',
    vip: 'von einer wichtigen Person organisiert',
    internal: 'eine interne Besprechung',
    travel: (minutes) => `${minutes} Minuten Weg`,
    kinds: {
      task: 'eine Aufgabe',
      all_day: 'ein ganztägiger Termin',
      birthday: 'ein Geburtstag',
      flight: 'ein Flug',
      train: 'ein Zug',
      doctor: 'ein Arzttermin',
      online: 'eine Online-Besprechung',
      place: 'ein Termin an einem Ort',
    },
  },
  reasons: {
    event: 'deine Erinnerung für diesen Termin',
    alarm: 'der Alarm in deinem Kalender',
    kind: (kind) => `deine Einstellung für ${accusative(kind)}`,
    calendar: (name) => `deine Einstellung für den Kalender ${name}`,
    default: 'deine üblichen Erinnerungen',
    snooze: 'du wolltest noch einmal erinnert werden',
    digest: 'deine Tagesübersicht',
    message: 'Adjutant sollte dir das schicken',
    told: 'du wurdest an diesen Termin erinnert',
    soon: 'eine Erinnerung an diesen Termin steht bevor',
  },
};
