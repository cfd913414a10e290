import GatehouseBase
import GatehouseLocal
import GatehouseServer
import GatehouseSystem

/// The projects of an emulator's home. Issuer and audience of its tokens hang on a project's name, so accounts stay in
/// the project that they were made in.
extension Home {
  /// The file with the name of the home's own project, which `gate serve --emulator` writes.
  private var projectFile: String { path + "/project" }

  /// The name of the home's own project; `nil` if no emulator has had one here.
  func projectName() throws(AuthError) -> String? {
    let bytes = try looking(at: projectFile) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in
        try OpenFolder.own(path).openOwn("project", .reading, .unwritable).readAll(limit: 256) ?? []
      }
    }
    guard let name = bytes.map({ String(decoding: $0, as: UTF8.self) }), !name.isEmpty else { return nil }
    return name
  }

  /// Makes a name the home's own project's.
  ///
  /// - Parameters:
  ///   - provider: the home's own provider, which is open.
  ///   - configured: the project's name according to the settings, which counts if no emulator has named it here.
  /// - Throws: `.invalidArgument` if the home has accounts of another project.
  func nameProject(_ name: String, of provider: LocalBackend, configured: String) async throws(AuthError) {
    let known = try projectName(), own = known ?? configured
    guard !known.isExactly(name) else { return }
    if !own.isExactly(name), try await !provider.accounts(limit: 1).isEmpty {
      throw AuthError(
        .invalidArgument,
        "the accounts of \(path.printable()) are in the project \(own.printable()), and their tokens name it; leave "
          + "out --project, or name another folder with --home")
    }
    try looking(at: projectFile) { () throws(SystemError) in
      try AtomicFile.write(Array(name.utf8), to: projectFile)
    }
  }

  /// Makes the other projects of an emulator, each with a provider of its own in a folder below the home.
  ///
  /// - Parameter options: the settings of the home's own provider, before its outbox was made.
  func emulatorProjects(_ options: LocalOptions) -> EmulatorProject.Maker {
    { [self] name, begins in
      var options = options
      options.projectID = name
      let outbox = options.keepMessages()
      let home = try Home(path + "/projects/" + name, variable: variable)
      guard
        try begins || looking(at: home.provider, { () throws(SystemError) in try FileStatus.at(home.provider) != nil })
      else { return nil }
      return EmulatorProject(
        provider: home.backend(options, beginsProvider: true, opensAnyHome: false), outbox: outbox)
    }
  }
}
