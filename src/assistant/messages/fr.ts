import type { Catalog } from './catalog.ts';

export const french: Catalog = {
  hello: (name) => `Bonjour ${name},`,
  anEvent: 'un événement',
  when: 'Quand',
  due: 'Échéance',
  where: 'Où',
  join: 'Rejoindre',
  now: 'Désormais',
  cancelled: 'Annulé',
  why: 'Pourquoi',
  reminder: (title, when) => `Rappel : ${title}, ${when}`,
  dueTask: (title, when) => `À faire : ${title}, ${when}`,
  overdueTask: (title, days) => `En retard de ${days === 1 ? '1 jour' : `${days} jours`} : ${title}`,
  tentative: 'Cet événement est provisoire.',
  answers: {
    tentative: 'Vous avez accepté provisoirement.',
    'needs-action': 'Vous n’avez pas encore répondu à cette invitation.',
  },
  movedBefore: (before) => `Déplacé : le rappel annonçait ${before}.`,
  movedSubject: (title, when) => `Déplacé : ${title}, désormais ${when}`,
  movedNews: (before, told) =>
    told
      ? `L’événement a été déplacé. Le rappel annonçait ${before}.`
      : `L’événement a été déplacé. Auparavant : ${before}.`,
  placeSubject: (title, place) => `Nouveau lieu : ${title}, ${place}`,
  placeNews: (before, told) =>
    `Le lieu a changé. ${told ? 'Le rappel annonçait' : 'Auparavant'} : ${before}.`,
  noPlace: 'aucun lieu',
  cancelledSubject: (title, when) => `Annulé : ${title}, ${when}`,
  cancelledNews: (told) =>
    told ? 'L’événement est annulé. Vous aviez reçu un rappel.' : 'L’événement est annulé.',
  restoredSubject: (title, when) => `Maintenu finalement : ${title}, ${when}`,
  restoredNews: 'On vous avait annoncé son annulation.',
  spokenHello: (name) => `Bonjour ${name}.`,
  spokenReminder: (title, when, place) =>
    `Ceci est un rappel : ${title}, ${when}${place === '' ? '' : `, lieu : ${place}`}.`,
  spokenMoved: (before) => `L’événement a été déplacé. Auparavant : ${before}.`,
  pressOne: 'Appuyez sur 1 pour confirmer.',
  late: (time) => `Ce message était prévu ${time} et arrive en retard.`,
  lateSubject: (subject) => `En retard : ${subject}`,
  confirm: 'Confirmer que vous avez vu ce message',
  actions: { seen: 'OK', done: 'Terminé', snooze: (minutes) => `Dans ${minutes} min` },
  acknowledged: 'Confirmé',
  snoozed: (until) => `Rappel à ${until}`,
  missedSubject: (count) => (count === 1 ? 'Un rappel a été manqué' : `${count} rappels ont été manqués`),
  missed: 'Ces rappels étaient prévus pendant qu’Adjutant ne pouvait pas les envoyer :',
  more: (count) => `et ${count} de plus`,
  digestSubject: (day, count) => `${day} : ${count === 1 ? '1 entrée' : `${count} entrées`}`,
  digest: {
    today: 'Aujourd’hui',
    tasks: 'Tâches',
    unanswered: 'Invitations sans réponse',
    conflicts: 'Conflits',
  },
  allDay: 'toute la journée',
  reasons: {
    event: 'votre rappel pour cet événement',
    alarm: 'l’alarme de votre agenda',
    kind: (kind) => `votre réglage pour ${kind}`,
    calendar: (name) => `votre réglage pour l’agenda ${name}`,
    default: 'vos rappels habituels',
    snooze: 'vous avez demandé un nouveau rappel',
    digest: 'votre résumé du jour',
  },
};
