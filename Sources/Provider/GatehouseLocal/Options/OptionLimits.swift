/// The limits of the options that a settings file and a program have alike. Durations are in seconds.
package enum OptionLimits {
  private static let day: Int64 = 86400

  package static let projectBytes = 1...128
  package static let issuerBytes = 1...1024
  package static let tokenLifetime = 1...day
  package static let keyPublication = 0...30 * day
  package static let rotationGrace: ClosedRange<Int64> = 0...600
  package static let throttleWindow = 1...day
  package static let codeLifetime = 1...366 * day
  /// The minimum number of characters of a password, for the shortest one that may be allowed.
  package static let shortestPassword = 6
  package static let auditBytes = 4096
  package static let auditFiles = 1
  package static let auditTime = day
}
