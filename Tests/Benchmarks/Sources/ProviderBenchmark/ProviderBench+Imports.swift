import Figures
import Foundation
import GatehouseLocal

/// The speed of an import of a whole file, and its memory.
extension ProviderBench {
  private static let accounts = 100_000
  /// 64 bytes in base64: a key of Firebase's scrypt, and a hash, which has as many bytes.
  private static let bytes = String(repeating: "QUJD", count: 21) + "QQ=="

  /// The accounts a second of a JSON file with Firebase's password hashes, which are stored as they are.
  func imports() async throws -> BoundedFigure {
    let file = try madeFile(Self.accounts)
    var rates: [Double] = []
    for round in 0..<3 {
      let provider = LocalBackend(directory: folder + "/imports-\(round)")
      try await provider.open()
      let begin = ContinuousClock.now
      let result = try await provider.importUsers(from: file, Self.options())
      rates.append(Double(result.imported) / ((ContinuousClock.now - begin) / .seconds(1)))
      try await provider.close()
    }
    return BoundedFigure("accounts imported a second", rates, atLeast: 20_000)
  }

  /// The highest memory during an import of a hundred thousand accounts, less that of one of a thousand, in MiB.
  func memoryOfImports() async throws -> BoundedFigure {
    let files = try [1000, Self.accounts].map(madeFile)
    var growths: [Double] = []
    for round in 0..<3 {
      var peaks: [Double] = []
      for (index, file) in files.enumerated() {
        let provider = LocalBackend(directory: folder + "/memory-\(round)-\(index)")
        try await provider.open()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        _ = try await provider.importUsers(from: file, Self.options())
        peaks.append(try Self.peak())
        try await provider.close()
      }
      growths.append(peaks[1] - peaks[0])
    }
    return BoundedFigure("MiB that 100,000 accounts take more than 1,000", growths, atMost: 16)
  }

  private static func options() throws -> UserFileImportOptions {
    var options = UserFileImportOptions()
    options.hash = try UserFileHash(
      reading: "algorithm: SCRYPT, base64_signer_key: \(bytes), base64_salt_separator: Bw==, rounds: 8, mem_cost: 14"
        .utf8)
    return options
  }

  /// The highest resident memory since it was reset, in MiB.
  private static func peak() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Double(line.split(separator: " ").dropFirst().first ?? "") ?? .infinity) / 1024
  }

  /// A file as `firebase auth:export` writes it.
  private func madeFile(_ count: Int) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/users-\(count).json"
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    var text = "{\"users\": [\n"
    for index in 0..<count {
      text += """
        {
          "localId": "user\(index)abcdefghijklmnop",
          "email": "user\(index)@example.com",
          "emailVerified": true,
          "passwordHash": "\(Self.bytes)",
          "salt": "42xEC+ixf3L2lw==",
          "displayName": "User \(index)",
          "photoUrl": "https://example.com/pictures/\(index).png",
          "lastSignedInAt": "1725938208677",
          "createdAt": "\(1_725_938_208_676 + index)",
          "disabled": false,
          "customAttributes": "{\\"level\\":\(index % 7)}",
          "providerUserInfo": []
        }\(index < count - 1 ? "," : "")

        """
    }
    text += "]}\n"
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }
}
