export interface Decision {
  readonly should_delegate: boolean;
  readonly reason: string;
}

/** Properties of a task that are measured without a model. */
export interface TaskShape {
  readonly length: number;
  readonly clauses: number;
  readonly categories: readonly string[];
}

const categories: Readonly<Record<string, RegExp>> = {
  code: /\b(?:code|implement\w*|refactor\w*|fix(?:es|ed|ing)?|bugs?|features?|functions?|class(?:es)?|modules?|api|endpoints?|components?|migrat\w+|rewrite|port)\b/i,
  tests: /\b(?:tests?|testing|specs?|coverage|e2e|lint(?:ing)?|verif\w+)\b/i,
  docs: /\b(?:docs?|documentation|readme|changelog|guides?|tutorials?)\b/i,
  research:
    /\b(?:research|investigat\w+|compar(?:e|ison)|evaluat\w+|options|benchmarks?|analy[sz]e|analysis)\b/i,
  ops: /\b(?:deploy\w*|ci|cd|pipelines?|docker\w*|kubernetes|terraform|releases?|infrastructure|monitoring)\b/i,
  security: /\b(?:security|secure|vulnerab\w+|auth(?:entication|orization)?|permissions?|secrets?|cve)\b/i,
};
const conjunctions = /\b(?:and|then|also|plus|as well as)\b|,/gi;
const changeVerbs =
  'add|implement|refactor|fix|update|create|build|ship|deploy|migrate|write|rewrite|remove|delete|rename|move|change|convert|upgrade|replace|port|set up|improve|make|generate|extract|split|publish|release';
const questionStart =
  /^(?:what|why|how|when|where|who|which|whose|is|are|was|were|does|do|did|can|could|should|would|will|explain|describe|summari[sz]e|tell me|show me|compare)\b/i;
const politePrefix =
  /^(?:(?:hi|hello|hey|please|kindly|ok|so)\b[\s,!]*|(?:can|could|would|will) you (?:please )?)+/i;
const instructionStart = new RegExp(`^(?:then |also |and )?(?:${changeVerbs})\\b`, 'i');
const anyInstruction = new RegExp(`\\b(?:${changeVerbs})\\b`, 'gi');
const laterInstruction = new RegExp(
  `(?:\\b(?:and|then|also)\\b|[,;:])\\s*(?:then |also |please )?(?:${changeVerbs})\\b`,
  'i',
);
const smallEdits =
  /\b(?:rename|typos?|bump|reword|whitespace|spelling|copyright|comment out|constant|import|indent\w*|format)\b/gi;
const fileNames = /(?<![\w/])(?:[\w.-]+\/)*[\w-]+\.[a-z]\w{0,4}\b/gi;

export function measureTask(task: string): TaskShape {
  const text = task.trim();
  return {
    length: text.length,
    clauses: text.match(conjunctions)?.length ?? 0,
    categories: Object.keys(categories).filter((name) => categories[name]!.test(text)),
  };
}

/** Decides without a model. Empty tasks, questions and small edits are not delegated. */
export function decide(task: string, shape = measureTask(task)): Decision {
  const no = (reason: string): Decision => ({ should_delegate: false, reason });
  if (shape.length === 0) return no('Empty task.');
  if (isQuestion(task)) return no('Looks like an informational question.');
  const reasons = [
    ...(shape.length >= 160 ? ['long task'] : []),
    ...(shape.categories.length >= 2 ? [`cross-cutting (${shape.categories.join(', ')})`] : []),
    ...(shape.clauses >= 2 ? ['multiple clauses'] : []),
  ];
  if (reasons.length === 0 || isSmallEdit(task, shape)) {
    return no('Single-scope task; delegation overhead likely not worth it.');
  }
  return { should_delegate: true, reason: reasons.join('; ') };
}

/** True if the first sentence is a question and no sentence contains an instruction. */
function isQuestion(task: string): boolean {
  const sentences = task
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim().replace(politePrefix, ''))
    .filter((sentence) => /\p{L}/u.test(sentence));
  const [first] = sentences;
  if (first === undefined || !(questionStart.test(first) || first.endsWith('?'))) return false;
  return sentences.every(
    (sentence) =>
      !instructionStart.test(sentence) && (sentence.endsWith('?') || !laterInstruction.test(sentence)),
  );
}

function isSmallEdit(task: string, { length, clauses }: TaskShape): boolean {
  const count = (pattern: RegExp) => new Set(task.match(pattern)).size;
  const isShort = length < 120 && clauses <= 3;
  return isShort && count(fileNames) <= 1 && count(smallEdits) === 1 && count(anyInstruction) <= 1;
}
