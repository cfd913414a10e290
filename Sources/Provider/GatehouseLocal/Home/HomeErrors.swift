import GatehouseBase
import GatehouseSystem

/// Runs file calls of the provider. An unsafe file becomes `.providerUnsafe`, a failed call `.providerUnavailable`.
///
/// - Parameter purpose: the attempted operation, for the error: `open /home/ada/provider`.
func attempting<T: ~Copyable>(
  _ purpose: @autoclosure () -> String, _ body: () throws(SystemError) -> T
) throws(AuthError) -> T {
  do throws(SystemError) { return try body() } catch {
    guard error.isUnsafe else { throw AuthError(.providerUnavailable, "cannot \(purpose()): \(error)") }
    throw AuthError(.providerUnsafe, error.description)
  }
}
