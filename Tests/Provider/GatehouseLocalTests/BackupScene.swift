import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit

/// A provider with one account, and a backup of it.
struct BackupScene: Sendable {
  let scene = Scene()
  let user: SignInResponse
  var file: String { scene.folder.path + "/backup.tar" }
  /// Where a test restores to: there is nothing yet.
  var target: String { scene.folder.path + "/restored" }

  init() async throws {
    user = try await scene.signUp()
    try await scene.backend.backup(to: file)
  }

  var bytes: [UInt8] { get throws { try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))) } }

  /// The archive's files, by their names below `provider/`.
  var files: [Tar.File] { get throws { try Tar.files(in: bytes) } }

  /// Tries to restore these bytes, as a file of that content.
  func restore(_ bytes: [UInt8]) async throws {
    let path = scene.folder.path + "/changed.tar"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await LocalBackend.restore(from: path, to: target)
  }

  /// Tries to restore an archive of these files, under sums that are right.
  func restore(_ files: [Tar.File]) async throws { try await restore(Tar.archive(try Tar.summed(files))) }

  func signIn(in home: String) async throws -> SignInResponse {
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    return try await LocalBackend.cheap(home, scene.clock).answer(call)
  }
}

/// Tar archives as POSIX describes them, with no code of the provider's.
enum Tar {
  struct File: Sendable, Equatable {
    var name: String
    var bytes: [UInt8]
    var type = UInt8(ascii: "0")
    /// What the header says of the length, where that is not the length.
    var claimed: String?
  }

  /// The files of a good archive, without the last, which holds the sums.
  static func files(in archive: [UInt8]) throws -> [File] {
    var files: [File] = []
    var offset = 0
    while archive[offset] != 0 {
      let name = String(decoding: archive[offset...].prefix { $0 != 0 }, as: UTF8.self)
      let size = Int(String(decoding: archive[(offset + 124)..<(offset + 135)], as: UTF8.self), radix: 8) ?? 0
      files.append(
        File(name: String(name.dropFirst("provider/".count)), bytes: Array(archive[(offset + 512)...].prefix(size))))
      offset += 512 + (size + 511) / 512 * 512
    }
    return files.dropLast()
  }

  static func summed(_ files: [File]) throws -> [File] {
    let lines = try files.map { file in
      try HashAlgorithm.sha256.hash(file.bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        + "  \(file.name)\n"
    }
    return files + [File(name: "SHA256SUMS", bytes: Array(lines.joined().utf8))]
  }

  static func archive(_ files: [File], folder: String = "provider/") -> [UInt8] {
    var archive: [UInt8] = []
    for file in files {
      archive += header(file, folder)
      archive += file.bytes
      archive.append(contentsOf: repeatElement(0, count: (512 - file.bytes.count % 512) % 512))
    }
    archive.append(contentsOf: repeatElement(0, count: 1024))
    return archive
  }

  private static func header(_ file: File, _ folder: String) -> [UInt8] {
    func field(_ text: String, _ length: Int) -> [UInt8] {
      Array(text.utf8.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - text.utf8.count))
    }
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    let before = [field(folder + file.name, 100), field("0000600", 8), field("0000000", 8), field("0000000", 8)]
      .flatMap(\.self)
    let sizes = field(file.claimed ?? octal(file.bytes.count, 11), 12) + field(octal(1_800_000_000, 11), 12)
    let after = [
      [file.type], field("", 100), field("ustar", 6), field("00", 2), field("", 64), field("0000000", 8),
      field("0000000", 8), field("", 167),
    ].flatMap(\.self)
    let sum = [before, sizes, after].joined().reduce(8 * 32) { $0 + Int($1) }
    return [before, sizes, field(octal(sum, 6), 7), [0x20], after].flatMap(\.self)
  }
}
