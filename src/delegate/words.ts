/** Words that say nothing about a subject. */
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

/** Words that stand in every other task or skill: seen, but worth little. */
const commonWords =
  `access account action activity add address allow analyse analyze app application apply area ask avoid back bad best better big body bottom
  box branch break bring broken browser bug build button call card carry case change character chart check choose class clean clear click close
  code collect column command commit compare complete component config configure connect consider contain content convert
  copy correct cost count cover create current custom customer cut data date day debug decide decision default define delete depend deploy describe
  description design detail develop different difficult directory do document draft drop edit email end ensure entry
  error example exist expect explain export express extra extract fail fast feature feedback field file fill find finish fix
  follow folder form format function generate good group guide handle happen hard help high history hold home hour idea image implement
  import important improve include increase index info information input insert inside install integrate interface issue item job join
  key kind know label language large latest layout learn leave left letter level library line link list load local log long low
  main maintain manage map match mean measure merge message method miss mode model modern modify module month move multiple name narrow
  navigate new node note number object old open option order organize output package page paper parse part pass path pattern
  people person place plan plain play point policy possible post prefer prepare present print problem process produce product
  production program project proper property propose provide pull push question quick quality range reach read real reason receive record reduce
  refactor reference relate release reload remove rename repair replace repo report repository represent request require resolve
  resource response rest restructure result return review rewrite right role root round row rule run safe sample save scan
  screen script search second section select send separate server service session set setting setup shape share shift short show side
  simple single site size slow small software solve sort source space specific split stage standard start state step stop
  store string structure style subject suggest support switch system table tag target task team template temporary test text
  time title tool top topic track transform translate tree trust try turn type understand unit unused update upgrade upload
  user validate value variable various version view visit wait walk week weekly window word work world wrap write wrong year
  admin agree answer argument arrive audience audit author basic billing blog board book boundary brand budget business calendar
  career category chapter choice circle city client cloud collection color colour comment community company computer concept
  condition contact context contract contrast control conversation country course credit culture dark database deadline delivery
  department device discussion distance duplicate education effect effort environment equipment estimate event exchange expense
  experience expert expression factor family figure finance flow focus food force frame framework friend future game goal
  graph growth hardware head header health holiday hotel house icon income industry insurance invoice job keyboard knowledge
  law lesson license life light limit list location lock login logout machine mail manual market material matter meal
  media meeting member memory menu mobile money movie music network news notification offer office operation opportunity
  organization owner parent partner party password pattern pay payment performance period permission phone photo picture
  platform policy power practice price privacy profile progress promise purchase queue quiz rate receipt region relationship
  reminder research restaurant risk route safety sale schedule school science score season security seller sentence
  sequence shop shopping signal sign skill social song speech speed sport staff statement status story strategy stream street
  student study summary surface survey symbol talk tax teacher technical technology theme theory thread ticket token
  traffic training travel treatment trip truth tutorial usage vendor video visitor voice wall water web website`.split(
    /\s+/,
  );

/** One word for the same thing. */
const aliases: Readonly<Record<string, string>> = {
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

/** The stems of a text in order, without the words that say nothing. */
export function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    const alias = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
    return (alias === undefined ? [word] : alias.split(' ')).filter((one) => !stopWords.has(one)).map(stem);
  });
}

export function isCommon(stemmed: string): boolean {
  commonStems ??= new Set(commonWords.map(stem));
  return commonStems.has(stemmed);
}
/** Made when first asked: a server that is never asked for a skill starts without it. */
let commonStems: ReadonlySet<string> | undefined;

function wordsOf(text: string): string[] {
  return (
    text
      // Names in code come apart; names of products, which begin with a capital, stay whole.
      .replaceAll(/(?<![A-Za-z])[a-z]{3,}(?:[A-Z][a-z]+)+/g, (name) => name.replaceAll(/[A-Z]/g, ' $&'))
      .toLowerCase()
      .replaceAll(/\bend[- ]to[- ]end\b/g, 'e2e')
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/c\+\+|c#|\.net\b|[\p{L}\p{N}]{2,}/gu) ?? []
  );
}

/** Endings that only bend a word: plural, past, present. Derived words are left for the search to bring together. */
function stem(word: string): string {
  if (word.length < 4 || /[^a-z]/.test(word)) return word;
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh|zz)es$/, '$1')
    .replace(/([^suiy])s$/, '$1');
  const rooted = singular
    .replace(/i[sz](e|ed|ing|ation)$/, 'iz')
    .replace(/(.{5})ment$/, '$1')
    .replace(/(.{3}at)ion$/, '$1');
  const bare = rooted.replace(/(?:ing|ly|(?<!e)ed)$/, '');
  const base = bare.length >= 3 && /[aeiouy]/.test(bare) ? bare : rooted;
  return base.replace(/([bdgmnprt])\1$/, '$1').replace(/(.{3})e$/, '$1');
}
