import GatehouseBase
import GatehouseHTTP
import GatehouseREST
import GatehouseTesting
import IdentityToolkit
import Testing

/// What comes back, good or odd, is an answer or an error that says what to do.
struct AnswerTests {
  private let transport = RecordingTransport()
  private static let url = "https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k"
  private let call = SignInWithPassword(email: "ada@example.org", password: Secret("the password"))

  @Test func `a sign-in has the tokens, whatever else is in the answer`() async throws {
    let body = #"""
      {"kind":"identitytoolkit#VerifyPasswordResponse","localId":"u","email":"ada@example.org","displayName":"",
      "idToken":"i","registered":true,"refreshToken":"r","expiresIn":"3600","new":[{"a":1}]}
      """#
    let answer = try await answer(200, body)
    #expect(answer.idToken == Secret("i"))
    #expect(answer.expiresIn.value == 3600)
  }

  /// OAuth lets a server leave these out (RFC 6749 §5.1, §6), and servers send them in other ways.
  @Test(arguments: [
    "", #","refresh_token":"","expires_in":"","token_type":null"#, #","refresh_token":null,"expires_in":null"#,
  ])
  func `a refresh without a new refresh token, a type or a lifetime has the ones that it must have`(
    rest: String
  ) async throws {
    let claims = Base64URL.encode(Array(#"{"sub":"u","iat":1000,"exp":2800}"#.utf8))
    let body = #"{"id_token":"e30.\#(claims).s","user_id":"u"\#(rest)}"#
    let answer = try await refreshed(body)
    #expect(answer.refreshToken == Secret("sent"))
    #expect(answer.tokenType == "Bearer" && answer.expiresIn.value == 1800)
  }

  @Test func `a refresh with all of them keeps them, and one without an ID token is no answer`() async throws {
    let body = #"{"id_token":"i","user_id":"u","refresh_token":"next","token_type":"Bearer","expires_in":60}"#
    let answer = try await refreshed(body)
    #expect(answer.refreshToken == Secret("next") && answer.expiresIn.value == 60)
    let error = await #expect(throws: AuthError.self) { try await refreshed("{}") }
    #expect(error?.code == .responseInvalid)
  }

  @Test func `a sign-in that waits for a second factor is one`() async throws {
    let body = #"""
      {"localId":"u","mfaPendingCredential":"pending","mfaInfo":[{"phoneInfo":"+*******1234","mfaEnrollmentId":"f",
      "displayName":"phone","enrolledAt":"2026-11-20T10:00:00.123456Z"},{"mfaEnrollmentId":"g","totpInfo":{}}]}
      """#
    let error = try await refusal(200, body)
    #expect(error.code == .secondFactorRequired)
    let pending = try #require(error.pendingSignIn)
    #expect(pending.credential == Secret("pending"))
    #expect(pending.factors.map(\.uid) == ["f", "g"])
    #expect(pending.factors.map(\.factorID) == ["phone", "totp"])
  }

  @Test func `the protocol's words are our codes, with the call's address`() async throws {
    let error = try await refusal(400, fault("EMAIL_EXISTS"))
    #expect(error.code == .emailAlreadyInUse)
    #expect(error.email == "ada@example.org")
    #expect(error.serverCode == "EMAIL_EXISTS")
    let weak = try await refusal(400, fault("WEAK_PASSWORD : Password should be at least 6 characters"))
    #expect(weak.code == .weakPassword)
    #expect(weak.message.contains("at least 6 characters"))
  }

  @Test(arguments: [
    (
      #"{"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
      AuthError.Code.invalidAPIKey
    ),
    (#"{"error":{"code":400,"message":"x","details":[{"@type":"a","reason":"API_KEY_INVALID"}]}}"#, .invalidAPIKey),
    (
      #"{"error":{"code":403,"message":"x","details":[{"reason":"API_KEY_HTTP_REFERRER_BLOCKED"}]}}"#,
      .appNotAuthorized
    ),
    (#"{"error":{"code":400,"message":"SOMETHING_NEW : text"}}"#, .internalError),
    (#"{"error":"invalid_grant","error_description":"Bad"}"#, .internalError),
  ])
  func `refusals that the protocol has no word for say what is wrong`(body: String, code: AuthError.Code) async throws {
    #expect(try await refusal(400, body).code == code)
  }

  @Test(arguments: [
    (200, "", AuthError.Code.responseInvalid), (200, "<html>Please log in to the network</html>", .responseInvalid),
    (200, #"{"localId":"u","idToken":"i""#, .responseInvalid), (200, #"{"localId":7}"#, .responseInvalid),
    (200, "[]", .responseInvalid), (200, "null", .responseInvalid),
    (204, "", .responseInvalid), (301, "", .responseInvalid), (400, "<html>", .responseInvalid),
    (400, #"{"error":{}}"#, .responseInvalid), (400, #"{"error":{"message":7}}"#, .responseInvalid),
    (401, "", .responseInvalid), (404, "<html>Not found</html>", .operationNotAllowed),
    (405, "", .operationNotAllowed), (413, "", .invalidArgument), (418, "", .responseInvalid),
    (500, "<html>", .networkError), (501, "", .operationNotAllowed), (502, "", .networkError), (503, "", .networkError),
  ])
  func `an answer that is none has an error`(status: Int, body: String, code: AuthError.Code) async throws {
    let error = try await refusal(status, body)
    #expect(error.code == code)
    #expect(!error.message.contains("the password"))
    #expect(!error.message.contains("html"), "text of others stays out")
  }

  @Test(arguments: [429, 503]) func `a server that is busy says how long`(status: Int) async throws {
    let error = try await refusal(status, "", ["Retry-After": "120"])
    #expect(error.code == (status == 429 ? .tooManyRequests : .networkError))
    #expect(error.retryAfter == .seconds(120))
  }

  @Test func `text of a server is made safe to print`() async throws {
    let error = try await refusal(400, fault("NEW_WORD \\u001b[31m" + String(repeating: "x", count: 10_000)))
    #expect(error.message.utf8.count < 1000)
    #expect(!error.message.contains("\u{1B}"))
  }

  @Test func `an answer that is too long is cut off by the transport`() async throws {
    let error = try await refusal(200, String(repeating: " ", count: 20 << 20))
    #expect(error.code == .responseTooLarge)
  }

  private func fault(_ message: String) -> String { #"{"error":{"code":400,"message":"\#(message)"}}"# }

  private func refreshed(_ body: String) async throws(AuthError) -> ExchangeRefreshToken.Response {
    transport.answer("https://securetoken.googleapis.com/v1/token?key=k", .status(200, body: Array(body.utf8)))
    return try await RESTBackend(apiKey: "k", options: RESTOptions(server: .google), transport: transport)
      .answer(ExchangeRefreshToken(refreshToken: Secret("sent")))
  }

  private func answer(
    _ status: Int, _ body: String, _ headers: TransportHeaders = [:]
  ) async throws(AuthError) -> SignInResponse {
    var options = RESTOptions(server: .google)
    options.attempts = 1
    transport.answer(Self.url, .status(status, headers: headers, body: Array(body.utf8)))
    return try await RESTBackend(apiKey: "k", options: options, transport: transport).answer(call)
  }

  private func refusal(_ status: Int, _ body: String, _ headers: TransportHeaders = [:]) async throws -> AuthError {
    do throws(AuthError) { _ = try await answer(status, body, headers) } catch { return error }
    struct NotRefused: Error {}
    throw NotRefused()
  }
}
