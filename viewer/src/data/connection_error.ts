// Errors for an unreachable server. `fetch` reports them as `TypeError`.

/** Whether an error means that the server did not respond. */
export const isConnectionError = (error: unknown): boolean => error instanceof TypeError;

/** Creates an error for which `isConnectionError` is true. */
export const connectionError = (reason: string): Error => new TypeError(reason);
