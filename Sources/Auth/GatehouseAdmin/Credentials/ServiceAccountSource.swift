import GatehouseAsyncHTTP
public import GatehouseBase
public import GatehouseHTTP

/// The access tokens of a service account (RFC 7523), for an agent that lends them.
///
/// Each fetch reads the account's file, signs an assertion, and exchanges it at the file's `token_uri`. So a new key in
/// the file is used by the next fetch. If the server refuses the account, `fetch()` throws `.invalidUserToken`: a
/// person must put a new key into the file. All other errors are temporary.
public struct ServiceAccountSource: TokenSource {
  private let file: String
  private let scopes: [String]
  private let transport: any HTTPTransport
  private let clocks: any Clocks
  /// `service account`.
  public let kind = "service account"

  /// Makes a source. The file is not read before the first fetch.
  ///
  /// - Parameters:
  ///   - file: the path of the account's file.
  ///   - scopes: the scopes of the tokens; an administrator's by default.
  ///   - transport: carries the requests; by default `AsyncHTTPTransport`, which takes proxies from the environment.
  ///   - clocks: the clocks that measure the tokens' lives. The wall clock dates the assertion.
  public init(
    file: String, scopes: [String] = ServiceAccount.administratorScopes, transport: (any HTTPTransport)? = nil,
    clocks: any Clocks = SystemClocks()
  ) {
    self.file = file
    self.scopes = scopes
    self.transport = transport ?? AsyncHTTPTransport(clocks: clocks)
    self.clocks = clocks
  }

  /// Reads the file, and gets a token. Blocks its thread while the disk does.
  public func fetch() async throws(AuthError) -> LentToken {
    let account = try ServiceAccount(try CredentialFile(path: file))
    let request = try account.tokenRequest(for: scopes, at: clocks.now().wall)
    let response = try await transport.send(request)
    let now = clocks.now()
    do throws(AuthError) {
      let token = try AccessToken(response, at: now)
      return LentToken(token.secret, lifetimeSeconds: token.lifetime, received: now)
    } catch {
      guard error.code == .invalidCredential else { throw error }
      throw AuthError(.invalidUserToken, "\(error.message); put a new key into \(file.printable(upTo: 256))")
    }
  }
}
