import GatehouseBase
public import GatehouseJOSE
import GatehouseQueues

// The life of a provider's folder, and its keys.
extension LocalBackend {
  /// Opens the folder now, to get its errors early.
  ///
  /// - Throws: The reason why the folder cannot be used; `.closed` after `close()`.
  public func open() async throws {
    try await onWorkQueue { [access] () throws(AuthError) in try await access.use { _ in } }
  }

  /// Opens the folder now, to get its errors early.
  public func open(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [access] () throws(AuthError) in try await access.use { _ in } }
  }

  /// Refuses a provider that cannot be written to now, with the reason: the disk is full or read-only, or the folder is
  /// gone. Tries a write at most once a second, and returns the last outcome in between.
  package func requireWritable() async throws(AuthError) {
    try await withProvider(.untraced) { provider throws(AuthError) in try provider.requireWritable() }
  }

  /// Closes the folder: waits for earlier calls, delivers the messages that wait for their time, and then closes the
  /// database.
  ///
  /// Every later call throws `.closed`. When this has returned, and no other backend or process has the folder open,
  /// all accounts are in `accounts.sqlite` itself, so a plain copy of the folder is complete. Nothing is lost without
  /// it. Closing twice is not an error.
  /// - Throws: `.providerUnavailable` if SQLite could not clean up, for example on a full disk. The folder is then in
  ///   the state of one that was not closed.
  public func close() async throws {
    try await onWorkQueue { [deliveries, access] () throws(AuthError) in
      deliveries.close()
      try await access.close()
    }
  }

  /// Closes the folder.
  public func close(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [deliveries, access] () throws(AuthError) in
      deliveries.close()
      try await access.close()
    }
  }

  /// Returns the public keys that verify the provider's ID tokens.
  ///
  /// - Throws: The reason why the folder cannot be used; `.closed` after `close()`.
  public func keySet() async throws -> JWKSet { try await keySet(for: Caller()) }

  /// Returns the public keys to a caller, in its turn.
  package func keySet(for caller: Caller) async throws(AuthError) -> JWKSet {
    try await withProvider(.untraced, for: caller) { provider throws(AuthError) in
      try provider.sessions.keys.published()
    }
  }

  /// Returns the public keys that verify the provider's ID tokens.
  public func keySet(@_inheritActorContext completion: @escaping Completion<JWKSet>) {
    withProvider(.untraced, completion: completion) { provider throws(AuthError) in
      try provider.sessions.keys.published()
    }
  }
}
