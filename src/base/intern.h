/*
 * Text that is kept for the life of the process, each different one once.
 * For names and reasons that repeat; never for values.
 */
#ifndef NVP_BASE_INTERN_H
#define NVP_BASE_INTERN_H

/**
 * The kept copy of `text`. Bounded: past NVP__INTERN_MAX different texts, or without memory, it gives a fixed text that says so.
 * Safe from any thread; takes its own lock, which a fork child inherits free (see nvp__intern_fork_...).
 */
const char *nvp__intern(const char *text);

#define NVP__INTERN_MAX 4096

/** To be called around fork(), so that no child inherits the lock held. */
void nvp__intern_fork_prepare(void);
void nvp__intern_fork_parent(void);
void nvp__intern_fork_child(void);

#endif
