import { german } from './de.ts';
import { english } from './en.ts';
import { spanish } from './es.ts';
import { french } from './fr.ts';
import { languageOf } from './voices.ts';

/** All texts that people receive, in one language. A language is one file; `english` is the fallback. */
export interface Catalog {
  hello(name: string): string;
  anEvent: string;
  when: string;
  due: string;
  where: string;
  join: string;
  now: string;
  cancelled: string;
  why: string;
  reminder(title: string, when: string): string;
  dueTask(title: string, when: string): string;
  overdueTask(title: string, days: number): string;
  tentative: string;
  answers: { readonly tentative: string; readonly 'needs-action': string };
  movedBefore(before: string): string;
  movedSubject(title: string, when: string): string;
  /** `told` is true if the person received a message about the time before. */
  movedNews(before: string, told: boolean): string;
  placeSubject(title: string, place: string): string;
  placeNews(before: string, told: boolean): string;
  noPlace: string;
  cancelledSubject(title: string, when: string): string;
  cancelledNews(told: boolean): string;
  restoredSubject(title: string, when: string): string;
  restoredNews: string;
  spokenHello(name: string): string;
  spokenReminder(title: string, when: string, place: string): string;
  spokenMoved(before: string): string;
  pressOne: string;
  late(time: string): string;
  lateSubject(subject: string): string;
  confirm: string;
  actions: { readonly seen: string; readonly done: string; snooze(minutes: number): string };
  acknowledged: string;
  snoozed(until: string): string;
  missedSubject(count: number): string;
  missed: string;
  more(count: number): string;
  digestSubject(day: string, count: number): string;
  digest: {
    readonly today: string;
    readonly tasks: string;
    readonly unanswered: string;
    readonly notAnswered: string;
    readonly conflicts: string;
  };
  allDay: string;
  /** The page behind the links of a message, and the answers on the phone. */
  pages: {
    readonly confirm: string;
    readonly ask: PageTexts;
    readonly thanks: PageTexts;
    readonly notConfirmed: string;
    readonly unknown: string;
    readonly refused: string;
    readonly failed: string;
  };
  test: { readonly subject: string; text(channel: string): string };
  /** When a reminder comes, and how the guards moved it. */
  timing: {
    before(time: string): string;
    after(time: string): string;
    readonly atStart: string;
    readonly movedBefore: string;
    readonly movedAfter: string;
  };
  /** Reasons of the built-in rules. */
  rules: {
    readonly builtIn: string;
    readonly vip: string;
    readonly internal: string;
    travel(minutes: number): string;
    readonly kinds: Readonly<Record<'task' | 'all_day' | 'flight' | 'doctor' | 'online' | 'place', string>>;
  };
  /** Why a message was sent, if not a policy decided. */
  reasons: {
    readonly event: string;
    readonly alarm: string;
    kind(kind: string): string;
    calendar(name: string): string;
    readonly default: string;
    readonly snooze: string;
    readonly digest: string;
    /** Of a change: the person was reminded, or is about to be. */
    readonly told: string;
    readonly soon: string;
  };
}

interface PageTexts {
  readonly seen: string;
  readonly done: string;
  readonly fewer: string;
  again(minutes: number): string;
}

/** The languages by their ISO code. To add one, write its file, name it here, and choose its voice in `voices.ts`. */
const languages: Readonly<Record<string, Catalog>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
};

/** The texts for a locale such as `de-AT`. */
export function textsFor(locale: string): Catalog {
  return languages[languageOf(locale)] ?? english;
}

/** The language of results, logs and the audit trail. */
export const resultTexts: Catalog = english;
