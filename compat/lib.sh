# Common part of the compatibility scripts; sourced, never run.
#
# A script that sources this file can start, stop, restart and kill brokers, and report cases.
# The same script runs against WeirMQ (BROKER=weirmq, the default) and against a real Apache Kafka
# 4.3.1 (BROKER=kafka), so that a script can be proved right before it is held against ours.
#
# Environment:
#   BROKER            weirmq | kafka                    which broker broker_start starts
#   BROKER_JAVA_HOME  a JDK                             runs the broker (default: JAVA_HOME or PATH)
#   BROKER_JAVA_OPTS  JVM options of the broker
#   WORK              folder of this run                broker data, logs, results; made if unset
#   RESULTS           file                              one tab separated line per case
#   PYTHON            python3 that has Debian's packages (default /usr/bin/python3)

set -u -o pipefail

COMPAT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$COMPAT")
TARGET=$COMPAT/target
BROKER=${BROKER:-weirmq}
PYTHON=${PYTHON:-/usr/bin/python3}
JAVA=${JAVA_HOME:+$JAVA_HOME/bin/}java
WORDS=${WORDS:-/usr/share/dict/american-english-huge}
KAFKA_VERSION=4.3.1
# Small JVMs start faster with the first compiler only; the clients here are short-lived.
CLIENT_JVM_FLAGS=${CLIENT_JVM_FLAGS:--Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto}

if [ -z "${WORK:-}" ]; then
  mkdir -p "$TARGET/run"
  WORK=$(mktemp -d "$TARGET/run/XXXXXX")
  WORK_IS_OURS=1
fi
RESULTS=${RESULTS:-$WORK/results.tsv}
export WORK RESULTS BROKER PYTHON

say() { printf '%s\n' "$*" >&2; }

die() {
  say "compat: $*"
  exit 2
}

# ---------------------------------------------------------------------------------------- set-up

# Resolves the class paths and compiles the two Java programs, once.
compat_setup() {
  "$COMPAT/setup" || die "setup failed: run compat/setup by hand to see why"
}

classpath() { # classpath NAME -> class path that Maven resolved for compat/classpaths/NAME
  cat "$TARGET/$1.cp" 2>/dev/null || die "no class path '$1' in $TARGET: run compat/setup"
}

# ------------------------------------------------------------------------------------ brokers

free_port() {
  "$PYTHON" - <<'PY'
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])
PY
}

# broker_start NAME [key=value ...]
# A new broker with an empty data folder. Its state lies in $WORK/NAME: port, pid, data/, log.
broker_start() {
  local name=$1 dir=$WORK/$1
  shift
  mkdir -p "$dir/data"
  free_port > "$dir/port"
  free_port > "$dir/controller-port"
  printf '%s\n' "$@" > "$dir/settings"
  : > "$dir/log"
  [ "$BROKER" = kafka ] && kafka_format "$name"
  broker_launch "$name"
}

# Settings that every broker of these runs gets, before those of the caller.
broker_common_settings() {
  cat <<'S'
offsets.topic.num.partitions=5
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=200
auto.create.topics.enable=true
num.partitions=1
S
}

kafka_properties() { # kafka_properties NAME: prints the properties file of a KRaft node
  local dir=$WORK/$1 port controller
  port=$(cat "$dir/port") controller=$(cat "$dir/controller-port")
  cat <<S
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:$controller
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$dir/data
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
S
  broker_common_settings
  cat "$dir/settings"
}

kafka_format() {
  local dir=$WORK/$1
  kafka_properties "$1" > "$dir/server.properties"
  "$JAVA" $CLIENT_JVM_FLAGS -cp "$(classpath kafka-server-$KAFKA_VERSION)" kafka.tools.StorageTool \
    format --cluster-id "$(cluster_id)" -c "$dir/server.properties" >> "$dir/log" 2>&1 \
    || die "cannot format the data folder of Kafka, see $dir/log"
}

cluster_id() { # 16 random bytes as 22 characters
  "$PYTHON" -c 'import base64,uuid;print(base64.urlsafe_b64encode(uuid.uuid4().bytes).decode()[:22])'
}

