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

let unhandledRejections = 0;

/** How many promises were rejected without a handler since the start of the process. Each of them is a bug. */
export function countUnhandledRejections(): number {
  return unhandledRejections;
}

/** Keeps a server alive after an unhandled rejection: it concerns one request, and the other clients need the server. */
export function surviveUnhandledRejections(): void {
  process.off('unhandledRejection', reportUnhandledRejection);
  process.on('unhandledRejection', reportUnhandledRejection);
}

function reportUnhandledRejection(reason: unknown): void {
  unhandledRejections += 1;
  const error =
    reason instanceof Error ? reason : new Error(`rejected with a value of type ${typeof reason}`);
  log('error', 'bug: unhandled rejection', error);
}
