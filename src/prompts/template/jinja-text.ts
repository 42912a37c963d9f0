/** Returns a Jinja template that prints exactly this text. */
export function escapeJinja(text: string): string {
  if (!/\{[{%#]/.test(text)) return text;
  const inner = text.replaceAll(/\{(?=%[-+]?\s*endraw)/g, "{% endraw %}{{ '{' }}{% raw %}");
  return `{% raw %}${inner}{% endraw %}`;
}
