import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Says within which processes a process id is unique: in containers that share a folder, every program can have the id 1. */
const place = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 12);
const self = `${process.pid}-${place}-${crypto.randomUUID()}`;
let names = 0;

/** The name of an owner of leases, unique across all processes and machines. It begins with the process id and its place. */
export function ownerName(): string {
  names += 1;
  return `${self}-${names}`;
}

/**
 * True if the owner is certain to have exited. Nothing is known of processes in other containers and on other machines. After a
 * restart, a container has its name and often its process ids again.
 */
export function hasExited(owner: string): boolean {
  const [id, home] = owner.split('-');
  const pid = Number(id);
  if (home !== place || !Number.isSafeInteger(pid) || pid <= 0 || owner.startsWith(`${self}-`)) return false;
  return pid === process.pid || !isRunning(pid);
}

/** Whether a process with this id exists, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Other systems have only one.
    return '';
  }
}
