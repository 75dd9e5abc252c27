package io.weirmq.server.internal.request;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which APIs are served, in which versions, and by whom. Immutable.
 *
 * <p>The one registration table: requests are dispatched by it, and what ApiVersions advertises is
 * derived from it, so that nothing is advertised that is not served.
 */
public final class ApiTable {

  private final @Nullable Entry<?, ?>[] entries;
  private final List<AdvertisedApi> advertised;

  private ApiTable(@Nullable Entry<?, ?>[] entries, List<AdvertisedApi> advertised) {
    this.entries = entries;
    this.advertised = List.copyOf(advertised);
  }

  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the entry of an API, or null where it is not served. */
  @Nullable Entry<?, ?> entry(short apiKey) {
    return apiKey >= 0 && apiKey < entries.length ? entries[apiKey] : null;
  }

  /**
   * What is advertised, by API key; what {@linkplain ApiKey#isOwn() Kafka does not know} to clients
   * {@linkplain ClientConnection#isOfOwnUser() of the broker's own user} only.
   */
  public List<AdvertisedApi> advertised() {
    return advertised;
  }

  /**
   * A row of the ApiVersions response. Immutable.
   *
   * @param key the API
   * @param minVersion lowest advertised version
   * @param maxVersion highest advertised version
   */
  public record AdvertisedApi(ApiKey key, short minVersion, short maxVersion) {}

  /** Decodes the body of a request. */
  @FunctionalInterface
  public interface Decoder<Q> {

    /** Reads the body of a request of a version. */
    Q decode(ProtocolReader reader, short version) throws ProtocolException;
  }

  /**
   * A served API. Immutable.
   *
   * @param key the API
   * @param minVersion lowest served version
   * @param maxVersion highest served version
   * @param decoder decodes the requests
   * @param handler answers them
   */
  record Entry<Q extends ApiMessage, P extends ApiMessage>(
      ApiKey key,
      short minVersion,
      short maxVersion,
      Decoder<Q> decoder,
      ApiHandler<Q, P> handler) {

    /** Whether it is there for a client; of our own APIs strangers see nothing. */
    boolean isFor(ClientConnection client) {
      return !key.isOwn() || client.isOfOwnUser();
    }

    boolean serves(short version) {
      return version >= minVersion && version <= maxVersion;
    }
  }

  /** Collects the rows. Confined to one thread. */
  public static final class Builder {

    private final @Nullable Entry<?, ?>[] entries;
    private final @Nullable AdvertisedApi[] advertised;

    private Builder() {
      int size = 0;
      for (ApiKey key : ApiKey.values()) {
        size = Math.max(size, key.id() + 1);
      }
      this.entries = new Entry<?, ?>[size];
      this.advertised = new AdvertisedApi[size];
    }

    /**
     * Adds an API.
     *
     * @param minVersion lowest version, within those of the protocol
     * @param maxVersion highest version, within those of the protocol
     * @throws IllegalArgumentException where a version does not exist, or the API is there already
     */
    public <Q extends ApiMessage, P extends ApiMessage> Builder serve(
        ApiKey key, int minVersion, int maxVersion, Decoder<Q> decoder, ApiHandler<Q, P> handler) {
      return serve(key, minVersion, minVersion, maxVersion, decoder, handler);
    }

    /**
     * Adds an API that is advertised with a lower version than the ones that are served, for
     * clients that look at the lower end only.
     *
     * @param advertisedMinVersion lowest advertised version
     */
    public <Q extends ApiMessage, P extends ApiMessage> Builder serve(
        ApiKey key,
        int advertisedMinVersion,
        int minVersion,
        int maxVersion,
        Decoder<Q> decoder,
        ApiHandler<Q, P> handler) {
      if (minVersion > maxVersion || !key.hasVersion(minVersion) || !key.hasVersion(maxVersion)) {
        throw new IllegalArgumentException(
            "%s has versions %d to %d, not %d to %d"
                .formatted(
                    key.apiName(),
                    key.lowestVersion(),
                    key.highestVersion(),
                    minVersion,
                    maxVersion));
      }
      if (entries[key.id()] != null) {
        throw new IllegalArgumentException(key.apiName() + " is served already");
      }
      entries[key.id()] =
          new Entry<>(key, (short) minVersion, (short) maxVersion, decoder, handler);
      advertised[key.id()] =
          new AdvertisedApi(key, (short) advertisedMinVersion, (short) maxVersion);
      return this;
    }

    /**
     * Adds the API that tells clients about all others, and itself, and finishes.
     *
     * @param handlerOfTable makes the handler of {@link ApiKey#API_VERSIONS} from all rows
     */
    public <Q extends ApiMessage, P extends ApiMessage> ApiTable build(
        int minVersion,
        int maxVersion,
        Decoder<Q> decoder,
        Function<List<AdvertisedApi>, ApiHandler<Q, P>> handlerOfTable) {
      ApiKey key = ApiKey.API_VERSIONS;
      advertised[key.id()] = new AdvertisedApi(key, (short) minVersion, (short) maxVersion);
      List<AdvertisedApi> rows = rows();
      serve(key, minVersion, maxVersion, decoder, handlerOfTable.apply(rows));
      return new ApiTable(entries.clone(), rows);
    }

    private List<AdvertisedApi> rows() {
      List<AdvertisedApi> rows = new ArrayList<>();
      for (AdvertisedApi row : advertised) {
        if (row != null) {
          rows.add(row);
        }
      }
      return rows;
    }
  }
}
