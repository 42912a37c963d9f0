import { execFileSync } from 'node:child_process';

export const serviceNames = ['server', 'worker'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** What a service runs. */
export interface ServiceProgram {
  readonly description: string;
  /** Absolute path of the program, then its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** The program of the operating system that starts services and restarts them after a crash. */
export interface ServiceManager {
  readonly name: string;
  /** The file that describes the service. */
  file(service: ServiceName): string;
  /** The content of that file. */
  describe(service: ServiceName, program: ServiceProgram): string;
  /** Starts the service now and at every login, with its current file. Throws the manager's own message. */
  start(service: ServiceName): void;
  /** Stops the service and no longer starts it. Does nothing if the manager does not know it. */
  stop(service: ServiceName): void;
  isActive(service: ServiceName): boolean;
  /** The command that starts the service, for a user whose manager cannot be reached. */
  startCommand(service: ServiceName): string;
  /** The command that shows the log. */
  logCommand(service: ServiceName): string;
  /** Advice after the first start. */
  readonly advice?: string;
}

/** Runs a program of the service manager. Throws its message. */
export function run(program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${stderr?.trim() || message}`);
  }
}

export function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
