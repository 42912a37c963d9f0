import type { Catalog } from './catalog.ts';

export const spanish: Catalog = {
  hello: (name) => `Hola, ${name}:`,
  anEvent: 'un evento',
  when: 'Cuándo',
  due: 'Vence',
  where: 'Dónde',
  join: 'Unirse',
  now: 'Ahora',
  cancelled: 'Cancelado',
  why: 'Por qué',
  reminder: (title, when) => `Recordatorio: ${title}, ${when}`,
  dueTask: (title, when) => `Vence: ${title}, ${when}`,
  overdueTask: (title, days) => `Vencida desde hace ${days === 1 ? '1 día' : `${days} días`}: ${title}`,
  tentative: 'Este evento es provisional.',
  answers: {
    tentative: 'Aceptaste de forma provisional.',
    'needs-action': 'Aún no has respondido a esta invitación.',
  },
  movedBefore: (before) => `Cambiado: el recordatorio decía ${before}.`,
  movedSubject: (title, when) => `Cambiado: ${title}, ahora ${when}`,
  movedNews: (before, told) =>
    told
      ? `El evento ha cambiado de hora. El recordatorio decía ${before}.`
      : `El evento ha cambiado de hora. Antes: ${before}.`,
  placeSubject: (title, place) => `Nuevo lugar: ${title}, ${place}`,
  placeNews: (before, told) =>
    `El lugar ha cambiado. ${told ? 'El recordatorio decía' : 'Antes'}: ${before}.`,
  noPlace: 'ningún lugar',
  cancelledSubject: (title, when) => `Cancelado: ${title}, ${when}`,
  cancelledNews: (told) =>
    told ? 'El evento se ha cancelado. Habías recibido un recordatorio.' : 'El evento se ha cancelado.',
  restoredSubject: (title, when) => `Se celebra finalmente: ${title}, ${when}`,
  restoredNews: 'Se te había dicho que estaba cancelado.',
  spokenHello: (name) => `Hola, ${name}.`,
  spokenReminder: (title, when, place) =>
    `Esto es un recordatorio: ${title}, ${when}${place === '' ? '' : `, lugar: ${place}`}.`,
  spokenMoved: (before) => `El evento ha cambiado de hora. Antes: ${before}.`,
  pressOne: 'Pulsa 1 para confirmar.',
  late: (time) => `Este mensaje estaba previsto para ${time} y llega tarde.`,
  lateSubject: (subject) => `Con retraso: ${subject}`,
  confirm: 'Confirmar que has visto este mensaje',
  actions: { seen: 'OK', done: 'Hecho', snooze: (minutes) => `En ${minutes} min` },
  acknowledged: 'Confirmado',
  snoozed: (until) => `De nuevo a las ${until}`,
  missedSubject: (count) =>
    count === 1 ? 'Se perdió un recordatorio' : `Se perdieron ${count} recordatorios`,
  missed: 'Estos recordatorios estaban previstos mientras Adjutant no podía enviarlos:',
  more: (count) => `y ${count} más`,
  digestSubject: (day, count) => `${day}: ${count === 1 ? '1 entrada' : `${count} entradas`}`,
  digest: {
    today: 'Hoy',
    tasks: 'Tareas',
    unanswered: 'Invitaciones sin responder',
    conflicts: 'Conflictos',
  },
  allDay: 'todo el día',
  pages: {
    confirm: 'Confirmar',
    ask: {
      seen: 'Confirma que estás al tanto.',
      done: 'Marcar esta tarea como hecha.',
      fewer: 'Recibir menos recordatorios de eventos como este.',
      again: (minutes) => `Recibir este recordatorio otra vez en ${minutes} minutos.`,
    },
    thanks: {
      seen: 'Gracias. No recibirás más recordatorios de esto.',
      done: 'Gracias. La tarea está hecha.',
      fewer: 'Gracias. Recibirás menos recordatorios de eventos como este.',
      again: (minutes) => `Gracias. El recordatorio volverá en ${minutes} minutos.`,
    },
    notConfirmed: 'El recordatorio no está confirmado.',
    unknown: 'Ese recordatorio no existe.',
    refused:
      'Ya no es posible. El evento está por empezar o fue cancelado, o la hora cae en tus horas de silencio.',
  },
  test: {
    subject: 'Una prueba de Adjutant',
    text: (channel) => `Esto es una prueba. Los mensajes de Adjutant por ${channel} llegan aquí.`,
  },
  timing: {
    before: (time) => `${time} antes`,
    after: (time) => `${time} después del inicio`,
    atStart: 'al inicio',
    movedBefore: 'adelantado por las horas de silencio',
    movedAfter: 'después de las horas de silencio',
  },
  rules: {
    builtIn: 'reglas integradas',
    vip: 'organizado por una persona importante',
    internal: 'una reunión interna',
    travel: (minutes) => `${minutes} minutos de viaje`,
    kinds: {
      task: 'una tarea',
      all_day: 'un evento de todo el día',
      flight: 'un vuelo',
      doctor: 'una cita médica',
      online: 'una reunión en línea',
      place: 'una cita presencial',
    },
  },
  reasons: {
    event: 'tu recordatorio para este evento',
    alarm: 'la alarma de tu calendario',
    kind: (kind) => `tu ajuste para ${kind}`,
    calendar: (name) => `tu ajuste para el calendario ${name}`,
    default: 'tus recordatorios habituales',
    snooze: 'pediste otro recordatorio',
    digest: 'tu agenda diaria',
  },
};
