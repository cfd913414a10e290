import Foundation
import FoundationNetworking
import GatehouseServer

/// A server in a process of its own, so that it can be killed and its memory is its own: this program, run as
/// `ServerBenchmark serve FOLDER`.
struct ServedProcess: Sendable {
  let address: String
  /// From the start of the process until `/readyz` was answered.
  let readyAfter: Duration
  private let process: Process

  init(_ folder: String) async throws {
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["serve", folder]
    process.standardOutput = output
    let begin = ContinuousClock.now
    try process.run()
    let line = try await blocking { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }
    guard line.hasSuffix("\n"), let url = URL(string: "\(line.dropLast())/readyz") else {
      throw Load.Failure(description: "the server did not start: \(line)")
    }
    let (_, response) = try await URLSession.shared.data(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Load.Failure(description: "not ready") }
    readyAfter = ContinuousClock.now - begin
    address = String(line.dropLast())
    self.process = process
  }

  /// The memory that it has in use, in MiB.
  func resident() throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) }) else {
      throw Load.Failure(description: "no VmRSS in \(status)")
    }
    return kibibytes / 1024
  }

  /// Ends it in the middle of what it does.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Ends it in good order.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// What the process does: serves until it is told to end.
  static func serve(_ folder: String) async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    signal(SIGTERM, SIG_IGN)
    let stop = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    stop.setEventHandler { end.yield(()) }
    stop.resume()
    let provider = LocalBackend(directory: folder)
    let server = HTTPServer(IdentityServer(provider))
    try await provider.open()
    FileHandle.standardOutput.write(Data("\(try await server.start())\n".utf8))
    for await _ in ends { break }
    try await server.stop()
    try await provider.close()
  }
}
