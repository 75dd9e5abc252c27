package io.weirmq.client.ipc;

/**
 * What tells a producer's batches apart from those of others, and their repetitions from new ones.
 * Immutable.
 *
 * @param id given by the broker
 * @param epoch of that id
 */
record ProducerIdentity(long id, short epoch) {}
