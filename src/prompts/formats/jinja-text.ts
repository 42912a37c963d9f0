/** Text as a Jinja template that prints it. */
export function jinjaText(text: string): string {
  if (!/\{[{%#]/.test(text)) return text;
  const inner = text.replaceAll(/\{(?=%[-+]?\s*endraw)/g, "{% endraw %}{{ '{' }}{% raw %}");
  return `{% raw %}${inner}{% endraw %}`;
}
