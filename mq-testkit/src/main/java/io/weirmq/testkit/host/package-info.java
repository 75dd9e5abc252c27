/** What tests need of the machine that they run on, and may not get. */
@NullMarked
package io.weirmq.testkit.host;

import org.jspecify.annotations.NullMarked;
