// Loaded on first use. A separate module, so that the bundle contains only these two functions of the package.
export { applyPatch, structuredPatch } from 'diff';
