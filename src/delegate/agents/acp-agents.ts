/** Every built-in agent that speaks the Agent Client Protocol. A new one is a file in this folder and a line here. */
export { gemini } from './gemini.ts';
export { opencode } from './opencode.ts';
export { qwen } from './qwen.ts';
