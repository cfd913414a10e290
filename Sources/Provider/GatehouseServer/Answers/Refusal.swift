import GatehouseBase
import IdentityToolkit

/// An error in the protocol's format: `{"error": {"code", "message", "errors", "status"}}`.
struct Refusal: Error {
  /// The HTTP status.
  let status: Int
  /// The message: `CODE`, `CODE : text`, or a sentence.
  let message: String
  /// Google's status name of the error: `INVALID_ARGUMENT`.
  var name: String?
  /// The older name of the kind of error.
  var reason = "invalid"
  /// The time to wait, in seconds.
  var retryAfter: Int64?
  var allowedMethods: [String] = []

  var response: ServerResponse {
    let code = JSONValue.number(JSONNumber(status))
    let text = JSONValue.string(message)
    var error: JSONObject = [
      "code": code, "message": text,
      "errors": [["message": text, "domain": "global", "reason": .string(reason)]],
    ]
    error["status"] = name.map(JSONValue.string)
    var response = ServerResponse(status: status, json: ["error": .object(error)])
    if let retryAfter { response.headers.add("Retry-After", String(retryAfter)) }
    if !allowedMethods.isEmpty { response.headers.add("Allow", allowedMethods.joined(separator: ", ")) }
    return response
  }
}

extension Refusal {
  static func invalid(_ message: String) -> Refusal { Refusal(status: 400, message: message, name: "INVALID_ARGUMENT") }

  /// Returns the refusal of a body that is not JSON, or not the JSON of the call. The text is the server's own and
  /// contains nothing of the request.
  static func unreadable(_ advice: String) -> Refusal { invalid("Invalid JSON payload received. \(advice)") }

  static let notFound = Refusal(
    status: 404, message: "there is nothing at this path", name: "NOT_FOUND", reason: "notFound")

  static func methodNotAllowed(_ allowed: [String]) -> Refusal {
    var refusal = Refusal(
      status: 405, message: "this path is for \(allowed.joined(separator: " or "))", reason: "httpMethodNotAllowed")
    refusal.allowedMethods = allowed
    return refusal
  }

  static let tooLarge = Refusal(
    status: 413, message: "the request is longer than this server takes", reason: "uploadTooLarge")

  /// A body that ends before its header says so, or whose chunks are malformed.
  static let cutShort = invalid("the request's body has not come as its header says")

  static let encodedBody = Refusal(
    status: 415, message: "a body is taken as it is: send it without Content-Encoding", name: "INVALID_ARGUMENT",
    reason: "unsupportedMediaType")

  static func tooManyRequests(retryAfter seconds: Int64) -> Refusal {
    Refusal(
      status: 429, message: "TOO_MANY_ATTEMPTS_TRY_LATER : too many requests come from this address",
      name: "RESOURCE_EXHAUSTED", reason: "rateLimitExceeded", retryAfter: max(seconds, 1))
  }

  static let noKey = Refusal(
    status: 403, message: "The request is missing a valid API key.", name: "PERMISSION_DENIED", reason: "forbidden")

  static let wrongKey = Refusal(
    status: 400, message: "API key not valid. Please pass a valid API key.", name: "INVALID_ARGUMENT",
    reason: "badRequest")

  static let wrongCredential = Refusal(
    status: 401, message: "The request's Authorization is not the credential of an administrator.",
    name: "UNAUTHENTICATED", reason: "authError")

  static let notAdministrator = Refusal(
    status: 403, message: "INSUFFICIENT_PERMISSION : only an administrator may make this call",
    name: "PERMISSION_DENIED", reason: "forbidden")

  static let foreignPage = Refusal(
    status: 403,
    message: "this emulator is for web pages of this machine; name another origin with gate serve --allow-origin",
    name: "PERMISSION_DENIED", reason: "forbidden")

  /// A web page of an origin that `ServerOptions.allowedOrigins` does not have.
  static let foreignOrigin = Refusal(
    status: 403,
    message: "web pages of this origin may not use this server; its owner names others: authorizedDomains of "
      + "provider.json, gate serve --allow-origin, or allowedOrigins of the server in code",
    name: "PERMISSION_DENIED", reason: "forbidden")