# broker_launch NAME: starts the process on what is there, and waits until it answers Metadata.
broker_launch() {
  local name=$1 dir=$WORK/$1 port started
  port=$(cat "$dir/port")
  started=$(date +%s%N)
  if [ "$BROKER" = kafka ]; then
    local java=${BROKER_JAVA_HOME:+$BROKER_JAVA_HOME/bin/}
    "${java:-${JAVA%java}}java" ${BROKER_JAVA_OPTS:--Xmx1G -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35} \
      -cp "$(classpath kafka-server-$KAFKA_VERSION)" kafka.Kafka "$dir/server.properties" \
      >> "$dir/log" 2>&1 < /dev/null &
  else
    local args=() line
    while IFS= read -r line; do
      [ -n "$line" ] && args+=(--set "$line")
    done < <(broker_common_settings; cat "$dir/settings")
    (
      [ -n "${BROKER_JAVA_HOME:-}" ] && export JAVA_HOME=$BROKER_JAVA_HOME PATH=$BROKER_JAVA_HOME/bin:$PATH
      [ -n "${BROKER_JAVA_OPTS:-}" ] && export MQ_JVM_OPTS=$BROKER_JAVA_OPTS
      exec "$ROOT/mq" server --set "listeners=PLAINTEXT://127.0.0.1:$port" \
        --set node.id=1 --set "log.dirs=$dir/data" "${args[@]}"
    ) >> "$dir/log" 2>&1 < /dev/null &
  fi
  disown $!
  echo $! > "$dir/pid"
  if ! "$PYTHON" "$COMPAT/probe.py" 127.0.0.1 "$port" "${BROKER_START_TIMEOUT:-180}" "$!"; then
    say "compat: broker '$name' on port $port did not come up; the end of its log:"
    tail -n 30 "$dir/log" >&2
    return 1
  fi
  java_below "$!" > "$dir/pid"
  echo $((($(date +%s%N) - started) / 1000000)) > "$dir/start-ms"
}

# The JVM itself when a wrapper has started it, so that signals and /proc figures are the broker's.
java_below() {
  local pid=$1 child
  while [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != java ]; do
    child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null | awk '{print $1}')
    [ -n "$child" ] || break
    pid=$child
  done
  echo "$pid"
}

broker_pid() { cat "$WORK/$1/pid"; }
broker_address() { echo "127.0.0.1:$(cat "$WORK/$1/port")"; }
broker_data() { echo "$WORK/$1/data"; }
broker_start_ms() { cat "$WORK/$1/start-ms"; }
broker_rss_mib() { awk '/^VmRSS/ {print int($2 / 1024)}' "/proc/$(broker_pid "$1")/status"; }
broker_cpu_ticks() { awk '{print $14 + $15}' "/proc/$(broker_pid "$1")/stat"; }

await_end() { # await_end PID SECONDS
  local i
  for ((i = 0; i < $2 * 20; i++)); do
    kill -0 "$1" 2>/dev/null || return 0
    # A child that has ended stays visible until it is waited for.
    [ "$(awk '{print $3}' "/proc/$1/stat" 2>/dev/null)" = Z ] && return 0
    sleep 0.05
  done
  return 1
}

# Orderly stop (SIGTERM). Fails when the broker needs more than 60 seconds.
broker_stop() {
  local pid
  pid=$(broker_pid "$1")
  kill -TERM "$pid" 2>/dev/null
  if ! await_end "$pid" 60; then
    say "compat: broker '$1' (pid $pid) is still there 60 s after SIGTERM; killed"
    kill -KILL "$pid"
    return 1
  fi
  rm -f "$WORK/$1/pid"
}

broker_kill() { # kill -9
  local pid
  pid=$(broker_pid "$1")
  kill -KILL "$pid" && await_end "$pid" 10
  rm -f "$WORK/$1/pid"
}

broker_restart() { broker_stop "$1" && broker_launch "$1"; }

# ----------------------------------------------------------------------------------- clean-up

