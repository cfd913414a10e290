package import GatehouseBase
package import IdentityToolkit
package import Logging

/// The objects that the app configures an `Auth` with. All of them are the app's code: they are never called or
/// released on the work queue.
package final class AppDependencies: Sendable {
  package let backend: any Backend
  package let store: any CredentialStore
  package let clocks: any Clocks
  package let random: any RandomSource
  package let logger: Logger

  package init(
    backend: any Backend, store: any CredentialStore, clocks: any Clocks, random: any RandomSource, logger: Logger
  ) {
    self.backend = backend
    self.store = store
    self.clocks = clocks
    self.random = random
    self.logger = logger
  }
}
