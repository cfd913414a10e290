import GatehouseBase

/// The projects of an emulator besides its own, opened when they are named first.
///
/// No more than `maximum` are open: before another one is opened, the one that was idle for longest is closed. Its
/// accounts stay in its folder.
actor EmulatorProjects {
  static let maximum = 64

  private struct Project {
    /// Its scene; `nil` if it does not exist.
    let scene: Task<RouteScene?, any Error>
    /// The number of requests that use it.
    var users = 0
    /// The place of its latest request among all requests.
    var latest = 0
  }

  private let make: EmulatorProject.Maker
  private let options: ServerOptions
  private var projects: [String: Project] = [:]
  /// The projects that are being closed: none of them may be opened before that has ended.
  private var closings: [String: Task<Void, Never>] = [:]
  private var count = 0
  private var isClosed = false

  init(_ options: ServerOptions, make: @escaping EmulatorProject.Maker) {
    self.options = options
    self.make = make
  }

  /// Carries out a request of a project.
  ///
  /// - Parameter begins: whether the request makes the project, if it does not exist.
  /// - Returns: `nil` if it does not exist.
  /// - Throws: a refusal of a name that no project can have.
  nonisolated func use<Value: Sendable>(
    _ name: String, begins: Bool, _ body: @Sendable (RouteScene) async throws -> Value
  ) async throws -> Value? {
    guard EmulatorProject.isName(name) else { throw Refusal.wrongProjectName }
    guard let scene = try await enter(name, begins: begins) else { return nil }
    // Not on the actor, on which all other requests would wait for this one.
    let result: Result<Value, any Error>
    do { result = .success(try await body(scene)) } catch { result = .failure(error) }
    await leave(name)
    return try result.get()
  }

  private func leave(_ name: String) { projects[name]?.users -= 1 }

  /// The scenes of the projects that are open.
  var scenes: [RouteScene] {
    get async {
      var scenes: [RouteScene] = []
      for project in projects.values { if let scene = try? await project.scene.value { scenes.append(scene) } }
      return scenes
    }
  }

  /// Closes all projects. Later requests are refused.
  func close() async {
    isClosed = true
    for name in Array(projects.keys) { end(name) }
    for closing in closings.values { await closing.value }
  }

  private func enter(_ name: String, begins: Bool) async throws -> RouteScene? {
    while true {
      if isClosed { throw AuthError(.closed, "the server has been closed") }
      if let closing = closings[name] {
        await closing.value
        continue
      }
      if projects[name] == nil {
        guard makeRoom() else { throw Refusal.tooManyProjects }
        projects[name] = Project(
          scene: Task { [make, options] in try await Self.open(name, begins: begins, options, make) })
      }
      break
    }
    count += 1
    projects[name]?.users += 1
    projects[name]?.latest = count
    guard let scene = projects[name]?.scene else { throw Refusal.broken }
    let result = await scene.result
    if case .success(let scene?) = result { return scene }
    // It could not be made, or does not exist. The next request tries again.
    if projects[name]?.scene == scene { projects[name] = nil }
    if begins, case .success(nil) = result { return try await enter(name, begins: true) }
    return try result.get()
  }

  private static func open(
    _ name: String, begins: Bool, _ options: ServerOptions, _ make: EmulatorProject.Maker
  ) async throws -> RouteScene? {
    guard let project = try await make(name, begins) else { return nil }
    guard project.provider.isEmulator else { throw Refusal.noEmulator }
    var options = options
    options.emulator = project.outbox
    return RouteScene(provider: project.provider, options: options)
  }

  /// Closes the project that was idle for longest, if there is no room. Returns whether there is room then.
  private func makeRoom() -> Bool {
    guard projects.count >= Self.maximum else { return true }
    guard let idle = projects.filter({ $0.value.users == 0 }).min(by: { $0.value.latest < $1.value.latest }) else {
      return false
    }
    end(idle.key)
    return true
  }

  private func end(_ name: String) {
    guard let project = projects.removeValue(forKey: name) else { return }
    closings[name] = Task {
      if let scene = try? await project.scene.value { try? await scene.provider.close() }
      closings[name] = nil
    }
  }
}

extension Refusal {
  fileprivate static let tooManyProjects: Refusal = {
    var refusal = Refusal(
      status: 503, message: "\(EmulatorProjects.maximum) other projects are in use at this moment; try again later",
      name: "UNAVAILABLE", reason: "backendError")
    refusal.retryAfter = 1
    return refusal
  }()
}
