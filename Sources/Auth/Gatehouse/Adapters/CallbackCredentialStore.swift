/// A store in callback style: `adapted` makes a `CredentialStore` of it, with the same contract.
///
/// It may call its completion on any thread, at once or later. The first call counts; others are ignored.
public protocol CallbackCredentialStore: Sendable {
  /// Reads the stored session; `nil` only when it is certain that there is none.
  func load(completion: @escaping @Sendable (Result<StoredSession?, AuthError>) -> Void)

  /// Stores a session, or with `nil` erases it, in one atomic step, if the condition holds of what is stored now.
  func write(
    _ session: StoredSession?, if condition: StoreCondition,
    completion: @escaping @Sendable (Result<StoreOutcome, AuthError>) -> Void)
}

extension CallbackCredentialStore {
  /// This store, for `Auth.Configuration`.
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
