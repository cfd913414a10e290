/// A reading of both clocks at one moment.
///
/// The wall clock can be wrong and can be set. The boot clock counts seconds since the machine started, includes
/// suspend, is never set, and is meaningless after a restart. An age is measured on both (`elapsed(since:)`), so that
/// setting a clock never extends a lifetime.
public struct ClockReading: Sendable, Hashable, Codable {
  /// Seconds since 1970, by the wall clock.
  public var wall: Double
  /// Seconds since the machine started, including suspend.
  public var boot: Double
  /// The identifier of the boot that `boot` counts from: constant until the machine restarts.
  public var bootID: String

  /// Creates a reading.
  public init(wall: Double, boot: Double, bootID: String) {
    self.wall = wall
    self.boot = boot
    self.bootID = bootID
  }

  /// Seconds since an earlier reading: the longer of the two clocks' results.
  ///
  /// Infinite when neither clock is usable: the machine was restarted and its wall clock shows an earlier time.
  public func elapsed(since earlier: ClockReading) -> Double {
    let byWall = wall - earlier.wall
    guard bootID == earlier.bootID else { return byWall >= 0 ? byWall : .infinity }
    return max(byWall, boot - earlier.boot)
  }

  /// Whether this moment is after another one, which may have been read by another process of this machine.
  package func isAfter(_ other: ClockReading) -> Bool {
    bootID == other.bootID ? boot > other.boot : wall > other.wall
  }

  /// Whether this moment is certainly after another one: the wall clock may have been set between two boots, and a
  /// coarse clock may show the same time for two moments.
  package func isCertainlyAfter(_ other: ClockReading) -> Bool { bootID == other.bootID && boot > other.boot }

  /// Returns the reading some seconds later, on both clocks.
  public func advanced(by seconds: Double) -> ClockReading {
    ClockReading(wall: wall + seconds, boot: boot + seconds, bootID: bootID)
  }
}
