import Gatehouse
package import GatehouseBase
package import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import Logging

/// What the tour works with: an embedded provider and a stored session in a temporary folder, with clocks that the
/// tour moves.
package final class Stage: Sendable {
  let folder: String
  private let clocks = StageClocks()
  package let provider: LocalBackend
  /// The provider. Its calls are counted, and their answers can be held back.
  let backend: WatchedBackend
  let store: FileCredentialStore
  let log = StageLog()
  /// The messages that the provider sends to its users.
  let outbox = StageOutbox()
  let auth: Auth
  private let awaited = Lock<String?>(nil)

  /// - Parameter temporary: the folder for the stage's own folder; `/tmp` if it is `nil` or empty.
  package init(in temporary: String?) throws(AuthError) {
    do throws(SystemError) { folder = try OpenFolder.makeTemporary("gatehouse-demo-", in: temporary) } catch {
      throw AuthError(.storeFailed, "no temporary folder could be made (\(error)); set TMPDIR to a folder of your own")
    }
    var options = LocalOptions()
    options.clocks = clocks
    options.delivery = outbox
    provider = .local(directory: folder + "/provider", options: options)
    backend = WatchedBackend(provider)
    store = .file(folder + "/session.json")
    auth = Auth(Auth.Configuration(backend: backend, store: store, clocks: clocks, logger: log.logger))
  }

  /// The time of the wall clock, in seconds since 1970.
  var now: Double { clocks.now().wall }

  /// Moves the clocks forward by this number of seconds, once the provider has nothing to do: the delivery of a message
  /// has a limit on these clocks.
  func advance(by seconds: Double) async {
    await provider.settle()
    clocks.advance(by: seconds)
  }

  /// The signed-in user.
  func user() throws(AuthError) -> User {
    guard let user = auth.currentUser else { throw AuthError(.nullUser, "no user is signed in on the stage") }
    return user
  }

  /// What the tour is waiting for, for people to read; `nil` while it waits for nothing but an answer of the SDK.
  var isAwaiting: String? { awaited.withLock { $0 } }

  /// Names what `body` waits for, so that a tour that hangs can say it.
  package func awaiting<Value, Failure: Error>(
    _ what: String, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    awaited.withLock { $0 = what }
    defer { awaited.withLock { $0 = nil } }
    return try await body()
  }

  /// Closes the session and then the provider, which writes to its logs after it has answered.
  func close() async {
    try? await auth.close()
    try? await provider.close()
  }

  /// Removes the stage's folder.
  func remove() { try? OpenFolder.removeAll(at: folder) }
}
