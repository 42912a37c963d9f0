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

export type LogFormat = 'text' | 'json';

let format: LogFormat = 'text';

export function setLogFormat(chosen: LogFormat): void {
  format = chosen;
}

export function logFormat(): LogFormat {
  return format;
}

/** What the code works on, such as a request, for the log in JSON. */
let contextOf: () => object | undefined = () => undefined;

export function setLogContext(read: typeof contextOf): void {
  contextOf = read;
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
  const line =
    format === 'text'
      ? `adjutant: ${level}: ${kept}`
      : JSON.stringify({ time: new Date().toISOString(), level, message: kept, ...contextOf() });
  process.stderr.write(`${line}\n`);
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
