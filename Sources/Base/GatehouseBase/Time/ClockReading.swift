/// A reading of both clocks at one moment.
///
/// The wall clock can be wrong and can be set; the boot clock counts seconds since the machine started, runs on in
/// suspend, is never set, and means nothing after a restart. An age is measured on both (`elapsed(since:)`), so that
/// a set clock makes nothing live longer.
public struct ClockReading: Sendable, Hashable, Codable {
  /// Seconds since 1970, by the wall clock.
  public var wall: Double
  /// Seconds since the machine started, suspend included.
  public var boot: Double
  /// The start of the machine that `boot` counts from: the same text until the machine restarts.
  public var bootID: String

  /// Makes a reading.
  public init(wall: Double, boot: Double, bootID: String) {
    self.wall = wall
    self.boot = boot
    self.bootID = bootID
  }

  /// Seconds since an earlier reading: the longer of what the two clocks say.
  ///
  /// Infinite when neither clock can tell: the machine was restarted and its wall clock shows an earlier time.
  public func elapsed(since earlier: ClockReading) -> Double {
    let byWall = wall - earlier.wall
    guard bootID == earlier.bootID else { return byWall >= 0 ? byWall : .infinity }
    return max(byWall, boot - earlier.boot)
  }

  /// Whether this moment came after another one, which may have been read in another process of this machine.
  package func isAfter(_ other: ClockReading) -> Bool {
    bootID == other.bootID ? boot > other.boot : wall > other.wall
  }

  /// Whether this moment came after another one for certain: the wall clock may have been set between two starts of the
  /// machine, and a coarse clock shows the same for two moments.
  package func isCertainlyAfter(_ other: ClockReading) -> Bool { bootID == other.bootID && boot > other.boot }

  /// The reading some seconds later, on both clocks.
  public func advanced(by seconds: Double) -> ClockReading {
    ClockReading(wall: wall + seconds, boot: boot + seconds, bootID: bootID)
  }
}
