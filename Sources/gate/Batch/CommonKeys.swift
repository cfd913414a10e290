import GatehouseBase
import GatehouseJOSE

/// The keys for lines of a batch that have none of their own: read when the first such line comes.
///
///     from            fetched or read again
///     a file          never
///     a server        as `RemoteKeySet` does: as they age, and for a name that is not known, after its cooldown
///     the home        for a name that is not known, once in 30 seconds at most
///
/// After a failure the next line asks again when the server says so, and else after five seconds.
struct CommonKeys {
  /// Keys, with a number that changes when they do.
  typealias Version = (keys: JWKSet, number: UInt64)

  private enum Source {
    case fixed(Version)
    case server(RemoteKeySet)
  }

  private let place: VerificationKeys
  private var source: Source?
  private var failure: AuthError?
  /// Before this moment nothing is read again.
  private var again = Alarm(boot: 0)
  private let clocks = SystemClocks()

  /// - Parameter given: the keys, where they are at hand.
  init(_ place: VerificationKeys, given: JWKSet?) {
    self.place = place
    source = given.map { .fixed(($0, 0)) }
  }

  /// The keys at hand; fetched or read where there are none.
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

  /// The keys when they have been asked for again, because one is not known; `nil` where they are not asked for.
  mutating func keys(withOneNamed keyID: String) async throws(AuthError) -> Version? {
    switch source {
    case .server(let server)?:
      _ = try await server.key(named: keyID)
      return try await keys()
    case .fixed(let version)? where place.areHomeKeys:
      guard clocks.now().boot >= again.boot else { return nil }
      again = Alarm(boot: clocks.now().boot + RemoteKeyOptions().cooldown.inSeconds)
      guard let keys = try? await place.homeKeys() else { return nil }
      source = .fixed((keys, version.number + 1))
      return try await self.keys()
    case .fixed?, nil: return nil
    }
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
