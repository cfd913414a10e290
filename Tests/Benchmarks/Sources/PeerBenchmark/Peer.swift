import Foundation
import TokenSamples

/// A program that verifies tokens, one of several.
struct Peer {
  let name: String
  /// What one must know beside its figures.
  let remark: String

  static let gatehouse = Peer(name: "Gatehouse", remark: "")
  static let others = [
    Peer(name: "OpenSSL", remark: "in a loop: the signature only, the most that a library over it can reach"),
    Peer(name: "jwt-kit", remark: "Swift"),
    Peer(name: "PyJWT", remark: "Python"),
    Peer(name: "joserfc", remark: "Python"),
    Peer(name: "libjwt", remark: "C; reads the key's PEM text on every call, it has no other way"),
    Peer(name: "golang-jwt", remark: "Go, its own cryptography"),
    Peer(name: "node-jose", remark: "Node"),
  ]

  /// What one run of a peer says.
  struct Run {
    let perSecond: Double
    let version: String
  }

  /// Why a peer has no figure.
  enum Silence: Error {
    /// It is not there, for this reason.
    case absent(String)
    /// It does not know the algorithm.
    case unsupported
    /// It ended with an error.
    case failed(String)
  }

  /// Verifies the token of an algorithm in a process of its own.
  func run(_ algorithm: SampleAlgorithm, in folder: String, seconds: Double) throws(Silence) -> Run {
    let program = folder + "/bin/" + name
    guard FileManager.default.isExecutableFile(atPath: program) else {
      let reason = try? String(contentsOfFile: program + ".absent", encoding: .utf8)
      throw .absent(reason?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "it was not installed")
    }
    let (status, output) = try Self.output(of: program, [folder + "/tokens", algorithm.rawValue, "\(seconds)"])
    guard status != 3 else { throw .unsupported }
    let words = output.split(whereSeparator: \.isWhitespace)
    guard status == 0, words.count > 2, let count = Double(words[0]), let time = Double(words[1]), time > 0 else {
      throw .failed("it ended with \(status)")
    }
    return Run(perSecond: count / time, version: words[2...].joined(separator: " "))
  }

  private static func output(of program: String, _ arguments: [String]) throws(Silence) -> (Int32, String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    do { try process.run() } catch { throw .failed("\(program) does not start: \(error)") }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
