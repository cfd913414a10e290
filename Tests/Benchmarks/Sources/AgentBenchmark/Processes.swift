import Foundation
import GatehouseServer

/// A program of ours in a process of its own, which prints a line when it is ready.
final class ReadyProcess {
  private let process = Process()

  /// - Parameter program: the name of a program that is built beside this one.
  init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let output = Pipe()
    process.executableURL = Self.folder.appendingPathComponent(program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasSuffix("\n") else { throw BenchFailure(description: "\(program) did not start: \(line)") }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  private static var folder: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Runs a program to its end, with a text as its input, and returns its output.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: String = "") throws -> String {
    let process = Process(), inputs = Pipe(), outputs = Pipe()
    process.executableURL = folder.appendingPathComponent(program)
    process.arguments = arguments
    process.standardInput = inputs
    process.standardOutput = outputs
    try process.run()
    try inputs.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputs.fileHandleForWriting.close()
    let output = outputs.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchFailure(description: "\(program) \(arguments[0]) ended with status \(process.terminationStatus)")
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The memory that it has in use, in MiB.
  ///
  /// - Parameter field: `VmRSS`, or `RssAnon` for that without the pages of the program's file.
  func resident(_ field: String = "VmRSS") throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) }) else {
      throw BenchFailure(description: "no \(field) in \(status)")
    }
    return kibibytes / 1024
  }

  /// The processor time that it has used, in seconds.
  func processorTime() throws -> Double {
    // The kernel counts hundredths of a second. Finer figures leave out threads that have ended.
    let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      throw BenchFailure(description: "no times in \(text)")
    }
    return (user + system) / 100
  }
}

/// A server of the same kind as the daemon's, whose only answer is empty.
enum EmptyServer: RequestHandler {
  case it

  func answer(_ request: ServerRequest) async -> ServerResponse {
    ServerResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array("{}\n".utf8))
  }

  static func serve(at path: String) async throws {
    let server = HTTPServer(EmptyServer.it, at: .unix(path: path))
    FileHandle.standardOutput.write(Data("\(try await server.start())\n".utf8))
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
}
