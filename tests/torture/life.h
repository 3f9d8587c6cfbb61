/*
 * A life of the library: opened, asked for everything, shut down.
 */
#ifndef NVP_TESTS_TORTURE_LIFE_H
#define NVP_TESTS_TORTURE_LIFE_H

/**
 * Every public call that does something: the driver found and described, init, every function by name with its value read in every
 * form, long lists, fields, GPM metrics, texts, shutdown. Answers may be errors and N/A with a reason; anything else ends the process.
 */
void life_live(void);

#endif
