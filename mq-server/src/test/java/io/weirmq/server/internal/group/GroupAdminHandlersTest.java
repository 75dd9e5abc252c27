package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.bytes;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.subscription;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DeleteGroupsRequest;
import io.weirmq.protocol.message.DescribeGroupsRequest;
import io.weirmq.protocol.message.ListGroupsRequest;
import io.weirmq.server.internal.handler.DeleteGroupsHandler;
import io.weirmq.server.internal.handler.DescribeGroupsHandler;
import io.weirmq.server.internal.handler.ListGroupsHandler;
import java.util.List;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The handlers of the administrators' APIs in every version; read by Kafka's code. */
class GroupAdminHandlersTest {

  private static final short DESCRIBE = 15;
  private static final short LIST = 16;
  private static final short DELETE = 42;

  private final HandlerBed bed = new HandlerBed();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void describesInEveryVersion(int version) {
    List<String> members = bed.bed.stableGroup(1);
    DescribeGroupsRequest request =
        new DescribeGroupsRequest()
            .setGroups(List.of("nobody", "g"))
            .setIncludeAuthorizedOperations(version >= 3);
    DescribeGroupsResponseData response =
        bed.call(
            DescribeGroupsResponseData.class,
            DESCRIBE,
            new DescribeGroupsHandler(bed.bed.coordinator),
            version,
            request);

    DescribedGroup nobody = response.groups().get(0);
    assertThat(nobody.groupId()).isEqualTo("nobody");
    assertThat(nobody.groupState()).isEqualTo("Dead");
    assertThat(nobody.errorCode())
        .isEqualTo(version >= 6 ? ErrorCode.GROUP_ID_NOT_FOUND.code() : 0);
    assertThat(nobody.errorMessage()).isEqualTo(version >= 6 ? "Group nobody not found." : null);
    DescribedGroup group = response.groups().get(1);
    assertThat(group.groupState()).isEqualTo("Stable");
    assertThat(group.protocolType()).isEqualTo("consumer");
    assertThat(group.protocolData()).isEqualTo("range");
    // READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS and ALTER_CONFIGS, as Kafka 4.3 says without ACLs.
    assertThat(group.authorizedOperations()).isEqualTo(version >= 3 ? 3400 : Integer.MIN_VALUE);
    assertThat(group.members()).hasSize(1);
    assertThat(group.members().get(0).memberId()).isEqualTo(members.get(0));
    assertThat(group.members().get(0).memberMetadata()).isEqualTo(subscription("orders").array());
    assertThat(group.members().get(0).memberAssignment()).isEqualTo(bytes("a0").array());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void listsInEveryVersion(int version) {
    bed.bed.stableGroup(1);
    ListGroupsHandler handler = new ListGroupsHandler(bed.bed.coordinator);
    ListGroupsResponseData response =
        bed.call(ListGroupsResponseData.class, LIST, handler, version, new ListGroupsRequest());
    assertThat(response.groups())
        .extracting("groupId", "protocolType", "groupState", "groupType")
        .containsExactly(
            tuple("g", "consumer", version >= 4 ? "Stable" : "", version >= 5 ? "classic" : ""));
    if (version >= 4) {
      ListGroupsRequest empty = new ListGroupsRequest().setStatesFilter(List.of("Empty"));
      assertThat(bed.call(ListGroupsResponseData.class, LIST, handler, version, empty).groups())
          .isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void deletesInEveryVersion(int version) {
    List<String> members = bed.bed.stableGroup(1);
    DeleteGroupsHandler handler = new DeleteGroupsHandler(bed.bed.coordinator);
    DeleteGroupsRequest request = new DeleteGroupsRequest().setGroupsNames(List.of("nobody", "g"));
    DeleteGroupsResponseData response =
        bed.call(DeleteGroupsResponseData.class, DELETE, handler, version, request);
    assertThat(response.results().find("nobody").errorCode())
        .isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND.code());
    assertThat(response.results().find("g").errorCode())
        .isEqualTo(ErrorCode.NON_EMPTY_GROUP.code());
    bed.bed.leave(dynamic(members.get(0)));
    response = bed.call(DeleteGroupsResponseData.class, DELETE, handler, version, request);
    assertThat(response.results().find("g").errorCode()).isZero();
  }
}
