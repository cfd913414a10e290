public import Foundation

/// A store in callback style; `adapted` turns it into a `CredentialStore` with the same contract.
///
/// The store may call the completion on any thread, at once or later. The first call counts; others are ignored.
public protocol CallbackCredentialStore: Sendable {
  /// Reads the stored session. The result is `nil` only if there is certainly none.
  func load(completion: @escaping @Sendable (Result<StoredSession?, AuthError>) -> Void)

  /// Stores a session, or erases it if `session` is `nil`, in one atomic step, if the stored session meets the
  /// condition.
  func write(
    _ session: StoredSession?, if condition: StoreCondition,
    completion: @escaping @Sendable (Result<StoreOutcome, AuthError>) -> Void)
}

extension CallbackCredentialStore {
  /// This store as a `CredentialStore`, for `Auth.Configuration`.
  public var adapted: some CredentialStore { AdaptedStore(base: self) }
}

private struct AdaptedStore<Base: CallbackCredentialStore>: CredentialStore {
  let base: Base

  func load() async throws(AuthError) -> StoredSession? {
    try await FirstAnswer.of { base.load(completion: $0) }
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await FirstAnswer.of { base.write(session, if: condition, completion: $0) }
  }
}
