/** The name of a process that owns firings, unique across all processes and machines. It begins with the process id. */
export function ownerName(): string {
  return `${process.pid}-${crypto.randomUUID()}`;
}

/** True if the owner of a lease was a process of this machine that has exited. */
export function isDead(owner: string): boolean {
  const pid = Number(owner.split('-')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
