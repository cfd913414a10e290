public import Foundation
public import GatehouseBase
import GatehouseQueues

// Each call begins on the work queue, in call order, and calls its completion exactly once: on the actor that the
// closure is isolated to, or else on the callback queue.
extension RemoteKeySet {
  /// `keys()` with a completion.
  public func keys(
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<JWKSet, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in try await typed { try await keys() } }
  }

  /// `key(named:)` with a completion.
  public func key(
    named keyID: String,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<JWK, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await key(named: keyID) }
    }
  }

  /// `key(named:for:)` with a completion.
  public func key(
    named keyID: String, for algorithm: JWSAlgorithm,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<JWK, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await key(named: keyID, for: algorithm) }
    }
  }

  /// `refresh()` with a completion.
  public func refresh(
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Void, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in try await typed { try await refresh() } }
  }
}
