// Browsers call it a type error when nobody answers.

/** Whether an error says that the server does not answer. */
export const isSilence = (error: unknown): boolean => error instanceof TypeError;

/** An error that says so. */
export const silence = (reason: string): Error => new TypeError(reason);
