import GatehouseBase
import GatehouseSystem

/// The JSON of a credential's file, in Google's format: `type` is the kind of credential.
struct CredentialFile: Sendable {
  let json: JSONObject
  let type: String

  /// The maximum length of a file, in bytes.
  private static let mostBytes = 64 << 10

  init(_ text: some Sequence<UInt8>) throws(AuthError) {
    do throws(AuthError) { json = try JSONObject(reading: text, limits: JSONLimits(bytes: Self.mostBytes)) } catch {
      throw AuthError(.invalidArgument, "the credential is not a JSON object: \(error.message)")
    }
    guard let type = json["type"]?.string else {
      throw AuthError(.invalidArgument, "the credential has no type; take a file of Google's form")
    }
    self.type = type
  }

  /// Reads a file. Blocks.
  init(path: String) throws(AuthError) {
    guard let bytes = try Self.bytes(of: path) else {
      throw AuthError(.invalidArgument, "the credential \(path.printable()) is longer than \(Self.mostBytes) bytes")
    }
    try self.init(bytes)
  }

  private static func bytes(of path: String) throws(AuthError) -> [UInt8]? {
    SlowWork.begins(.file)
    do throws(SystemError) { return try OpenFile(path).readAll(limit: mostBytes) } catch {
      throw AuthError(.invalidArgument, "the credential \(path.printable()) cannot be read: \(error)")
    }
  }

  /// Returns a required member.
  func text(_ name: String) throws(AuthError) -> String {
    guard let text = json[name]?.string, !text.isEmpty else {
      throw AuthError(.invalidArgument, "the credential has no \(name)")
    }
    return text
  }
}
