#include "ring.h"
#include <assert.h>
#include <stdlib.h>

struct ring {
    int *slots;
    unsigned capacity, first, count;
};

ring_t *ring_new(unsigned capacity) {
    if (capacity < 1 || capacity > 8)
        return NULL;
    ring_t *ring = malloc(sizeof *ring);
    if (!ring)
        return NULL;
    ring->slots = calloc(capacity, sizeof *ring->slots);
    if (!ring->slots) {
        free(ring);
        return NULL;
    }
    ring->capacity = capacity;
    ring->first = ring->count = 0;
    return ring;
}

void ring_free(ring_t *ring) {
    if (!ring)
        return;
    free(ring->slots); /* PLANTED: after ring_clear */
    free(ring);
}

void ring_clear(ring_t *ring) {
    free(ring->slots); /* PLANTED: twice. CONTRACT of null */
    ring->first = ring->count = 0;
}

int ring_push(ring_t *ring, int value) {
    if (ring->count == ring->capacity)
        return -1;
    ring->slots[(ring->first + ring->count) % ring->capacity] = value; /* PLANTED: after ring_clear */
    ring->count++;
    return 0;
}

int ring_pop(ring_t *ring) {
    assert(ring->count > 0); /* CONTRACT */
    int value = ring->slots[ring->first];
    ring->first = (ring->first + 1) % ring->capacity;
    ring->count--;
    return value;
}

int ring_at(const ring_t *ring, unsigned i, int *value) {
    if (i > ring->capacity)
        return -1;
    int found = ring->slots[i]; /* PLANTED */
    *value = found;             /* CONTRACT: null */
    return 0;
}

int ring_last(const ring_t *ring) {
    return ring->slots[ring->first + ring->count - 1]; /* PLANTED: of an empty ring */
}

int ring_average(const ring_t *ring) {
    int sum = 0;
    for (unsigned i = 0; i < ring->count; i++)
        sum += ring->slots[(ring->first + i) % ring->capacity] & 0xff;
    return sum / (int)ring->count; /* PLANTED: of an empty ring */
}