compat_cleanup() {
  local status=$? file
  trap - EXIT INT TERM
  if [ -n "${WORK_IS_OURS:-}" ]; then
    for file in "$WORK"/*/pid; do
      [ -e "$file" ] || continue
      kill -TERM "$(cat "$file")" 2>/dev/null
      await_end "$(cat "$file")" 20 || kill -KILL "$(cat "$file")" 2>/dev/null
    done
    if [ "$status" -eq 0 ] && [ -z "${KEEP:-}" ]; then
      rm -rf "$WORK"
    else
      say "compat: data and logs of this run: $WORK"
    fi
  fi
  exit "$status"
}
trap compat_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---------------------------------------------------------------------------------- reporting

# report CLIENT CASE ok|FAIL|skip SECONDS [DETAIL]
report() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "${5:-}" >> "$RESULTS"
  printf '%-24s %-44s %-5s %7s s  %s\n' "$1" "$2" "$3" "$4" "${5:-}"
}

# check CLIENT CASE COMMAND...: runs a command or function; its status decides. What it prints goes
# to a log that is shown when it fails; a last line "detail: TEXT" becomes the detail of the report.
# A command that cannot run here returns 77, its last line says why.
check() {
  local client=$1 case=$2 log began status seconds detail
  shift 2
  mkdir -p "$WORK/cases"
  log=$WORK/cases/$(printf '%s-%s' "$client" "$case" | tr -c 'A-Za-z0-9.\n' '-').log
  began=$(date +%s%N)
  ("$@") > "$log" 2>&1 < /dev/null
  status=$?
  seconds=$(awk -v ns=$(($(date +%s%N) - began)) 'BEGIN {printf "%.1f", ns / 1e9}')
  detail=$(sed -n 's/^detail: //p' "$log" | tail -n 1)
  case $status in
    0) report "$client" "$case" ok "$seconds" "$detail" ;;
    77) report "$client" "$case" skip "$seconds" "$(tail -n 1 "$log" | sed 's/^detail: //')" ;;
    *)
      report "$client" "$case" FAIL "$seconds" "${detail:-exit $status, see below}"
      say "----- $client: $case failed with status $status; the end of its output:"
      tail -n 25 "$log" | sed 's/^/    /' >&2
      say "-----"
      ;;
  esac
}

# collect COMMAND...: runs a program that reports cases itself, one line each:
# CASE<tab>client<tab>case<tab>ok|FAIL|skip<tab>seconds<tab>detail. Its death is a failed case.
collect() {
  local label=$1 began log status
  shift
  mkdir -p "$WORK/cases"
  log=$WORK/cases/$(printf '%s' "$label" | tr -c 'A-Za-z0-9.\n' '-').log
  began=$(date +%s)
  timeout "${COLLECT_TIMEOUT:-240}" bash -c '"$@"' _ "$@" 2> "$log" < /dev/null | tee -a "$log" \
    | while IFS=$'\t' read -r mark client case result seconds detail; do
        [ "$mark" = CASE ] && report "$client" "$case" "$result" "$seconds" "$detail"
      done
  status=${PIPESTATUS[0]}
  if [ "$status" -ne 0 ]; then
    report "$label" "whole program" FAIL "$(($(date +%s) - began))" "exit $status"
  fi
  if [ "$status" -ne 0 ] || grep -q $'^CASE\t[^\t]*\t[^\t]*\tFAIL' "$log"; then
    say "----- $label: the end of its output:"
    tail -n 60 "$log" | sed 's/^/    /' >&2
    say "-----"
  fi
}

expect_equal() { # expect_equal WHAT EXPECTED FOUND
  if [ "$2" != "$3" ]; then
    say "$1: expected '$2', found '$3'"
    return 1
  fi
}

expect_contains() { # expect_contains WHAT PATTERN TEXT
  if ! grep -q -E -- "$2" <<< "$3"; then
    say "$1: expected a line with '$2', found:"
    say "$3"
    return 1
  fi
}

skip() { # for commands under check
  echo "detail: $*"
  exit 77
}

# ------------------------------------------------------------------------------------- clients

java_client() { # java_client VERSION ARGS...: the Java test client on kafka-clients VERSION
  local version=$1
  shift
  timeout 240 "$JAVA" $CLIENT_JVM_FLAGS -cp "$COMPAT/clients/target/classes:$(classpath "kafka-clients-$version")" \
    io.weirmq.compat.clients.Main "$@"
}

kafka_tool() { # kafka_tool CLASS ARGS...: a class of Kafka's command line tools
  local class=$1
  shift
  timeout 120 "$JAVA" $CLIENT_JVM_FLAGS -cp "$COMPAT/quiet-log:$(classpath kafka-tools-$KAFKA_VERSION)" "$class" "$@"
}

mq() { "$ROOT/mq" "$@"; }

# For commands that "timeout" runs in a shell of their own.
export COMPAT ROOT TARGET JAVA CLIENT_JVM_FLAGS KAFKA_VERSION WORDS
export -f say die classpath java_client kafka_tool mq
