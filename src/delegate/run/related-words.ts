import { termsOf } from '../../search/search.ts';

/** Words that people use for nearly the same thing, in groups. */
const groups = `
  accessibility accessible blind disability disabled screenreader wcag; alert alarm notification notify
  warning; analyse analyze analysis examine investigate inspect; api endpoint interface route; article
  blog essay post; authentication authenticate login signin signup sso oauth; bill billing charge checkout
  invoice pay payment subscription; bug crash defect error failure fault problem; build compile bundle;
  cache caching memoize; change edit modify revise; chart diagram graph plot; check review audit verify
  inspect; choose chose decide decision; ci pipeline workflow; class component module; clarify explain
  explanation describe understand; clean cleanup simplify tidy refactor; cloud aws azure gcp
  infrastructure; cluster kubernetes pod deployment; container docker dockerfile image; contract schema
  specification; convert transform translate; create generate make produce write; css style styling
  stylesheet; database sql postgresql mysql table; debug diagnose troubleshoot; delete remove drop erase;
  deploy deployment release rollout ship; design mockup figma wireframe; diff change patch; document
  documentation docstring guide manual readme tutorial; email mail newsletter; excel spreadsheet sheet
  csv; fast slow performance speed latency optimize optimise tune tuning; find search lookup; fix repair
  resolve solve; history log changelog; idea brainstorm suggestion; improve enhance optimize better;
  incident outage downtime postmortem; issue ticket bug; language locale translate translation
  localization internationalization multilingual; letter mail note; library package dependency module; log
  logging trace; mail email letter; measure benchmark evaluate evaluation metric score; meeting agenda
  minute; memory heap leak ram; merge combine join; message mail note; mock stub fake; model llm ai;
  monitor monitoring observability metric telemetry; parse regex pattern; password credential secret token
  key; phone mobile; plan roadmap schedule; presentation slide deck powerpoint talk; profile profiling
  flamegraph; publish release ship upload; query sql select; readme documentation; record decision log;
  recover rescue restore undo revert rollback reset; rename move; report summary; research investigate
  study; rest http api; rpc grpc protobuf; safe secure security vulnerability exploit attack threat hole;
  script shell bash terminal; server backend service; shorten shrink reduce compress condense smaller
  short; speech talk presentation; summary summarize summarise digest recap tldr condense; swagger
  openapi; task todo ticket; teach explain tutor lesson; test testing spec; translate translation; typo
  spelling grammar proofread; ui interface frontend; undo revert rollback; update upgrade bump outdated;
  version release tag; website web page site browser; accessibility keyboard mouse focus contrast screenreader
  zoom; agreement contract clause term nda license legal lawyer liability; announcement campaign launch mailing
  marketing newsletter promotion subscriber; angry complaint customer support helpdesk refund reply answer;
  answer reply respond response letter mail; board keynote pitch presentation screen slide talk; branch commit
  diff merge request review; calculate compute figure number statistic spreadsheet; candidate employee hire
  hiring join joiner newcomer onboarding recruit staff starter; charge payment refund invoice; column constraint
  foreign index migration row schema table; counter plural string translation; crash down fail incident outage
  unavailable; customer client user; delete erase privacy gdpr; escalate incident oncall page pager; export
  import csv; file folder; framework library package upgrade version; hotfix patch release; image photo picture;
  job position role; language french german spanish italian japanese portuguese chinese english translation
  localization; login outage signin; minute second slow latency timeout; month quarter year period; news update
  announcement; note memo; offer quote proposal; outsider stakeholder; cause postmortem lesson prevent
  retrospective; project milestone roadmap; question survey feedback poll; risk threat; sale revenue order;
  schedule appointment calendar; screen view page; supplier vendor provider; train course workshop; trip travel
  booking; vulnerable vulnerability finding audit dependency;
  npm pip cargo gem maven package dependency`
  .split(';')
  .map((group) => group.trim().split(/\s+/));

/** What words of certain forms are about. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.])v?\d+\.\d+(?:\.\d+|\.x)(?![\w.])/gi, 'version release'],
  [/(?<![\w./-])[a-z]\w*\.[a-z]+_[a-z_]+(?![\w./-])/gi, 'column table database'],
];

/** The words that say what version numbers and names of columns in a text are. */
export function wordsOfForms(text: string): readonly string[] {
  return forms.flatMap(([form, words]) => (text.search(form) < 0 ? [] : words.split(' ')));
}

const groupsByTerm = Map.groupBy(
  groups.flatMap((words) => words.flatMap((word) => termsOf(word).map((term) => ({ term, words })))),
  ({ term }) => term,
);

/** The terms of a text that have related words, with these. */
export function relatedWords(text: string): readonly (readonly [string, readonly string[]])[] {
  return [...new Set(termsOf(text))].flatMap((term) => {
    const related = new Set(groupsByTerm.get(term)?.flatMap(({ words }) => words));
    const others = [...related].filter((word) => !termsOf(word).includes(term));
    return others.length === 0 ? [] : [[term, others] as const];
  });
}
