import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

// Which backend a session belongs to. Each backend has a session file of its own, so that a session is never sent to
// the server of another backend. The home remembers one backend, which is used by commands without `--backend`.
extension Home {
  /// Chooses the given backend, or else the one that the home remembers.
  ///
  /// - Parameter needsSession: whether the command is about the user who is signed in.
  mutating func choose(
    _ given: BackendName?, apiKey: String?, needsSession: Bool
  ) throws(AuthError) {
    let remembered = try rememberedServer()
    let present = remembered?.backend ?? .home
    let emulator = BackendName.emulator(variable)
    if given == nil, present == .identityPlatform, let emulator {
      throw AuthError(
        .invalidArgument,
        "this home's session belongs to Identity Platform, and \(BackendName.emulatorVariable) names \(emulator.text): "
          + "unset the variable, or sign in there: gate sign-in EMAIL --backend identity-platform")
    }
    let wanted = given.map { $0 == .identityPlatform ? emulator ?? $0 : $0 } ?? present
    if needsSession, wanted != present { try requireNoSession(at: remembered, wanted) }
    guard wanted != .home else {
      guard apiKey == nil else {
        throw AuthError(
          .invalidArgument, "the home's own provider takes no API key: leave --api-key out, or add --backend")
      }
      return
    }
    let key = apiKey ?? variable("GATEHOUSE_API_KEY") ?? (wanted == present ? remembered?.apiKey : nil)
    if wanted == .identityPlatform, key == nil {
      throw AuthError(
        .invalidAPIKey, "Identity Platform wants the API key of your project: set GATEHOUSE_API_KEY, or give --api-key")
    }
    // An emulator accepts any key. A server that does not will say so.
    server = SessionServer(backend: wanted, apiKey: key ?? "gate")
  }

  private func requireNoSession(at remembered: SessionServer?, _ wanted: BackendName) throws(AuthError) {
    var present = self
    present.server = remembered
    guard (try? FileStatus.at(present.session)) != nil else { return }
    throw AuthError(
      .invalidArgument,
      "this home's session belongs to \(remembered?.name ?? "the home's own provider"), and is sent to no other: leave "
        + "--backend and \(BackendName.variable) out, or sign in: gate sign-in EMAIL --backend \(wanted.text)")
  }

  /// Makes the home remember this backend, after a user has signed in with it. A session that the home had with another
  /// backend is set aside if the home keeps users, or has kept one of that backend; otherwise it is erased.
  func becomeCurrent() async throws(AuthError) {
    var former = self
    former.server = try rememberedServer()
    if let server {
      let path = current
      try looking(at: path) { () throws(SystemError) in
        try AtomicFile.write(Array("\(server.json)\n".utf8), to: path)
      }
    } else {
      try forgetServer()
    }
    guard former.session != session else { return }
    try await leave(store(at: former.session))
  }

  /// Sets the current session of another backend's store aside, or erases it.
  private func leave(_ store: FileCredentialStore) async throws(AuthError) {
    var isSetAside = false
    while !isSetAside {
      let shelf: SessionShelf
      do throws(AuthError) { shelf = try await store.sessions() } catch {
        // A damaged session cannot be kept. Any other one that cannot be read stays as it is.
        guard error.code == .storeDamaged else { throw error }
        shelf = SessionShelf()
      }
      guard let current = shelf.current, keepsUsers || !shelf.others.isEmpty else {
        _ = try await store.write(nil, if: .always)
        return
      }
      // Another program may have stored a fresh token meanwhile.
      isSetAside = try await store.replace(shelf, by: SessionShelf(others: [current] + shelf.others))
    }
  }

  /// Makes the home use its own provider again, as after a sign-out.
  func forgetServer() throws(AuthError) {
    try looking(at: path) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in
        let folder = try OpenFolder.own(path)
        try folder.remove(FileLocation(current).name)
      }
    }
  }

  /// The refusal of a home without a provider. While the home remembers a server, a sign-up without `--backend` would
  /// make an account there.
  func noProvider() -> AuthError {
    guard provider == path + "/provider", let remembered = try? rememberedServer() else {
      return AuthError(.providerUnavailable, "\(provider) has no identity provider yet; gate sign-up EMAIL makes one")
    }
    let place = remembered.backend == .identityPlatform ? "in the project's console" : "on that server's machine"
    return AuthError(
      .providerUnavailable,
      "\(provider) has no identity provider: this home's session is at \(remembered.name), and its account as well; "
        + "administer it \(place), or make a provider here, which ends that session: "
        + "gate sign-up EMAIL --backend home")
  }

  /// Reads the server that the home remembers; `nil` for its own provider.
  private func rememberedServer() throws(AuthError) -> SessionServer? {
    let bytes = try looking(at: current) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in
        try OpenFolder.own(path).openOwn(FileLocation(current).name, .reading, .secret).readAll(limit: 1 << 16) ?? []
      }
    }
    guard let bytes else { return nil }
    let json = try? JSONObject(reading: bytes)
    return try SessionServer(json ?? [:], in: current)
  }

  /// Refuses an address that no account of the home's own provider can have. A server checks addresses itself.
  func checkAddress(_ email: String, isNew: Bool) throws(AuthError) {
    if server == nil { try LocalBackend.checkAddress(email, isNew: isNew) }
  }
}
