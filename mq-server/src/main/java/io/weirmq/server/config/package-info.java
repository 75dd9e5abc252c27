/**
 * What can be configured, from which sources, and what the components of the broker get of it.
 *
 * <pre>
 *   tables of keys            sources                      settings
 *   BrokerKeys, TopicKeys --&gt; ConfigSources --&gt; ConfigValues --&gt; BrokerConfig(NetworkSettings, ...)
 *        |                    (file, environment, --set)             |
 *        +--&gt; docs/configuration.md, DescribeConfigs                TopicConfigs --&gt; LogConfig per topic
 * </pre>
 *
 * <p>Start with {@link io.weirmq.server.config.ConfigKey}, a row of the tables. {@link
 * io.weirmq.server.config.BrokerConfig} bundles one settings record per component, so that no
 * component sees more than it needs. {@link io.weirmq.server.config.TopicConfigs} works out what
 * holds for a topic: what was set for it, over what was set for the broker while it ran, over what
 * it was started with, over the defaults.
 *
 * <p>Keys and their meanings are Kafka's wherever the thing is the same; own keys begin with {@code
 * weirmq.}. An unknown or malformed key stops the start.
 *
 * <p>Threads: everything here is immutable, but for the source collection, which is confined to the
 * thread that starts the broker.
 */
@NullMarked
package io.weirmq.server.config;

import org.jspecify.annotations.NullMarked;
