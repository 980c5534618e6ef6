/** The named ways to write 128 bits. */
export const FORMS = ['typeid', 'ulid'] as const;

export type FormName = (typeof FORMS)[number];
