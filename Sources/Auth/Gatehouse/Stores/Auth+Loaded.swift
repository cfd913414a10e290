import GatehouseBase

extension Auth {
  /// Makes an `Auth`, the default one or another, whose `currentUser` is that of the last run from the beginning, if
  /// the session is in a file. Blocks the calling thread until the file has been read, or for the time limit of a
  /// store; the `Auth` then reads its store as any other does.
  package static func loaded(_ configuration: Configuration, isDefault: Bool) throws -> Auth {
    let load = {
      (configuration.store as? FileCredentialStore)?.loadNow(patience: configuration.timeouts.store)
    }
    let auth =
      isDefault
      ? try configure(configuration, load: load)
      : Auth(configuration, Abilities(of: configuration), refusal: nil, loaded: load())
    // Reads may overtake the operation in which the engine begins, but not this.
    workQueue {}
    return auth
  }
}
