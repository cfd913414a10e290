import GatehouseBase
import GatehouseJOSE

/// The keys for lines of a batch that have none of their own. They are read when the first such line arrives.
///
///     keys of         fetched or read again
///     a file          never
///     a server        as `RemoteKeySet` does it: when they age, and after its cooldown for an unknown key ID or a
///                     signature that does not verify
///     the home        for the same two, once in 30 seconds at most
///
/// After a failure the keys are asked for again when the server says so, or by default after five seconds.
struct CommonKeys {
  /// Keys, with a version number that changes when the keys change.
  typealias Version = (keys: JWKSet, number: UInt64)

  private enum Source {
    case fixed(Version)
    case server(RemoteKeySet)
  }

  private let place: VerificationKeys
  private var source: Source?
  private var failure: AuthError?
  /// Nothing is read again before this time.
  private var again = Alarm(boot: 0)
  private let clocks = SystemClocks()

  /// - Parameter given: the keys, if they have been read already.
  init(_ place: VerificationKeys, given: JWKSet?) {
    self.place = place
    source = given.map { .fixed(($0, 0)) }
  }

  /// Returns the keys, and reads or fetches them first if there are none yet.
  mutating func keys() async throws(AuthError) -> Version {
    do throws(AuthError) {
      switch try await opened() {
      case .fixed(let version): return version
      case .server(let server):
        let version = try await server.keysAndGeneration()
        return (try version.keys.requireUsable(at: server.url), version.generation)
      }
    } catch {
      throw AuthError(
        error.code, "the line has no keys of its own (jwks, jwk), and \(error.message)", retryAfter: error.retryAfter)
    }
  }

  /// Asks for the keys again, because no key with this ID is known for the algorithm. Returns `nil` if they may not be asked for now.
  mutating func keys(
    withOneNamed keyID: String, for algorithm: JWSAlgorithm
  ) async throws(AuthError) -> Version? {
    switch source {
    case .server(let server)?:
      _ = try await typed { try await server.key(named: keyID, for: algorithm) }
      return try await keys()
    case .fixed(let version)?: return await homeKeys(after: version)
    case nil: return nil
    }
  }

  /// Asks for the keys again, because a token does not verify with a version: the server may have replaced a key and
  /// kept its ID (decision 99). Returns `nil` if there are no others, or they may not be asked for now.
  mutating func keys(replacing old: UInt64) async throws(AuthError) -> Version? {
    switch source {
    case .server(let server)?:
      guard let version = try await server.keysAndGeneration(replacing: old) else { return nil }
      return (version.keys, version.generation)
    case .fixed(let version)?: return await homeKeys(after: version)
    case nil: return nil
    }
  }

  private mutating func homeKeys(after version: Version) async -> Version? {
    guard place.areHomeKeys, clocks.now().boot >= again.boot else { return nil }
    again = Alarm(boot: clocks.now().boot + RemoteKeyOptions().cooldown.inSeconds)
    guard let keys = try? await place.homeKeys() else { return nil }
    let newer = (keys: keys, number: version.number + 1)
    source = .fixed(newer)
    return newer
  }

  private mutating func opened() async throws(AuthError) -> Source {
    if let source { return source }
    if let failure, clocks.now().boot < again.boot { throw failure }
    do throws(AuthError) {
      let opened: Source =
        if let server = try await place.server() { .server(server) } else { .fixed((try await place.homeKeys(), 0)) }
      again = Alarm(boot: clocks.now().boot + RemoteKeyOptions().cooldown.inSeconds)
      source = opened
      return opened
    } catch {
      failure = error
      again = Alarm(boot: clocks.now().boot + (error.retryAfter?.inSeconds ?? 5))
      throw error
    }
  }
}
