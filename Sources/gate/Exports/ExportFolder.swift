import GatehouseBase
import GatehouseServer
import GatehouseSystem

/// A folder in which Firebase's emulators keep what they export, or the part of one that is about accounts.
///
/// ```
/// firebase-export-metadata.json  the products that were exported, and their folders
/// auth_export/accounts.json      the accounts
/// auth_export/config.json        the configuration
/// ```
struct ExportFolder: Sendable {
  let path: String
  private static let metadata = "firebase-export-metadata.json"
  private static let usual = "auth_export"
  /// The maximum size of a file, in bytes.
  private static let longest = 1 << 28

  init(_ path: String) { self.path = path }

  /// Reads the accounts and the configuration.
  ///
  /// - Throws: `.invalidArgument` if the folder has no accounts, or a file cannot be read.
  func read() throws(AuthError) -> EmulatorData {
    let inner = try inner()
    guard let accounts = try Self.read(inner + "/accounts.json") else {
      throw AuthError(
        .invalidArgument,
        "\(path.printable()) has no accounts: neither \(Self.metadata) nor auth_export/accounts.json nor accounts.json")
    }
    let configuration = try Self.read(inner + "/config.json")
    do throws(AuthError) { return try EmulatorData(accounts: accounts, configuration: configuration) } catch {
      throw AuthError(.invalidArgument, "the files of \(inner.printable()) cannot be read: \(error.message)")
    }
  }

  /// Writes the accounts and the configuration, and keeps what other emulators have exported into the folder.
  func write(_ data: EmulatorData) throws(AuthError) {
    let inner = try inner()
    try Self.writing(inner) { () throws(SystemError) in
      if try FileStatus.at(inner, followingLink: true) == nil { try OpenFolder.make(inner) }
    }
    try Self.write(data.accounts, to: inner + "/accounts.json")
    try Self.write(data.configuration, to: inner + "/config.json")
    guard inner != path else { return }
    var metadata = try metadata() ?? [:]
    metadata["version"] = metadata["version"] ?? "1.0.0"
    metadata["auth"] = ["version": "1.0.0", "path": .string(String(inner.dropFirst(path.count + 1)))]
    try Self.write(metadata, to: "\(path)/\(Self.metadata)")
  }

  /// The folder with the accounts: the one that the metadata name, or `auth_export`, or this one itself.
  private func inner() throws(AuthError) -> String {
    if let name = try metadata()?["auth"]?["path"]?.string {
      guard !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
        throw AuthError(.invalidArgument, "\(path.printable())/\(Self.metadata) names a folder outside of its own")
      }
      return "\(path)/\(name)"
    }
    let usual = "\(path)/\(Self.usual)"
    return try Self.reading(path) { () throws(SystemError) in
      if try FileStatus.at(usual, followingLink: true) != nil { return usual }
      return try FileStatus.at(path + "/accounts.json", followingLink: true) == nil ? usual : path
    }
  }

  private func metadata() throws(AuthError) -> JSONObject? {
    let file = "\(path)/\(Self.metadata)"
    guard let bytes = try Self.read(file) else { return nil }
    do throws(AuthError) { return try JSONObject(reading: bytes) } catch {
      throw AuthError(.invalidArgument, "\(file.printable()) cannot be read: \(error.message)")
    }
  }

  /// Reads a file; `nil` if it does not exist.
  private static func read(_ file: String) throws(AuthError) -> [UInt8]? {
    let bytes = try reading(file) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try OpenFile(file).readAll(limit: longest) }
    }
    guard let bytes else { return nil }
    guard let bytes else {
      throw AuthError(.invalidArgument, "\(file.printable()) is longer than \(longest >> 20) MiB")
    }
    return bytes
  }

  private static func write(_ json: JSONObject, to file: String) throws(AuthError) {
    try writing(file) { () throws(SystemError) in try AtomicFile.write(Array("\(json)\n".utf8), to: file) }
  }

  private static func reading<T>(_ path: String, _ body: () throws(SystemError) -> T) throws(AuthError) -> T {
    do throws(SystemError) { return try body() } catch {
      throw AuthError(.storeUnreadable, "\(path.printable()) cannot be read: \(error)")
    }
  }

  private static func writing(_ path: String, _ body: () throws(SystemError) -> Void) throws(AuthError) {
    do throws(SystemError) { try body() } catch {
      throw AuthError(.storeFailed, "\(path.printable()) could not be written: \(error)")
    }
  }
}
