import { german } from './de.ts';
import { type Catalog, english } from './en.ts';
import { spanish } from './es.ts';
import { french } from './fr.ts';
import { languageOf } from './voices.ts';

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
