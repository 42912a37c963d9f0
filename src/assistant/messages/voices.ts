/** Voices that read calls aloud, by language. Apart from the texts, which the start of the program does not need. */
const voices: Readonly<Record<string, string>> = {
  en: 'Polly.Joanna',
  de: 'Polly.Vicki',
  fr: 'Polly.Lea',
  es: 'Polly.Lucia',
};

/** The language of a locale such as `de-AT`. */
export function languageOf(locale: string): string {
  return locale.toLowerCase().split('-')[0]!;
}

export function voiceFor(locale: string): string {
  return voices[languageOf(locale)] ?? voices['en']!;
}
