import Foundation

/// wrk, which sends one kind of request over and over on many connections.
struct Load: Sendable {
  let folder: String
  let seconds: Int

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What is sent, as the assignments and functions of a script of wrk's.
  struct Request: Sendable {
    let path: String
    let script: String

    static func post(_ path: String, _ body: String) -> Request {
      Request(path: path, script: "wrk.body = [[\(body)]]")
    }

    static func lookups(_ idToken: String) -> Request {
      post("/v1/accounts:lookup?key=k", #"{"idToken":"\#(idToken)"}"#)
    }

    static func refreshes(_ token: String) -> Request {
      post("/v1/token?key=k", #"{"grant_type":"refresh_token","refresh_token":"\#(token)"}"#)
    }

    /// Sign-ins of `user1@example.com` and so many others, one after the other.
    static func signIns(users: Int, password: String) -> Request {
      Request(
        path: "/v1/accounts:signInWithPassword?key=k",
        script: """
          local number = 0
          function request()
            number = number % \(users) + 1
            local body = '{"email":"user' .. number .. '@example.com","password":"\(password)"}'
            return wrk.format(nil, nil, nil, body)
          end
          """)
    }
  }

  /// Requests a second that were answered.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - address: the server's.
  ///   - connections: how many are open.
  ///   - patience: how long an answer may take, in seconds.
  /// - Throws: when an answer is not of the status 200, a connection failed or an answer took too long.
  func rate(
    _ request: Request, at address: String, connections: Int = 32, patience: Int = 5
  ) throws -> Double {
    let script = "\(folder)/\(UUID().uuidString).lua"
    try """
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
    \(request.script)
    """.write(toFile: script, atomically: true, encoding: .utf8)
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "wrk", "-t1", "-c\(connections)", "-d\(seconds)s", "--timeout", "\(patience)s", "-s", script,
      address + request.path,
    ]
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
