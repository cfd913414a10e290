import Gatehouse
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import GatehouseTesting
import Logging

/// What the tour works with: an embedded provider and a stored session in a temporary folder, with a clock that the
/// tour sets.
final class Stage: Sendable {
  let folder: String
  private let clocks = ManualClocks()
  let provider: LocalBackend
  /// The provider. Its calls are counted, and their answers can be held back.
  let backend: WatchedBackend
  let store: FileCredentialStore
  let log = StageLog()
  /// The messages that the provider sends to its users.
  let outbox = StageOutbox()
  let auth: Auth

  init() throws(AuthError) {
    let temporary = GivenText.variable("TMPDIR")
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

  /// Moves the clock forward by this number of seconds.
  func advance(by seconds: Double) { clocks.advance(by: seconds) }

  /// The signed-in user.
  func user() throws(AuthError) -> User {
    guard let user = auth.currentUser else { throw AuthError(.nullUser, "no user is signed in on the stage") }
    return user
  }

  func remove() { try? OpenFolder.removeAll(at: folder) }
}
