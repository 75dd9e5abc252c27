package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.handshake.HandshakeLimits;
import java.nio.file.attribute.UserPrincipal;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a transport takes from outside, so that tests can give it something else.
 *
 * @param nanoClock monotonic time in nanoseconds
 * @param random gives the names of ring files; secret, as they keep other members of a group out
 * @param self the user that the process runs as
 * @param ledger counts the mappings of this transport
 */
public record Environment(
    LongSupplier nanoClock,
    RandomGenerator random,
    UserPrincipal self,
    HandshakeLimits handshakeLimits,
    MappingLedger ledger) {}