  /// An emulator over a provider that is none.
  static let noEmulator = Refusal(
    status: 500, message: "the server is an emulator, and its provider is none: use LocalOptions.actAsEmulator()",
    name: "INTERNAL", reason: "backendError")

  static let wrongProjectName = Refusal(
    status: 400,
    message: "INVALID_PROJECT_ID : a project's name is 1 to 63 letters, digits, hyphens, underscores and periods",
    name: "INVALID_ARGUMENT")

  static func anotherProject(than own: String) -> Refusal {
    Refusal(
      status: 404, message: "PROJECT_NOT_FOUND : this server's project is \(own)", name: "NOT_FOUND", reason: "notFound"
    )
  }

  static let absentProject = Refusal(
    status: 404, message: "PROJECT_NOT_FOUND : it does not exist yet; a project begins with its first account",
    name: "NOT_FOUND", reason: "notFound")

  static let unavailable = Refusal(
    status: 503, message: "the identity provider cannot be used now; try again later", name: "UNAVAILABLE",
    reason: "backendError")

  static let tooManyConnections = Refusal(
    status: 503, message: "the server has as many connections as it takes; try again later", name: "UNAVAILABLE",
    reason: "backendError", retryAfter: 1)

  static let tooManyBodies = Refusal(
    status: 503, message: "the server has as many long requests as it takes; try again later", name: "UNAVAILABLE",
    reason: "backendError", retryAfter: 1)

  static let broken = Refusal(
    status: 500, message: "the identity provider cannot be used; its log says why", name: "INTERNAL",
    reason: "backendError")
}

extension Refusal {
  /// The protocol's error code, or Google's status name: one of a fixed set, whatever the request contains.
  var word: String {
    let word = String(message.prefix { $0 != " " })
    if ServerWord(rawValue: word) != nil { return word }
    return name ?? "OTHER"
  }
}

extension ServerRequest {
  /// Whether the body is compressed or otherwise encoded.
  var hasEncodedBody: Bool {
    guard !body.isEmpty, let coding = value(of: .contentEncoding) else { return false }
    return coding.lowercased() != "identity"
  }
}

// MARK: From an error of the provider

extension Refusal {
  /// Makes the answer to a call that was refused. Faults of the provider itself are not revealed to the client, because
  /// such errors contain file names.
  init(_ error: AuthError) {
    switch error.code {
    case .providerUnavailable, .closed, .cancelled, .deadlineExceeded: self = .unavailable
    case .providerDamaged, .providerTooNew, .providerTooOld, .providerUnsafe: self = .broken
    case .internalError where error.serverCode == nil: self = .broken
    case .jsonMalformed, .jsonDuplicateMember, .jsonTooLarge: self = .unreadable(error.message)
    default:
      self.init(status: 400, message: error.protocolMessage)
      if error.isOverload { self = Refusal(status: 503, message: message, name: "UNAVAILABLE", reason: "backendError") }
      retryAfter = error.retryAfter.map { max($0.wholeSeconds, 1) }
    }
  }

  /// Whether the provider itself has failed, as opposed to its caller. An overload is no failure: anyone can cause it,
  /// and it must not fill the log.
  static func isFailure(_ error: AuthError) -> Bool { !error.isOverload && Refusal(error).status >= 500 }
}

extension AuthError {
  /// `CODE : text`, or `CODE` if the text adds nothing to the code's standard advice.
  fileprivate var protocolMessage: String {
    guard let word = serverCode else { return "\(Self.word(of: code).rawValue) : \(message)" }
    return serverDetail.map { "\(word) : \($0)" } ?? word
  }

  /// Returns the protocol's error code for an error that has none.
  private static func word(of code: Code) -> ServerWord {
    switch code {
    case .providerAlreadyLinked: .providerAlreadyLinked
    case .invalidRecipientEmail: .invalidRecipientEmail
    case .invalidSender: .invalidSender
    case .networkError: .invalidIDPResponse
    default: .invalidArgument
    }
  }
}
