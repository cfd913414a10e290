package import GatehouseBase

extension ServerOptions {
  /// Refuses allowed origins that no page has.
  package func checkOrigins() throws(AuthError) { try PageOrigins.check(allowedOrigins ?? []) }
}
