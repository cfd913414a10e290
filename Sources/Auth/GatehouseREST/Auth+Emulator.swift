public import Gatehouse
import GatehouseBase

extension Auth {
  /// Sends all calls to an emulator, or to `gate serve`, as `RESTBackend.useEmulator(withHost:port:)` does. For an
  /// `Auth` whose backend is a `RESTBackend`; usable from any thread.
  ///
  /// Call this first, and give the `Auth` a separate store for the emulator: a stored session of another server would
  /// be sent to the emulator.
  ///
  /// - Throws: `.operationNotAllowed` after the first call to a server, and for any other backend.
  // Disfavored, because GatehouseFirebaseREST has Firebase's form, which does not throw.
  @_disfavoredOverload
  public func useEmulator(withHost host: String, port: Int) throws {
    guard let backend = backend as? RESTBackend else {
      throw AuthError(
        .operationNotAllowed,
        "useEmulator needs a backend that calls a server: Auth(.init(backend: .identityPlatform(apiKey: …)))")
    }
    try backend.useEmulator(withHost: host, port: port)
  }
}
