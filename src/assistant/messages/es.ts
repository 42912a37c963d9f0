import type { Catalog } from './en.ts';

export const spanish: Catalog = {
  hello: (name) => `Hola, ${name}:`,
  labelled: (label, value) => `${label}: ${value}`.trimEnd(),
  also: 'También',
  anEvent: 'un evento',
  when: 'Cuándo',
  due: 'Vence',
  where: 'Dónde',
  join: 'Unirse',
  link: 'Enlace',
  now: 'Ahora',
  cancelled: 'Cancelado',
  why: 'Por qué',
  dueTask: (title, when) => `Vence: ${title}, ${when}`,
  overdueTask: (title, days) => `Vencida desde hace ${days === 1 ? '1 día' : `${days} días`}: ${title}`,
  tentative: 'Este evento aún no está confirmado.',
  answers: {
    tentative: 'Aceptaste de forma provisional.',
    'needs-action': 'Aún no has respondido a esta invitación.',
  },
  invited: (who, title, when) => `${who} te invita: ${title}, ${when}`,
  cancelledBy: {
    one: (who, title, when) => `${who} ha cancelado: ${title}, ${when}`,
    series: (who, title, when) => `${who} ha cancelado: ${title}, a partir de ${when}`,
  },
  answered: {
    accepted: (who, title, when) => `${who} viene: ${title}, ${when}`,
    declined: (who, title, when) => `${who} no viene: ${title}, ${when}`,
    tentative: (who, title, when) => `${who} quizá venga: ${title}, ${when}`,
  },
  movedBefore: (before) => `Reprogramado: el recordatorio decía ${before}.`,
  movedSubject: (title, when) => `Reprogramado: ${title}, ahora ${when}`,
  movedNews: (before, told) =>
    told
      ? `El evento se ha reprogramado. El recordatorio decía ${before}.`
      : `El evento se ha reprogramado. Antes: ${before}.`,
  placeSubject: (title, place) => `Nuevo lugar: ${title}, ${place}`,
  placeNews: (before, told) =>
    `El lugar ha cambiado. ${told ? 'El recordatorio decía' : 'Antes'}: ${before}.`,
  noPlace: 'ningún lugar',
  cancelledSubject: (title, when) => `Cancelado: ${title}, ${when}`,
  cancelledNews: (told) =>
    told ? 'El evento se ha cancelado. Habías recibido un recordatorio.' : 'El evento se ha cancelado.',
  restoredSubject: (title, when) => `Al final sí se celebra: ${title}, ${when}`,
  restoredNews: 'Se te había dicho que estaba cancelado.',
  spokenHello: (name) => `Hola, ${name}.`,
  spokenReminder: (title, when, place) =>
    `Esto es un recordatorio: ${title}, ${when}${place === '' ? '' : `, lugar: ${place}`}.`,
  pressOne: 'Pulsa 1 para confirmar.',
  late: (time) => `Este mensaje estaba previsto para el ${time} y llega tarde.`,
  lateSubject: (subject) => `Con retraso: ${subject}`,
  confirm: 'Confirmar que has visto este mensaje',
  show: 'Mostrar',
  actions: { seen: 'OK', done: 'Hecho', snooze: (minutes) => `En ${minutes} min` },
  acknowledged: 'Confirmado',
  withdrawn: 'Ya no está vigente',
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
    notAnswered: 'sin responder',
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
    failed: 'No se pudo guardar tu respuesta. Inténtalo de nuevo en unos minutos.',
  },
  news: {
    finished: (name) => `${name}: la ejecución ha terminado`,
    failed: (name) => `${name}: la ejecución ha fallado`,
    over_budget: (name) => `${name}: la ejecución se detuvo porque se agotó un presupuesto`,
    asks_permission: (name) => `${name}: el agente pide permiso`,
    has_questions: (name) => `${name}: el agente tiene preguntas`,
    cancelled: (name) => `${name}: la ejecución se canceló`,
    missed: (name) => `${name}: debía ejecutarse cuando no había nada en marcha`,
    paused: (name) => `${name} está en pausa`,
  },
  decide: {
    review: 'Revisar y decidir',
    refuse: 'Rechazar',
    allow: 'Permitir una vez',
    title: 'Un agente pide permiso',
    gains: {
      command:
        'Si lo permites, este comando se ejecuta una vez fuera del entorno aislado del agente: puede escribir fuera de la carpeta y usar la red. Tus archivos privados siguen ocultos.',
      files: 'Si lo permites, el agente hace estos cambios fuera de su entorno aislado.',
      network: 'Si lo permites, el agente se conecta a este servidor. Nada más cambia.',
      tool: 'Si lo permites, el agente usa esta herramienta una vez.',
      permissions: 'Si lo permites, el agente obtiene estos permisos solo para este comando.',
    },
    folder: 'Carpeta',
    reason: 'Motivo del agente',
    allowed: 'Permitido. El agente continúa.',
    refused: 'Rechazado. El agente continúa sin ello.',
    over: 'Esta solicitud ya tiene respuesta o ha caducado.',
    unknown: 'No existe esta solicitud, o el enlace ha caducado.',
    notAllowed: 'Solo puedes rechazar esta solicitud.',
    failed: 'No se pudo guardar tu decisión. Inténtalo de nuevo en unos minutos.',
  },
  test: {
    subject: 'Una prueba de Adjutant',
    text: (channel) => `Esto es una prueba. Los mensajes de Adjutant por ${channel} llegan aquí.`,
  },
  timing: {
    onDay: (time, days) =>
      days === 0
        ? `a las ${time} el mismo día`
        : days === 1
          ? `a las ${time} el día anterior`
          : `a las ${time}, ${days} días antes`,
    before: (time) => `${time} antes`,
    after: (time) => `${time} después del inicio`,
    atStart: 'al inicio',
    movedBefore: 'adelantado por las horas de silencio',
    movedAfter: 'retrasado por las horas de silencio',
  },
  rules: {
    builtIn: 'recordatorio habitual',
    vip: 'organizado por una persona importante',
    internal: 'una reunión interna',
    travel: (minutes) => `${minutes} minutos de viaje`,
    kinds: {
      task: 'una tarea',
      all_day: 'un evento de todo el día',
      flight: 'un vuelo',
      train: 'un tren',
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
    message: 'se pidió a Adjutant que te lo enviara',
    told: 'se te recordó este evento',
    soon: 'pronto recibirás un recordatorio de este evento',
  },
};
