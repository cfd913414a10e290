public import GatehouseBase
import GatehouseQueues

/// The random numbers of one schedule: the same sequence in every schedule. Usable from any thread; threads share the
/// sequence.
public final class ScheduleRandomSource: RandomSource {
  private let state = Lock(SplitMix(1))

  init() {}

  /// Returns the next 64 bits.
  public func next() -> UInt64 { state.withLock { $0.next() } }
}
