import type { PromptDraft } from '../definition/source.ts';

const code = { name: 'code', description: 'The code to review', required: true };

function prompt(
  name: string,
  title: string,
  description: string,
  args: NonNullable<PromptDraft['arguments']>,
  text: string,
  tags: readonly string[],
): PromptDraft {
  return {
    name,
    title,
    description,
    arguments: args,
    messages: [{ role: 'user', content: { type: 'text', text } }],
    tags,
  };
}

/** The prompts of a new installation. */
export const builtIns: readonly PromptDraft[] = [
  prompt(
    'code_review',
    'Request Code Review',
    'Analyzes code quality, style, and suggests improvements',
    [code],
    'Please review the following code for quality, style, and potential issues:\n\n{{code}}',
    ['review', 'quality'],
  ),
  prompt(
    'explain_code',
    'Explain Code',
    'Tells step by step what a piece of code does and why',
    [{ ...code, description: 'The code to explain' }],
    'Explain this code to a colleague who sees it for the first time. Say what it is for, walk through it in the order in which it runs, and point out anything that is easy to misread.\n\n{{code}}',
    ['explain', 'learning'],
  ),
  prompt(
    'generate_tests',
    'Generate Tests',
    'Writes tests for a piece of code, its edge cases first',
    [
      { ...code, description: 'The code to test' },
      { name: 'language', description: 'The programming language', default: 'that of the code' },
    ],
    'Write tests for the code below. Begin with wrong input and edge cases, then cover the usual path. Name each test after the behaviour it checks.\n\nLanguage: {{language}}\n\n{{code}}',
    ['testing'],
  ),
  prompt(
    'document_function',
    'Document Function',
    'Writes the documentation of a function',
    [{ ...code, description: 'The function to document' }],
    'Write the documentation comment for this function: its purpose in one sentence, each parameter, what it returns, the errors it can raise, and a short example of its use.\n\n{{code}}',
    ['documentation'],
  ),
  prompt(
    'simplify_code',
    'Simplify Code',
    'Makes code shorter and clearer without changing what it does',
    [{ ...code, description: 'The code to simplify' }],
    'Rewrite this code so that it is easier to read and does exactly the same. Remove what is not needed, prefer the plain way, and list each change with its reason.\n\n{{code}}',
    ['refactoring'],
  ),
  prompt(
    'fix_bugs',
    'Fix Bugs',
    'Finds what is wrong with code and repairs it',
    [
      { ...code, description: 'The code that misbehaves' },
      { name: 'error', description: 'The error message or what goes wrong', default: 'not stated' },
    ],
    'Find the bugs in this code. For each one say what is wrong, when it shows, and how to repair it; then give the repaired code.\n\nObserved: {{error}}\n\n{{code}}',
    ['debugging'],
  ),
  prompt(
    'refactor_extract',
    'Extract Function',
    'Moves part of the code into a function of its own',
    [
      { ...code, description: 'The code to take apart' },
      { name: 'function_name', description: 'The name of the new function', default: 'choose one that fits' },
    ],
    'Take the part of this code that does one thing of its own and move it into a function. Choose parameters and result so that the rest reads well, and show both the new function and the code that calls it.\n\nName of the function: {{function_name}}\n\n{{code}}',
    ['refactoring'],
  ),
];
