import GatehouseBase

/// What a command with `--json` writes if it fails: one line, like any other answer. The reason for people is on
/// standard error as well.
///
///     {"error": {"code": "wrongPassword", "message": "…", "status": 1}}
struct FailureAnswer {
  let json: JSONObject

  /// The answer for a call that was refused.
  init(_ error: AuthError, status: Int32) {
    self.init(code: "\(error.code)", error.message, status, error.retryAfter)
  }

  /// The answer for arguments that cannot be understood.
  init(usage message: String) { self.init(code: "usage", message, ExitStatus.usage, nil) }

  private init(code: String, _ message: String, _ status: Int32, _ retryAfter: Duration?) {
    var error: JSONObject = [
      "code": .string(code), "message": .string(message), "status": .number(JSONNumber(Int64(status))),
    ]
    error["retryAfter"] = retryAfter?.json
    json = ["error": .object(error)]
  }

  /// Writes the answer if the arguments ask for JSON. If it cannot be written, only the exit status tells that.
  func write(ifAskedBy arguments: [String]) {
    guard Self.isAsked(by: arguments) else { return }
    try? StandardOutput.write(line: "\(json)")
  }

  /// Whether the arguments ask for JSON. Arguments after `queuecheck` do not count: its `--json` names a file, and the
  /// program that it runs has arguments of its own.
  private static func isAsked(by arguments: [String]) -> Bool {
    let own = arguments.prefix { $0 != "--" && $0 != "queuecheck" }
    return own.contains("--json")
  }
}

extension Duration {
  /// In whole seconds, rounded up. A server may have named a number that does not fit.
  var json: JSONValue { .number(JSONNumber(Int64(clamping: inSeconds.rounded(.up)))) }
}

/// A refusal for which the command has already written the answer.
struct AnsweredRefusal: Error {
  let error: AuthError
}
