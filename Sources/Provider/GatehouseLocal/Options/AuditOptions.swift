/// How large the audit log may become.
///
/// The log is `audit/audit.jsonl` in the provider's folder, a JSON object a line; `Docs/provider.md` lists the events.
public struct AuditOptions: Sendable, Hashable {
  /// How large a file may become, in bytes, at least 4096: 10 MiB unless set otherwise. The next event goes to a new
  /// file.
  public var maximumBytes: Int
  /// How many full files are kept, at least one: four unless set otherwise. The oldest one is removed.
  public var keptFiles: Int

  /// The defaults, or what differs from them.
  public init(maximumBytes: Int = 10 << 20, keptFiles: Int = 4) {
    self.maximumBytes = maximumBytes
    self.keptFiles = keptFiles
  }
}
