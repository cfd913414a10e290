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
    var script: String

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

  /// The answers of a server that may be too busy.
  struct Answers: Sendable, CustomStringConvertible {
    /// The number of answers of the status 200.
    let done: Int
    /// The number of answers of the status 503 with `Retry-After`.
    let busy: Int
    /// The number of other answers, and of requests without an answer.
    let failed: Int

    var description: String { "\(done) done, \(busy) told to come back, \(failed) failed" }
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
    let text = try output(request, at: address, connections, patience)
    guard !text.contains("Non-2xx"), !text.contains("Socket errors"),
      let found = text.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
      let rate = Double(found.dropFirst("Requests/sec:".count).trimmingCharacters(in: .whitespaces))
    else { throw Failure(description: "wrk: \(text)") }
    return rate
  }

  /// Counts the answers by their kinds. The parameters are those of `rate`.
  func answers(
    _ request: Request, at address: String, connections: Int, patience: Int
  ) throws -> Answers {
    var counted = request
    counted.script += """

      local all = {}
      function setup(thread) table.insert(all, thread) end
      completed, busy, strange = 0, 0, 0
      function response(status, headers)
        if status == 200 then completed = completed + 1 return end
        local asked = false
        for name in pairs(headers) do asked = asked or name:lower() == "retry-after" end
        if status == 503 and asked then busy = busy + 1 else strange = strange + 1 end
      end
      function done(summary)
        local sums = { completed = 0, busy = 0, strange = 0 }
        for _, thread in ipairs(all) do
          for name, sum in pairs(sums) do sums[name] = sum + thread:get(name) end
        end
        local errors = summary.errors
        local lost = errors.connect + errors.read + errors.write + errors.timeout
        io.write(string.format("Counted: %d %d %d\\n", sums.completed, sums.busy, sums.strange + lost))
      end
      """
    let text = try output(counted, at: address, connections, patience)
    let counts = text.split(separator: "\n").first { $0.hasPrefix("Counted: ") }?.split(separator: " ").compactMap {
      Int($0)
    }
    guard let counts, counts.count == 3 else { throw Failure(description: "wrk: \(text)") }
    return Answers(done: counts[0], busy: counts[1], failed: counts[2])
  }

  private func output(
    _ request: Request, at address: String, _ connections: Int, _ patience: Int
  ) throws -> String {
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
    guard process.terminationStatus == 0 else { throw Failure(description: "wrk: \(text)") }
    return text
  }
}
