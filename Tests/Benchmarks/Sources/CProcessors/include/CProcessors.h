#ifndef CPROCESSORS_H
#define CPROCESSORS_H

/* Keeps the calling thread on one of the processors that it may use, by number; without an answer, as nothing depends on it. */
void stay_on_processor(int number);

#endif
