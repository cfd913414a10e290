/// A snapshot of a queue's statistics.
public struct QueueDiagnostics: Sendable {
  /// The queue's label.
  public let label: String
  /// The number of blocks that have run.
  public let blocks: UInt64
  /// The thread's processor time for a block, measured for every 128th block; for every block in strict mode or while
  /// the wait monitor is on.
  public let processorTime: Distribution
  /// The time from a block's start to its end, by a monotonic clock.
  public let wallTime: Distribution
  /// The time between the enqueuing of a block and its start.
  public let waitTime: Distribution
  /// The block that is running now, with its duration so far.
  public let running: Block?
  /// The block that used the most processor time.
  public let slowestBlock: Block?
  /// The number of synchronous calls that were made from the queue itself and executed in place. Each call site is a
  /// bug to fix.
  public let callsInPlace: UInt64
  /// The number of times that slow work (a private-key operation, a password hash, a file or socket call) began on a
  /// queue that must stay quick. Must be 0.
  public let slowWork: UInt64

  /// A distribution of durations. Each figure is exact to an eighth.
  public struct Distribution: Sendable {
    /// The median: half of the durations are not longer.
    public let median: Duration
    /// The 99th percentile.
    public let p99: Duration
    /// The 99.9th percentile.
    public let p999: Duration
    /// The longest duration.
    public let maximum: Duration

    package init(median: Duration, p99: Duration, p999: Duration, maximum: Duration) {
      self.median = median
      self.p99 = p99
      self.p999 = p999
      self.maximum = maximum
    }
  }

  /// A block that ran on the queue.
  public struct Block: Sendable {
    /// The function that enqueued the block; `job` for a step of an asynchronous function.
    public let name: String
    /// The block's duration, or its duration so far.
    public let duration: Duration

    package init(name: String, duration: Duration) {
      self.name = name
      self.duration = duration
    }
  }

  package init(
    label: String, blocks: UInt64, processorTime: Distribution, wallTime: Distribution, waitTime: Distribution,
    running: Block?, slowestBlock: Block?, callsInPlace: UInt64, slowWork: UInt64
  ) {
    self.label = label
    self.blocks = blocks
    self.processorTime = processorTime
    self.wallTime = wallTime
    self.waitTime = waitTime
    self.running = running
    self.slowestBlock = slowestBlock
    self.callsInPlace = callsInPlace
    self.slowWork = slowWork
  }
}
