public import Dispatch
import GatehouseBase
import GatehouseQueues

/// The content of a backup that was made.
public struct ProviderBackup: Sendable, Hashable {
  /// The number of accounts in the backup.
  public let accounts: Int
  /// The number of signing keys in the backup.
  public let keys: Int
  /// The archive's length in bytes.
  public let bytes: Int
}

/// The outcome of a restore.
public struct RestoredProvider: Sendable, Hashable {
  /// The number of accounts that the provider now has.
  public let accounts: Int
  /// The number of signing keys that the provider now has.
  public let keys: Int
  /// The path of the folder that was replaced; `nil` if there was none.
  public let replaced: String?
}

extension LocalBackend {
  /// Copies the provider into one file: a snapshot of its database, and the keys that the database names.
  ///
  /// Other backends and processes can read and write meanwhile. The file has mode 0600 and contains everything that the
  /// folder contains: private keys, and hashes of passwords and refresh tokens. It is complete and on the disk when
  /// this returns, and untouched when this throws. `Docs/provider.md` describes its format, which `tar` reads.
  ///
  /// - Parameters:
  ///   - file: the path of the backup. Its folder must exist.
  ///   - replacing: whether an existing file is replaced, atomically; otherwise an existing file is `.invalidArgument`.
  @discardableResult
  public func backup(to file: String, replacing: Bool = false) async throws -> ProviderBackup {
    try await withProvider(.administrator("backup")) { provider throws(AuthError) in
      try BackupMaker(store: provider.store).backup(to: file, replacing: replacing)
    }
  }

  /// Copies the provider into one file.
  public func backup(
    to file: String, replacing: Bool = false, @_inheritActorContext completion: @escaping Completion<ProviderBackup>
  ) {
    withProvider(.administrator("backup"), completion: completion) { provider throws(AuthError) in
      try BackupMaker(store: provider.store).backup(to: file, replacing: replacing)
    }
  }

  /// Restores the provider of a backup to a folder. Every byte is checked before the folder changes.
  ///
  /// The folder changes atomically, or not at all. Accounts, passwords, disabled users and revoked tokens return to
  /// their state at the time of the backup; users who signed in later must sign in again. The new provider is on the
  /// disk when this returns.
  ///
  /// - Parameters:
  ///   - file: a file that `backup(to:)` made. Restore only your own files, because a backup decides which passwords
  ///     and keys are accepted.
  ///   - directory: the provider's folder.
  ///   - replacing: whether an existing provider, damaged or not, is replaced and kept as `DIRECTORY.replaced-1`, `-2`
  ///     and so on.
  /// - Throws: `.backupInvalid` for a file that is not a complete backup; `.providerExists` if there is a provider that
  ///   must not be replaced; `.providerUnavailable` while a backend, here or in another process, has it open.
  @discardableResult
  public static func restore(
    from file: String, to directory: String, replacing: Bool = false
  ) async throws -> RestoredProvider {
    try await restore(from: file, to: directory, replacing: replacing, patience: patience)
  }

  /// Restores the provider of a backup to a folder.
  ///
  /// - Parameters:
  ///   - file: a backup.
  ///   - directory: the folder to create or replace.
  ///   - replacing: whether an existing provider may be replaced; it is kept beside the new one.
  ///   - callbackQueue: the queue on which the completion is called, unless it is isolated to an actor.
  ///   - completion: called with the restored provider.
  public static func restore(
    from file: String, to directory: String, replacing: Bool = false, callbackQueue: DispatchQueue = .main,
    @_inheritActorContext completion: @escaping Completion<RestoredProvider>
  ) {
    CallbackQueue(callbackQueue).deliver(to: completion) { () throws(AuthError) in
      try await restored(from: file, to: directory, replacing: replacing, patience: patience)
    }
  }

  /// The maximum time to wait for a process that opens the folder, in seconds.
  private static let patience = 5.0

  /// - Parameters:
  ///   - patience: the maximum time to wait for a process that opens the folder, in seconds.
  ///   - swapped: called as soon as the folders are swapped, with the folder in the state that a killed process would
  ///     leave.
  package static func restore(
    from file: String, to directory: String, replacing: Bool, patience: Double,
    swapped: @escaping @Sendable () -> Void = {}
  ) async throws(AuthError) -> RestoredProvider {
    try await onWorkQueue { () throws(AuthError) in
      try await restored(from: file, to: directory, replacing: replacing, patience: patience, swapped: swapped)
    }
  }

  private static func restored(
    from file: String, to directory: String, replacing: Bool, patience: Double,
    swapped: @escaping @Sendable () -> Void = {}
  ) async throws(AuthError) -> RestoredProvider {
    try await BackgroundQueue(label: "gatehouse.local.restore", width: 1).run { () throws(AuthError) in
      let home = try HomeFolder(path: directory)
      return try Restoration(file: file, home: home, patience: patience, swapped: swapped).run(replacing: replacing)
    }
  }
}
