/// What a queue has done so far: a value, taken at one moment.
public struct QueueDiagnostics: Sendable {
  /// The queue's label.
  public let label: String
  /// How many blocks have run.
  public let blocks: UInt64
  /// Processor time of the thread while a block ran.
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
    public let median: Duration
    public let p99: Duration
    public let p999: Duration
    public let maximum: Duration

    init(_ histogram: Histogram) {
      median = .nanoseconds(histogram.quantile(0.5))
      p99 = .nanoseconds(histogram.quantile(0.99))
      p999 = .nanoseconds(histogram.quantile(0.999))
      maximum = .nanoseconds(histogram.maximum)
    }
  }

  /// One block.
  public struct Block: Sendable {
    /// The function that queued it; `job` for a step of an asynchronous function.
    public let name: String
    public let duration: Duration
  }
}
