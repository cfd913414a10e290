import Foundation

/// wrk, which sends one request over and over on many connections.
struct Load {
  let folder: String
  let seconds: Int

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Requests a second that were answered.
  ///
  /// - Throws: when an answer is not of the status 200, or a connection failed.
  func rate(_ url: String, body: String) throws -> Double {
    let script = folder + "/request.lua"
    try """
    wrk.method = "POST"
    wrk.body = [[\(body)]]
    wrk.headers["Content-Type"] = "application/json"
    """.write(toFile: script, atomically: true, encoding: .utf8)
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["wrk", "-t1", "-c32", "-d\(seconds)s", "-s", script, url]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, !text.contains("Non-2xx"), !text.contains("Socket errors"),
      let found = text.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
      let rate = Double(found.dropFirst("Requests/sec:".count).trimmingCharacters(in: .whitespaces))
    else { throw Failure(description: "wrk: \(text)") }
    return rate
  }
}
