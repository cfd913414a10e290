import GatehouseQueues

/// An administrator's work in progress. It leaves an event in the audit log, or else it is counted there.
///
///     the work                                 leaves
///     records an event, and then succeeds      the event, synced before the change or the answer
///     records an event, and then fails         the event: the change was not made
///     records none, and succeeds               a count: a single read, or a change of nothing
///     records none, and fails                  a count, and a count of refusals
final class AuditTrace: Sendable {
  let credential: AdministratorCredential
  let call: CallName
  private let isRecorded = Lock(false)

  init(_ call: CallName, by credential: AdministratorCredential) {
    self.call = call
    self.credential = credential
  }

  /// Whether an event of the work is on the disk.
  var hasEvent: Bool { isRecorded.withLock { $0 } }

  func recorded() { isRecorded.withLock { $0 = true } }

  /// The work that this thread carries out.
  @TaskLocal static var current: AuditTrace?
}

/// The trace that work with the provider leaves in the audit log.
enum TraceKind: Sendable {
  /// An administrator's work: an event, or else a count under this name. The credential is `nil` for that of the
  /// program that holds the provider.
  case administrator(String, AdministratorCredential? = nil)
  /// None: no administrator's work, or work that has its trace elsewhere.
  case untraced
}
