/// The size limits of the audit log.
///
/// The log is `audit/audit.jsonl` in the provider's folder, with one JSON object per line; `Docs/provider.md` lists the
/// events. Refused sign-ins are in `audit/refused.jsonl`. The limits apply to each of the two separately, so that
/// refusals never remove an event of a change.
public struct AuditOptions: Sendable, Hashable {
  /// The maximum size of a file, in bytes, at least 4096. 10 MiB by default. When it is reached, the next event begins
  /// a new file.
  public var maximumBytes: Int
  /// The number of full files to keep, at least one. Four by default. The oldest file is removed.
  public var keptFiles: Int

  /// Makes options with the given values and defaults.
  public init(maximumBytes: Int = 10 << 20, keptFiles: Int = 4) {
    self.maximumBytes = maximumBytes
    self.keptFiles = keptFiles
  }
}
