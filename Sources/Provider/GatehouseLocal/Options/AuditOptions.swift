/// The limits of the audit log.
///
/// The log has five series of files in the folder `audit` of the provider's folder, with one JSON object per line;
/// `Docs/provider.md` lists the events:
///
/// - `audit.jsonl` for sign-ups and sign-ins, and `refused.jsonl` for refused sign-ins. Anyone can cause any number of
///   these, and a number of full files is kept.
/// - `security.jsonl` for users' changes of what protects their accounts, and `administration.jsonl` for changes by
///   administrators and of keys, and for what administrators were given. Full files are kept for a time.
/// - `reads.jsonl` for the numbers of administrators' other calls in each minute. A number of full files is kept.
public struct AuditOptions: Sendable, Hashable {
  /// The maximum size of a file, in bytes, at least 4096. 10 MiB by default. When it is reached, the next event begins
  /// a new file.
  public var maximumBytes: Int
  /// The number of full files of sign-ins, of refused sign-ins and of reads to keep, at least one. Four by default. The
  /// oldest file is removed.
  public var keptFiles: Int
  /// The time for which full files of security and administration are kept, from one day; 365 days by default. Of the
  /// security files, 25 times `keptFiles` are kept at most, so that users cannot fill the disk.
  public var keptTime: Duration

  /// The multiple of `keptFiles` that is the maximum number of full files of security.
  static let securityFactor = 25

  /// Makes options with the given values and defaults.
  public init(maximumBytes: Int = 10 << 20, keptFiles: Int = 4, keptTime: Duration = .seconds(365 * 86400)) {
    self.maximumBytes = maximumBytes
    self.keptFiles = keptFiles
    self.keptTime = keptTime
  }
}
