import GatehouseBase

/// What `--json` answers when a command fails: one line, as with an answer. The reason for people is on standard error
/// all the same.
///
///     {"error": {"code": "wrongPassword", "message": "…", "status": 1}}
struct FailureAnswer {
  let json: JSONObject

  /// A call that was refused.
  init(_ error: AuthError, status: Int32) {
    self.init(code: "\(error.code)", error.message, status, error.retryAfter)
  }

  /// Arguments that cannot be understood.
  init(usage message: String) { self.init(code: "usage", message, ExitStatus.usage, nil) }

  private init(code: String, _ message: String, _ status: Int32, _ retryAfter: Duration?) {
    var error: JSONObject = [
      "code": .string(code), "message": .string(message), "status": .number(JSONNumber(Int64(status))),
    ]
    error["retryAfter"] = retryAfter?.json
    json = ["error": .object(error)]
  }

  /// Writes the answer if the arguments ask for JSON; what cannot be written is told by the exit status alone.
  func write(ifAskedBy arguments: [String]) {
    guard Self.isAsked(by: arguments) else { return }
    try? StandardOutput.write(line: "\(json)")
  }

  /// The arguments of a program that `queuecheck` runs are not ours.
  private static func isAsked(by arguments: [String]) -> Bool {
    let own = arguments.prefix { $0 != "--" && $0 != "queuecheck" }
    return own.contains("--json")
  }
}

extension Duration {
  /// In whole seconds, rounded up.
  var json: JSONValue { .number(JSONNumber(Int64(inSeconds.rounded(.up)))) }
}

/// A refusal that the command has answered itself.
struct AnsweredRefusal: Error {
  let error: AuthError
}
