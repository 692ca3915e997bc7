/* A ring of numbers. */
#ifndef RING_H
#define RING_H

typedef struct ring ring_t;

/* A ring for 1 to 8 numbers; null where that is not so. */
ring_t *ring_new(unsigned capacity);
void ring_free(ring_t *ring);
/* Gives back the memory for the numbers. The ring can be filled again. */
void ring_clear(ring_t *ring);
/* 0, or -1 if the ring is full. */
int ring_push(ring_t *ring, int value);
/* Takes the oldest number out of a ring that is not empty. */
int ring_pop(ring_t *ring);
/* Number `i` of the ring: 0, or -1 if there is none. */
int ring_at(const ring_t *ring, unsigned i, int *value);
/* The number that was pushed last; 0 of an empty ring. */
int ring_last(const ring_t *ring);
/* The average of the numbers; 0 of an empty ring. */
int ring_average(const ring_t *ring);

#endif
