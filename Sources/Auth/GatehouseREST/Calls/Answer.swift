import FoundationEssentials
import GatehouseBase
import GatehouseHTTP
import IdentityToolkit

/// A server's answer.
struct Answer {
  private let response: TransportResponse
  private let email: String?
  private let now: Double

  /// - Parameters:
  ///   - email: the address that the call was about.
  ///   - now: the time, in seconds since 1970.
  init(_ response: TransportResponse, email: String?, at now: Double) {
    self.response = response
    self.email = email
    self.now = now
  }

  /// Whether the server refuses the sender's administrator credential.
  var refusesAuthorization: Bool { response.status == 401 }

  /// Returns the response to a call.
  ///
  /// - Throws: The server's refusal, or the reason why there is no answer.
  func read<C: Call>(to call: C) throws(AuthError) -> C.Response {
    guard (200...299).contains(response.status) else { throw refusal(of: C.self) }
    if let pending = pendingSignIn { throw .secondFactorRequired(pending) }
    if C.self is any ResourceCall.Type, let json = try? JSONObject(reading: response.body),
      let answer = ResourceAnswer(json) as? C.Response
    {
      return answer
    }
    let body = response.body.isEmpty ? Array("{}".utf8) : response.body
    let completed = (call as? ExchangeRefreshToken)?.completed(body, received: now) ?? body
    do { return try JSONDecoder().decode(C.Response.self, from: Data(completed)) } catch {
      // The decoder's own error quotes what it has read.
      let place = (error as? DecodingError)?.place ?? "it cannot be read"
      throw AuthError(
        .responseInvalid, "the server's answer to \(C.endpoint) is not as expected: \(place); is its URL right?")
    }
  }

  /// The sign-in that waits for a second factor, if the answer is one. It looks like the answer to a completed sign-in,
  /// without tokens.
  private var pendingSignIn: PendingSignIn? {
    struct Pending: Decodable {
      let idToken: Secret?
      let mfaPendingCredential: Secret?
      let mfaInfo: [Account.MfaEnrollment]?
    }
    guard let pending = try? JSONDecoder().decode(Pending.self, from: Data(response.body)), pending.idToken == nil,
      let credential = pending.mfaPendingCredential
    else { return nil }
    return PendingSignIn(credential: credential, factors: (pending.mfaInfo ?? []).map(\.factor))
  }

  // MARK: Refusals

  private func refusal<C: Call>(of call: C.Type) -> AuthError {
    let fault = Fault(response.body)
    let unavailability = response.unavailability(at: now)
    if let message = fault?.message, let word = fault?.word, ServerWord(rawValue: word) != nil {
      return AuthError(server: message.printable(upTo: 512), email: email, retryAfter: unavailability?.retryAfter)
    }
    if let error = fault?.keyRefusal { return error }
    if let unavailability {
      return AuthError(
        response.status == 429 ? .tooManyRequests : .networkError, "the server \(unavailability.text)",
        retryAfter: unavailability.retryAfter)
    }
    switch response.status {
    case 404, 405, 501:
      return AuthError(.operationNotAllowed, "this server does not answer \(C.endpoint); is its URL right?")
    case 300...399:
      return AuthError(.responseInvalid, "the server sends the call \(C.endpoint) elsewhere; give its new URL")
    case 413: return AuthError(.invalidArgument, "the call \(C.endpoint) is too long for the server")
    default: break
    }
    if let fault, !fault.message.isEmpty {
      // For a sentence, Google's status name says more than the first word.
      let kind = fault.status.flatMap { ServerWord(rawValue: $0) == nil ? nil : $0 + " : " } ?? ""
      return AuthError(server: kind + fault.message.printable(upTo: 512), email: email)
    }
    return AuthError(
      .responseInvalid,
      "the server answered \(C.endpoint) with status \(response.status), not as the protocol does; is its URL right?"
    )
  }

  /// The error of an answer, in the formats of servers and proxies.
  private struct Fault: Decodable {
    /// The protocol's error code with its text, or another text.
    let message: String
    /// Google's status name of the error: `PERMISSION_DENIED`.
    let status: String?
    /// Google's own reasons: `API_KEY_INVALID`.
    let reasons: [String]

    private struct Body: Decodable {
      struct Detail: Decodable { let reason: String? }

      let message: String?
      let status: String?
      let details: [Detail]?
    }

    private enum CodingKeys: String, CodingKey { case error }

    init?(_ body: [UInt8]) {
      guard let fault = try? JSONDecoder().decode(Fault.self, from: Data(body)), !fault.isEmpty else { return nil }
      self = fault
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      // OAuth's format has only an error code here.
      if let word = try? container.decode(String.self, forKey: .error) {
        message = word
        status = nil
        reasons = []
      } else {
        let body = try container.decode(Body.self, forKey: .error)
        message = body.message ?? body.status ?? ""
        status = body.status
        reasons = (body.details ?? []).compactMap(\.reason)
      }
    }

    private var isEmpty: Bool { message.isEmpty && reasons.isEmpty }

    var word: String { String(message.prefix { $0 != ":" && !$0.isWhitespace }) }

    /// The refusal of an API key, for which the protocol has no error code.
    var keyRefusal: AuthError? {
      if reasons.contains("API_KEY_INVALID") || message.hasPrefix("API key not valid") {
        return AuthError(.invalidAPIKey, "the server does not know this API key; take the project's own")
      }
      if reasons.contains(where: { $0.hasPrefix("API_KEY_") && $0.hasSuffix("_BLOCKED") }) {
        return AuthError(
          .appNotAuthorized, "the API key is restricted to other apps, addresses or services; change its restrictions")
      }
      return nil
    }
  }
}

extension TransportResponse {
  /// Returns the server's temporary unavailability; `nil` for a permanent refusal (501).
  func unavailability(at now: Double) -> Unavailability? { status == 501 ? nil : Unavailability(self, at: now) }
}
