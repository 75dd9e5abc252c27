/**
 * Publisher and subscriber of a broker's topics for processes on the broker's host. Needs no
 * kafka-clients.
 */
@NullMarked
package io.weirmq.client.ipc;

import org.jspecify.annotations.NullMarked;
