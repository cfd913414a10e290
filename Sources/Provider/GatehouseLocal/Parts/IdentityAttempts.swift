import GRDB
import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The limit of refused credentials of identity providers from one network. Each of them may cost a request to the
/// provider, which would otherwise block the server, and with it all users.
///
/// The limit is that of wrong passwords (`LocalOptions.addressThrottle`), with a count of its own. The credentials that
/// are being checked count as well, so that those which are sent at once do not exceed it.
final class IdentityAttempts: ProviderPart {
  let store: ProviderStore
  /// The number of credentials of each network that are being checked.
  private let open = Lock<[String: Int64]>([:])

  init(store: ProviderStore) { self.store = store }

  /// Begins the check of a credential. Call `end` after it.
  ///
  /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER` above the limit.
  func begin(from caller: Caller) throws(AuthError) {
    let networks = caller.limitedNetworks
    // This comes before the count is read: a check that ends meanwhile counts twice, which is better than not at all.
    let others = open.withLock { open in
      defer { for network in networks { open[network.text, default: 0] += 1 } }
      return open
    }
    do throws(AuthError) {
      let now = try now()
      try database.read { db in
        try NetworkAttempts(.identity, of: caller, options.addressThrottle, at: now, in: db)
          .requireFew(at: now, open: others)
      }
    } catch {
      leave(networks)
      throw error
    }
  }

  /// Ends the check of a credential, and counts it if it is refused.
  func end(_ outcome: Result<VerifiedIdentity, AuthError>, from caller: Caller) throws(AuthError) -> VerifiedIdentity {
    defer { leave(caller.limitedNetworks) }
    do throws(AuthError) { return try outcome.typed() } catch {
      guard error.isRefusalOfIdentity else { throw error }
      let now = try now()
      try database.write { db in
        var refused = try NetworkAttempts(.identity, of: caller, options.addressThrottle, at: now, in: db)
        try refused.add(at: now, in: db)
      }
      throw error
    }
  }

  private func leave(_ networks: [Caller.Network]) {
    open.withLock { open in
      for network in networks {
        let count = open[network.text, default: 1] - 1
        open[network.text] = count > 0 ? count : nil
      }
    }
  }
}

extension AuthError {
  /// Whether the credential is at fault, and not the identity provider's servers or the settings.
  fileprivate var isRefusalOfIdentity: Bool {
    let words: [ServerWord] = [.invalidIDPResponse, .missingOrInvalidNonce]
    return words.contains { $0.rawValue == serverCode }
  }
}
