import GatehouseBase
import IdentityToolkit

/// An error as the protocol's clients read it: `{"error": {"code", "message", "errors", "status"}}`.
struct Refusal: Error {
  /// The HTTP status.
  let status: Int
  /// `CODE`, `CODE : text`, or a sentence.
  let message: String
  /// Google's name of the kind of error: `INVALID_ARGUMENT`.
  var name: String?
  /// The older name of the kind.
  var reason = "invalid"
  /// How long to wait, in seconds.
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

  /// A body that is not JSON, or not the JSON of the call. The text is ours and holds nothing that was sent.
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

  static let unavailable = Refusal(
    status: 503, message: "the identity provider cannot be used now; try again later", name: "UNAVAILABLE",
    reason: "backendError")

  static let broken = Refusal(
    status: 500, message: "the identity provider cannot be used; its log says why", name: "INTERNAL",
    reason: "backendError")
}

extension Refusal {
  /// The protocol's word for it, or Google's name of its kind: one of a fixed set, whatever was sent.
  var word: String {
    let word = String(message.prefix { $0 != " " })
    if AuthError.serverWords[word] != nil { return word }
    return name ?? "OTHER"
  }
}

// MARK: Of an error of the provider

extension Refusal {
  /// What a client is told of a call that was refused. What is wrong with the provider itself is not the client's to
  /// know: such an error names files.
  init(_ error: AuthError) {
    switch error.code {
    case .providerUnavailable, .closed, .cancelled, .deadlineExceeded: self = .unavailable
    case .providerDamaged, .providerTooNew, .providerUnsafe: self = .broken
    case .internalError where error.serverCode == nil: self = .broken
    case .jsonMalformed, .jsonDuplicateMember, .jsonTooLarge: self = .unreadable(error.message)
    default:
      self.init(status: 400, message: error.protocolMessage)
      retryAfter = error.retryAfter.map { max($0.wholeSeconds, 1) }
    }
  }

  /// Whether the provider itself has failed, and not its caller.
  static func isFailure(_ error: AuthError) -> Bool { Refusal(error).status >= 500 }
}

extension AuthError {
  /// `CODE : text`, or `CODE` where there is nothing to add to what every client says of the code.
  fileprivate var protocolMessage: String {
    guard let word = serverCode else { return "\(Self.word(of: code)) : \(message)" }
    guard let advice = Self.serverWords[word]?.advice, message.hasPrefix(advice) else { return "\(word) : \(message)" }
    let detail = message.dropFirst(advice.count).drop { $0 == ":" || $0 == " " }
    return detail.isEmpty ? word : "\(word) : \(detail)"
  }

  /// The protocol's word for what the provider says in words of its own.
  private static func word(of code: Code) -> String {
    switch code {
    case .providerAlreadyLinked: "PROVIDER_ALREADY_LINKED"
    case .invalidRecipientEmail: "INVALID_RECIPIENT_EMAIL"
    case .invalidSender: "INVALID_SENDER"
    case .networkError: "INVALID_IDP_RESPONSE"
    default: "INVALID_ARGUMENT"
    }
  }
}
