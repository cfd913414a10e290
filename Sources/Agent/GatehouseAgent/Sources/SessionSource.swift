import Dispatch
public import Gatehouse
public import GatehouseBase
import GatehouseQueues
public import IdentityToolkit
public import Logging

/// The ID tokens of a Gatehouse session that is stored in a file, as a `FileCredentialStore` keeps it.
///
/// Each fetch opens the session, refreshes it, waits until the new tokens are on the disk, and closes it again. Between
/// fetches nothing of it is in memory. Other programs may use the same file at the same time: the store's own lock and
/// its comparisons decide, as between any two `Auth`s on one file.
///
/// If no user is signed in, or the provider has ended the session, `fetch()` throws `.userTokenExpired`, or the
/// provider's own reason such as `.userDisabled`.
public struct SessionSource: TokenSource {
  private let path: String
  private let encryption: StoreEncryption?
  private let backend: any Backend
  private let tenantID: String?
  private let clocks: any Clocks
  private let logger: Logger
  /// The limit of a refresh, which exceeds the 60 seconds of a request over HTTP.
  private static let patience = Duration.seconds(90)
  /// `Gatehouse session`.
  public let kind: String = SessionSource.name
  package static let name = "Gatehouse session"

  /// Makes a source. No file is accessed before the first fetch.
  ///
  /// - Parameters:
  ///   - path: the path of the session's file.
  ///   - encryption: the key of the file; `nil` for a file that is not encrypted.
  ///   - backend: answers the session's calls: an embedded provider, or a client of a server.
  ///   - tenantID: the tenant of the session's user; `nil` for none.
  ///   - clocks: the clocks that measure the tokens' lives.
  ///   - logger: the session's logger. It is never given a password or a token.
  public init(
    path: String, encryption: StoreEncryption? = nil, backend: any Backend, tenantID: String? = nil,
    clocks: any Clocks = SystemClocks(), logger: Logger = Logger(label: "gatehouse")
  ) {
    (self.path, self.encryption, self.backend) = (path, encryption, backend)
    (self.tenantID, self.clocks, self.logger) = (tenantID, clocks, logger)
  }

  /// The configuration of one fetch. It is not kept: the queue and the locks of a store are larger than a token.
  private func configuration(of store: FileCredentialStore) -> Auth.Configuration {
    var configuration = Auth.Configuration(
      backend: backend, store: store, callbackQueue: .global(), clocks: clocks, logger: logger,
      refreshesAutomatically: false, followsStore: false, tenantID: tenantID)
    // A provider that rotates refresh tokens may hold its answer, and the session ends if the answer is given up.
    configuration.timeouts.refresh = Self.patience
    return configuration
  }

  public func fetch() async throws(AuthError) -> LentToken {
    let store = FileCredentialStore(path: path, encryption: encryption)
    let auth = Auth(configuration(of: store))
    let result = await outcome { () async throws(AuthError) in try await token(of: auth, in: store) }
    let closed = await outcome { () async throws(AuthError) in try await typed { try await auth.close() } }
    let tokens: SessionTokens
    do throws(AuthError) { tokens = try result.typed() } catch {
      let stored = await outcome { () async throws(AuthError) in try await store.load() }
      guard case .success(let session?) = stored, session.rotation?.spending != nil else { throw error }
      throw error.with { $0.isUnsettled = true }
    }
    // The tokens are on the disk already. A close that fails for another reason is the next fetch's to report.
    _ = closed
    var received = tokens.received
    // The text that the store has read is a copy for each account.
    let bootID = clocks.now().bootID
    if received.bootID == bootID { received.bootID = bootID }
    return LentToken(tokens.idToken, lifetimeSeconds: tokens.lifetimeSeconds, received: received)
  }

  private func token(of auth: Auth, in store: FileCredentialStore) async throws(AuthError) -> SessionTokens {
    do throws(AuthError) {
      try await typed { try await auth.ready() }
      guard let user = auth.currentUser else { throw signedOut }
      _ = try await typed { try await user.getIDToken(forcingRefresh: true) }
      try await typed { try await auth.flush() }
    } catch {
      throw error.code == .nullUser || error.code == .sessionEnded ? signedOut : error
    }
    guard let stored = try await store.load() else { throw signedOut }
    return stored.tokens
  }

  private var signedOut: AuthError {
    AuthError(.userTokenExpired, "no user is signed in in \(path.printable()); sign in again")
  }
}
