import { messageOf } from './json.ts';

const levels = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof levels)[number];

let threshold = 1;

export function setLogLevel(level: LogLevel): void {
  threshold = levels.indexOf(level);
}

export function logLevel(): LogLevel {
  return levels[threshold]!;
}

let redact = (text: string): string => text;

/** Sets the function that removes secrets from messages. */
export function setLogRedaction(redaction: (text: string) => string): void {
  redact = redaction;
}

/** Longest text of a message: parts of it can come from a client. */
const maxLength = 8_000;

/** Writes one line to stderr, since stdout carries the protocol. */
export function log(level: LogLevel, message: string, error?: unknown): void {
  if (levels.indexOf(level) < threshold) return;
  const cause =
    error === undefined
      ? ''
      : `: ${level === 'error' && error instanceof Error ? error.stack : messageOf(error)}`;
  const text = redact(`${message}${cause}`);
  const kept = text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length} characters)` : text;
  process.stderr.write(`adjutant: ${level}: ${kept}\n`);
}
