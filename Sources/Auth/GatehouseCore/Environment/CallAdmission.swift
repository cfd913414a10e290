import GatehouseBase
import GatehouseQueues

/// Decides whether a public call may begin.
@WorkQueue
final class CallAdmission {
  /// The error of every call, if there is no configuration.
  private let refusal: AuthError?
  /// Whether `close()` was called: no new call begins.
  private(set) var isClosing = false

  nonisolated init(refusal: AuthError?) { self.refusal = refusal }

  /// Whether calls may begin.
  var isOpen: Bool { !isClosing && refusal == nil }

  /// Throws unless calls may begin.
  func checkOpen() throws(AuthError) {
    try checkConfigured()
    if isClosing { throw .closed }
  }

  /// Throws if there is no configuration. For the calls that a closed `Auth` answers too.
  func checkConfigured() throws(AuthError) {
    if let refusal { throw refusal }
  }

  func close() { isClosing = true }
}

extension AuthError {
  static var closed: AuthError { AuthError(.closed, "this Auth was closed; make a new one") }
}
