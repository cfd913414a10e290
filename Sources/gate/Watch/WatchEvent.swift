import GatehouseBase
import GatehouseSystem

/// What can happen during a watch.
enum WatchEvent: Sendable {
  /// A second has passed: the home and the file are checked.
  case look
  /// A fresh token of the session that a round follows.
  case token(String, round: Int)
  /// A token was written to standard output, or could not be written.
  case written(Result<Void, AuthError>)
  /// The session of a round has ended.
  case sessionEnded(round: Int)
  /// SIGTERM, SIGINT or SIGHUP.
  case stop
  /// No program reads standard output any more.
  case readerGone
}
