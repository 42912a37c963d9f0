import { stemmer } from 'stemmer';

/** Words that are too common to be useful in a search. */
const stopWords = new Set(
  `a about above across actually after again against all already also although always am among an and another any anybody
  anyone anything are around as at away be became because become been before began begin being below between both but by came
  can cannot come could did do does doing done down during each either else enough etc even ever every everybody everyone
  everything few first for from further get gets getting give given gives go goes going gone got had has have having he
  help her here him himself his how however i if in instead into is it its itself just keep keeps kept last later least less let
  like ll look looks lot made make makes making many may maybe me might mine more most much must my myself near need needs
  neither never next no nobody none nor not nothing now of off often ok on once one only onto or other others otherwise our
  ours out over own per perhaps please put quite rather re really same say says see seen several shall she should since
  so some somebody someone something soon still such take takes tell than that the their them themselves then there
  these they thing things this those though through thus to today together too toward two three four five under until up
  upon us use used user users uses using ve very via want wants was way we well went were what when where whether which while who
  whole whom whose why will with within without would yes yesterday yet you your yours yourself`.split(/\s+/),
);

/** Abbreviations and the words that replace them in the index. */
const synonyms: Readonly<Record<string, string>> = {
  a11y: 'accessibility',
  adr: 'decision record',
  auth: 'authentication',
  cpp: 'c++',
  db: 'database',
  doc: 'documentation',
  docs: 'documentation',
  docx: 'word docx',
  gha: 'github action workflow',
  golang: 'go golang',
  i18n: 'internationalization',
  js: 'javascript',
  k8s: 'kubernetes',
  l10n: 'localization',
  oidc: 'openid',
  pg: 'postgresql',
  postgres: 'postgresql',
  pptx: 'powerpoint pptx',
  proto: 'protobuf',
  pr: 'pull request',
  psql: 'postgresql',
  py: 'python',
  regex: 'regular expression regex',
  regexes: 'regular expression regex',
  regexp: 'regular expression regex',
  rs: 'rust',
  sh: 'shell bash',
  sso: 'oauth openid',
  tf: 'terraform',
  ts: 'typescript',
  vuln: 'vulnerability',
  xlsx: 'excel xlsx',
  yml: 'yaml',
};

const maxWordLength = 64;
/** Scripts that do not separate words with spaces. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The search terms of a text, in order: lower-case stems without accents and stop words. */
export function termsOf(text: string): string[] {
  return wordsOf(text)
    .flatMap((word) => (Object.hasOwn(synonyms, word) ? synonyms[word]!.split(' ') : [word]))
    .filter((word) => !stopWords.has(word))
    .map((word) => stemmer(word.slice(0, maxWordLength)));
}

function wordsOf(text: string): string[] {
  const words = text
    // Split camelCase identifiers. Product names such as GitHub begin with a capital letter and are not split.
    .replaceAll(/(?<![A-Za-z])[a-z]{3,}(?:[A-Z][a-z]+)+/g, (name) => name.replaceAll(/[A-Z]/g, ' $&'))
    .toLowerCase()
    .replaceAll(/\bend[- ]to[- ]end\b/g, 'e2e')
    .replaceAll(/\btl;dr\b/g, 'tldr')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .match(/c\+\+|c#|\.net\b|[\p{L}\p{M}\p{N}]+/gu);
  return (words ?? []).flatMap((word) =>
    unspaced.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word],
  );
}
