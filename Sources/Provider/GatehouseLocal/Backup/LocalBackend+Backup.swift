public import Dispatch
public import GatehouseBase
import GatehouseQueues

/// The content of a backup that was made.
public struct ProviderBackup: Sendable, Hashable {
  /// How many accounts it holds.
  public let accounts: Int
  /// How many signing keys it holds.
  public let keys: Int
  /// The archive's length in bytes.
  public let bytes: Int
}

/// The outcome of a restore.
public struct RestoredProvider: Sendable, Hashable {
  /// How many accounts the provider has now.
  public let accounts: Int
  /// How many signing keys the provider has now.
  public let keys: Int
  /// How many accounts have lost their address; `LocalBackend.lostAddresses()` names them.
  public let lostAddresses: Int
  /// The path of the folder that was replaced; `nil` if there was none.
  public let replaced: String?
}

extension LocalBackend {
  /// Copies the provider into one file: its database as one transaction sees it, and the keys that this names.
  ///
  /// Other backends and processes go on reading and writing meanwhile. The file has mode 0600 and holds everything that
  /// the folder does: private keys, and hashes of passwords and refresh tokens. It is complete and on the disk when
  /// this returns, and untouched when this throws. `Docs/provider.md` describes its format, which `tar` reads.
  ///
  /// - Parameters:
  ///   - file: where to write it. Its folder must exist.
  ///   - replacing: whether a file that is there is replaced, in one step; otherwise that is `.invalidArgument`.
  @discardableResult
  public func backup(to file: String, replacing: Bool = false) async throws(AuthError) -> ProviderBackup {
    try await withProvider { provider throws(AuthError) in try provider.backup(to: file, replacing: replacing) }
  }

  /// Copies the provider into one file.
  public func backup(
    to file: String, replacing: Bool = false, @_inheritActorContext completion: @escaping Completion<ProviderBackup>
  ) {
    withProvider(completion: completion) { provider throws(AuthError) in
      try provider.backup(to: file, replacing: replacing)
    }
  }

  /// Puts the provider of a backup in a folder. Every byte is checked before the folder changes.
  ///
  /// The folder changes in one step, or not at all. Accounts, passwords, disabled users and revoked tokens are again
  /// what they were at the time of the backup; users who signed in later sign in again. The new provider is on the
  /// disk when this returns.
  ///
  /// - Parameters:
  ///   - file: what `backup(to:)` made. Restore only files of your own: a backup decides which passwords and keys are
  ///     accepted.
  ///   - directory: where the provider goes.
  ///   - replacing: whether a provider that is there, damaged or not, is replaced and kept as `DIRECTORY.replaced-1`,
  ///     `-2` and so on.
  /// - Throws: `.backupInvalid` for a file that is not a whole backup; `.providerExists` if a provider is there and
  ///   must not be replaced; `.providerUnavailable` while a backend, here or in another process, has it open.
  @discardableResult
  public static func restore(
    from file: String, to directory: String, replacing: Bool = false
  ) async throws(AuthError) -> RestoredProvider {
    try await restore(from: file, to: directory, replacing: replacing, patience: patience)
  }

  /// Puts the provider of a backup in a folder.
  ///
  /// - Parameters:
  ///   - file: a backup.
  ///   - directory: the folder to make, or to replace.
  ///   - replacing: whether a provider that is there may be replaced; it is kept beside the new one.
  ///   - callbackQueue: where the completion is called, unless it is isolated to an actor.
  ///   - completion: gets what was restored.
  public static func restore(
    from file: String, to directory: String, replacing: Bool = false, callbackQueue: DispatchQueue = .main,
    @_inheritActorContext completion: @escaping Completion<RestoredProvider>
  ) {
    CallbackQueue(callbackQueue).deliver(to: completion) { () throws(AuthError) in
      try await restored(from: file, to: directory, replacing: replacing, patience: patience)
    }
  }

  /// How long to wait for a process that opens the folder, in seconds.
  private static let patience = 5.0

  /// - Parameters:
  ///   - patience: how long to wait for a process that opens the folder, in seconds.
  ///   - swapped: called as soon as the new folder has the old one's place: what is there then is what a kill leaves.
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
