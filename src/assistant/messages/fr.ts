import type { Catalog } from './en.ts';

export const french: Catalog = {
  hello: (name) => `Bonjour ${name},`,
  also: 'Aussi',
  anEvent: 'un événement',
  when: 'Quand',
  due: 'Échéance',
  where: 'Où',
  join: 'Rejoindre',
  now: 'Désormais',
  cancelled: 'Annulé',
  why: 'Pourquoi',
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
  pressOne: 'Appuyez sur 1 pour confirmer.',
  late: (time) => `Ce message était prévu ${time} et arrive en retard.`,
  lateSubject: (subject) => `En retard : ${subject}`,
  confirm: 'Confirmer que vous avez vu ce message',
  show: 'Afficher',
  actions: { seen: 'OK', done: 'Terminé', snooze: (minutes) => `Dans ${minutes} min` },
  acknowledged: 'Confirmé',
  withdrawn: "Plus d'actualité",
  snoozed: (until) => `Rappel à ${until}`,
  missedSubject: (count) => (count === 1 ? 'Un rappel a été manqué' : `${count} rappels ont été manqués`),
  missed: 'Ces rappels étaient prévus pendant qu’Adjutant ne pouvait pas les envoyer :',
  more: (count) => `et ${count} de plus`,
  digestSubject: (day, count) => `${day} : ${count === 1 ? '1 entrée' : `${count} entrées`}`,
  digest: {
    today: 'Aujourd’hui',
    tasks: 'Tâches',
    unanswered: 'Invitations sans réponse',
    notAnswered: 'sans réponse',
    conflicts: 'Conflits',
  },
  allDay: 'toute la journée',
  pages: {
    confirm: 'Confirmer',
    ask: {
      seen: 'Confirmez que vous êtes au courant.',
      done: 'Marquer cette tâche comme terminée.',
      fewer: 'Recevoir moins de rappels pour ce genre d’événement.',
      again: (minutes) => `Recevoir ce rappel à nouveau dans ${minutes} minutes.`,
    },
    thanks: {
      seen: 'Merci. Vous ne recevrez plus de rappel à ce sujet.',
      done: 'Merci. La tâche est terminée.',
      fewer: 'Merci. Vous recevrez moins de rappels pour ce genre d’événement.',
      again: (minutes) => `Merci. Le rappel reviendra dans ${minutes} minutes.`,
    },
    notConfirmed: 'Le rappel n’est pas confirmé.',
    unknown: 'Ce rappel n’existe pas.',
    refused:
      'Ce n’est plus possible. L’événement va commencer ou est annulé, ou l’heure tombe dans vos heures calmes.',
    failed: 'Votre réponse n’a pas pu être enregistrée. Réessayez dans quelques minutes.',
  },
  news: {
    finished: (name) => `${name} : l'exécution est terminée`,
    failed: (name) => `${name} : l'exécution a échoué`,
    over_budget: (name) => `${name} : l'exécution s'est arrêtée, car un budget est épuisé`,
    asks_permission: (name) => `${name} : l'agent demande une autorisation`,
    has_questions: (name) => `${name} : l'agent a des questions`,
    cancelled: (name) => `${name} : l'exécution a été annulée`,
    missed: (name) => `${name} : c'était prévu alors que rien ne tournait`,
    paused: (name) => `${name} est en pause`,
  },
  test: {
    subject: 'Un test d’Adjutant',
    text: (channel) => `Ceci est un test. Les messages d’Adjutant par ${channel} arrivent ici.`,
  },
  timing: {
    onDay: (time, days) =>
      days === 0
        ? `à ${time} le jour même`
        : days === 1
          ? `à ${time} la veille`
          : `à ${time}, ${days} jours avant`,
    before: (time) => `${time} avant`,
    after: (time) => `${time} après le début`,
    atStart: 'au début',
    movedBefore: 'avancé avant les heures calmes',
    movedAfter: 'après les heures calmes',
  },
  rules: {
    builtIn: 'règles intégrées',
    vip: 'organisé par une personne importante',
    internal: 'une réunion interne',
    travel: (minutes) => `${minutes} minutes de trajet`,
    kinds: {
      task: 'une tâche',
      all_day: 'un événement d’une journée entière',
      flight: 'un vol',
      doctor: 'un rendez-vous médical',
      online: 'une réunion en ligne',
      place: 'un rendez-vous sur place',
    },
  },
  reasons: {
    event: 'votre rappel pour cet événement',
    alarm: 'l’alarme de votre agenda',
    kind: (kind) => `votre réglage pour ${kind}`,
    calendar: (name) => `votre réglage pour l’agenda ${name}`,
    default: 'vos rappels habituels',
    snooze: 'vous avez demandé un nouveau rappel',
    digest: 'votre résumé du jour',
    message: "on a demandé à Adjutant de vous l'envoyer",
    told: 'un rappel de cet événement vous a été envoyé',
    soon: 'un rappel de cet événement est prévu bientôt',
  },
};
