/// The figures of a queue so far: a value, taken at one moment.
public struct QueueDiagnostics: Sendable {
  /// The queue's label.
  public let label: String
  /// How many blocks have run.
  public let blocks: UInt64
  /// Processor time of the thread while a block ran: of every 128th block, in strict mode of every one.
  public let processorTime: Distribution
  /// Time from a block's begin to its end, by a clock that is never set.
  public let wallTime: Distribution
  /// Time from the moment a block was queued to its begin.
  public let waitTime: Distribution
  /// The block that runs now, and for how long it has.
  public let running: Block?
  /// The block that used the most processor time.
  public let slowestBlock: Block?
  /// Synchronous calls that were made on the queue itself and answered in place. Each call site is a bug to mend.
  public let callsInPlace: UInt64
  /// How often slow work (a private-key operation, a password hash, a file or socket call) began on a queue that
  /// must stay quick. Must be 0.
  public let slowWork: UInt64

  /// How long things took: each figure is exact to an eighth.
  public struct Distribution: Sendable {
    /// Half of them took no longer.
    public let median: Duration
    /// 99 of 100 took no longer.
    public let p99: Duration
    /// 999 of 1,000 took no longer.
    public let p999: Duration
    /// The longest.
    public let maximum: Duration

    package init(median: Duration, p99: Duration, p999: Duration, maximum: Duration) {
      self.median = median
      self.p99 = p99
      self.p999 = p999
      self.maximum = maximum
    }
  }

  /// One block.
  public struct Block: Sendable {
    /// The function that queued it; `job` for a step of an asynchronous function.
    public let name: String
    /// How long it has run, or ran.
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
