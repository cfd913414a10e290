import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseServer
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// What a stranger may send over a socket, to a server and to an emulator: each request gets an answer in the
/// protocol's shape or a closed connection, never the server's own fault, and the server goes on.
@Suite(.endsIfItHangs, .serialized) struct HostileRequestTests {
  /// Serves for as long as the work takes, and sees that it still serves well then.
  private func serving(
    _ isEmulator: Bool, _ adjust: (inout LocalOptions) -> Void = { _ in },
    limits change: (inout HTTPLimits) -> Void = { _ in },
    _ work: (ServerScene, ServerAddress) async throws -> Void
  ) async throws {
    let scene = ServerScene(isEmulator: isEmulator, adjust, options: { $0.apiKeys = ["k"] })
    var limits = HTTPLimits()
    change(&limits)
    let server = HTTPServer(scene.server, limits: limits)
    let address = try await server.start()
    do {
      try await work(scene, address)
      let answers = try await answers(to: .post("/v1/accounts:signUp?key=k", "{}"), at: address)
      #expect(answers.map(\.status) == [200], "the server goes on")
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  /// Sends bytes, and returns the answers that come until the server closes the connection.
  private func answers(to text: String, finishing: Bool = false, at address: ServerAddress) async throws -> [WireAnswer]
  {
    let received = try await onThread {
      let connection = try Connection(to: address)
      connection.send(text)
      if finishing { connection.finish() }
      return connection.readToEnd()
    }
    return try WireAnswer.all(in: #require(received, "the connection is neither answered nor closed"))
  }

  /// Every answer is a refusal as clients read it.
  private func expectRefused(_ answers: [WireAnswer], _ what: String) {
    for answer in answers {
      #expect((400...499).contains(answer.status), "\(what): \(answer.text.prefix(300))")
      // What is no HTTP request is refused before there is a route: without a body.
      guard !answer.body.isEmpty else { continue }
      #expect(answer.json["error"]?["code"]?.integer == Int64(answer.status), "\(what): \(answer.body.prefix(300))")
      #expect(answer.json["error"]?["message"]?.string?.isEmpty == false, "\(what)")
    }
  }

  // MARK: Requests

  @Test(arguments: [false, true])
  func `a body that is none of a call's is refused`(isEmulator: Bool) async throws {
    let deep = String(repeating: "[", count: 50_000)
    let bodies = [
      "{", "[]", "null", #"{"email":}"#, #"{"email":"a","email":"b"}"#, #"{"email":"a","\u0065mail":"b"}"#,
      #"{"a":\#(deep)"#, #"{"a":\#(deep)\#(String(repeating: "]", count: 50_000))}"#, "\u{0}", "\u{FEFF}{}",
      "email=ada%40example.com&password=correct+horse", "<?xml version=\"1.0\"?><email>a</email>",
      "--x\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\na\r\n--x--\r\n",
    ]
    try await serving(isEmulator) { scene, address in
      for body in bodies {
        for type in ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/xml", ""] {
          let request = String.post("/v1/accounts:signInWithPassword?key=k", body, "Content-Type: \(type)\r\n")
          let answers = try await answers(to: request, at: address)
          #expect(answers.map(\.status) == [400], "\(type): \(body.prefix(60))")
          expectRefused(answers, body)
        }
      }
      // JSON would be a form with an odd name.
      let form = String.post(
        "/v1/accounts:signInWithPassword?key=k", #"{"email":"a"}"#,
        "Content-Type: application/x-www-form-urlencoded\r\n")
      let refused = try await answers(to: form, at: address).map(\.message)
      #expect(refused.count == 1 && refused[0]?.hasSuffix("send Content-Type: application/json") == true)
    }
  }

  @Test(arguments: [false, true])
  func `a method that a path has not is refused, with those that it has`(isEmulator: Bool) async throws {
    try await serving(isEmulator) { _, address in
      func answers(_ method: String) async throws -> [WireAnswer] {
        try await self.answers(
          to: "\(method) /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
          at: address)
      }
      // What is no method, and one that is for proxies.
      for method in ["BREW", "post", "CONNECT"] { expectRefused(try await answers(method), method) }
      for method in ["GET", "PUT", "DELETE", "PATCH", "TRACE"] {
        let answers = try await answers(method)
        expectRefused(answers, method)
        #expect(answers.map(\.status) == [405], "\(method)")
        #expect(answers.first?.text.contains("\r\nAllow: POST\r\n") == true, "\(method)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `a request without the app's key is refused`(isEmulator: Bool) async throws {
    try await serving(isEmulator) { _, address in
      for (query, status) in [("", 403), ("?key=", 403), ("?key=wrong", 400), ("?key=k%00", 400), ("?key=%zz", 400)] {
        let answers = try await answers(to: .post("/v1/accounts:signUp\(query)", "{}"), at: address)
        #expect(answers.map(\.status) == [status], "\(query)")
        expectRefused(answers, query)
      }
    }
  }

  @Test(arguments: [false, true])
  func `a path that only resembles one leads nowhere`(isEmulator: Bool) async throws {
    try await serving(isEmulator) { _, address in
      for path in [
        "//v1/accounts:signUp", "/v1//accounts:signUp", "/v1/./accounts:signUp", "/v1/x/../accounts:signUp",
        "/../v1/accounts:signUp", "/%2e%2e/v1/accounts:signUp", "/v1/%2e/accounts:signUp", "/v1%2Faccounts:signUp",
        "/v1/accounts:signUp%00", "/v1/accounts:signUp%00.html", "/v1/accounts:signUp%", "/v1/accounts:signUp;a=b",
        "/v1/accounts:signUp/", "/v1\\accounts:signUp", "*", "v1/accounts:signUp",
        "http://localhost/v1//accounts:signUp",
        "/v1/\(String(repeating: "a", count: 4000))", "/v1/projects/\(String(repeating: "%41", count: 800))/accounts",
        "/\(String(repeating: "a/", count: 2000))",
      ] {
        let answers = try await answers(to: .post("\(path)?key=k", "{}"), at: address)
        #expect(answers.allSatisfy { $0.status == 404 || $0.status == 400 }, "\(path.prefix(60))")
        expectRefused(answers, path)
      }
      // A target with the host of the field is the same path (RFC 9112 §3.2.2); another host is refused.
      for (host, status) in [("localhost", 200), ("other.example", 400)] {
        let absolute = String.post("http://\(host)/v1/accounts:signUp?key=k", "{}")
        #expect(try await answers(to: absolute, at: address).map(\.status) == [status])
      }
      // A target longer than the headers may be ends the connection.
      let long = try await answers(to: .post("/\(String(repeating: "a", count: 100_000))", "{}"), at: address)
      expectRefused(long, "a long target")
    }
  }

  // MARK: Tokens

  @Test(arguments: [false, true])
  func `a token that is not a good one of this server's is refused`(isEmulator: Bool) async throws {
    let other = ServerScene(isEmulator: isEmulator)
    let foreign = await other.signUp()
    try await serving(isEmulator) { scene, address in
      let user = await scene.signUp()
      let parts = user.idToken.split(separator: ".").map(String.init)
      let payload = try #require(parts.dropFirst().first)
      let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().trimmingCharacters(in: ["="])
      let hmac = Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8).base64EncodedString().trimmingCharacters(in: ["="])
      let bad = [
        "", ".", "..", "a.b.c", foreign.idToken, "\(parts[0]).\(payload).", "\(none).\(payload).",
        "\(hmac).\(payload).\(parts[2])", "\(parts[0]).\(payload.dropLast())A.\(parts[2])",
        "\(parts[0]).\(payload).\(parts[2].reversed().map(String.init).joined())", user.idToken + "A",
        user.idToken + ".", " " + user.idToken, user["refreshToken"] ?? "", String(repeating: "a.", count: 20_000),
      ]
      func requests(_ token: String) -> [String] {
        [
          .post("/v1/accounts:lookup?key=k", #"{"idToken":"\#(token)"}"#),
          .post("/v1/accounts:update?key=k", #"{"idToken":"\#(token)","displayName":"Eve"}"#),
          .post("/v1/accounts:delete?key=k", #"{"idToken":"\#(token)"}"#),
          .post("/v1/accounts:query?key=k", "{}", "Authorization: Bearer \(token)\r\n"),
          .post("/v1/projects/local/accounts", "{}", "Authorization: Bearer \(token)\r\n"),
        ]
      }
      for token in bad {
        for request in requests(token) {
          let answers = try await answers(to: request, at: address)
          #expect([[400], [401], [403], [404], [405]].contains(answers.map(\.status)), "\(request.prefix(400))")
          expectRefused(answers, request)
        }
        let refresh = String.post("/v1/token?key=k", #"{"grant_type":"refresh_token","refresh_token":"\#(token)A"}"#)
        #expect(try await answers(to: refresh, at: address).map(\.status) == [400], "\(token.prefix(60))")
      }
      let known = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(user.idToken)"}"#)
      #expect(known.json["users"]?.array?.first?["displayName"] == nil, "nothing was changed")
      scene.clock.advance(by: .seconds(3700))
      let expired = try await answers(to: requests(user.idToken)[0], at: address)
      #expect(expired.map(\.message) == ["TOKEN_EXPIRED"])
    }
  }

  // MARK: Bodies and connections

  @Test(arguments: [false, true], [false, true])
  func `a body of 40 MB is refused, and not kept`(isEmulator: Bool, isChunked: Bool) async throws {
    try await serving(isEmulator) { _, address in
      let received = try await onThread {
        let connection = try Connection(to: address)
        let field = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 41943040"
        connection.send("POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
        let block = String(repeating: " ", count: 1 << 20)
        for _ in 1...40 where !connection.send(isChunked ? "100000\r\n\(block)\r\n" : block) { break }
        return connection.readToEnd()
      }
      // The connection may be reset before the answer is read: the client has not stopped to send.
      let answers = WireAnswer.all(in: received ?? "")
      #expect(answers.count <= 1)
      #expect(answers.allSatisfy { $0.status == 413 })
      expectRefused(answers, "40 MB")
    }
  }

  @Test(arguments: [false, true])
  func `what drips is not waited for longer than a request may take`(isEmulator: Bool) async throws {
    try await serving(isEmulator, limits: { $0.requestTime = .milliseconds(300) }) { _, address in
      let received = try await onThread {
        let connection = try Connection(to: address)
        connection.send("POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        // A byte at a time, until the server ends it: a connection that is never silent.
        while connection.send(" ") {}
        return connection.readToEnd()
      }
      #expect(received?.contains(" 200 ") != true)
    }
  }

  @Test(arguments: [false, true])
  func `a client that stops in the middle leaves nothing behind`(isEmulator: Bool) async throws {
    try await serving(isEmulator) { scene, address in
      let whole = String.post("/v1/accounts:signUp?key=k", #"{"email":"ada@example.com","password":"correct horse"}"#)
      for count in stride(from: 0, to: whole.utf8.count - 1, by: 7) {
        let answers = try await answers(
          to: String(decoding: whole.utf8.prefix(count), as: UTF8.self), finishing: true, at: address)
        expectRefused(answers, "\(count) bytes")
      }
      // Nothing of that was a sign-up. A whole request is carried out, though its sender says that nothing more comes.
      let answered = try await answers(to: whole, finishing: true, at: address)
      #expect(answered.map(\.status) == [200])
    }
  }

  @Test(arguments: [false, true])
  func `what follows a request whose end is in doubt is not read`(isEmulator: Bool) async throws {
    let hidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    let heads = [
      "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n{}",
      "Transfer-Encoding:\u{B}chunked\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n", "Content-Length: 2, 2\r\n\r\n{}",
      "Content-Length: 0x2\r\n\r\n{}", "Content-Length: -2\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n{}",
      "X: y\r\n folded: z\r\nContent-Length : 2\r\n\r\n{}", "Content-Length\r\n\r\n{}", ": 2\r\n\r\n{}",
    ]
    try await serving(isEmulator, limits: { $0.idleTime = .milliseconds(500) }) { _, address in
      for head in heads {
        let request = "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\n\(head)"
        let answers = try await answers(to: request + hidden, at: address)
        #expect(!answers.contains { $0.body.contains(#""status":"ok""#) }, "\(head)")
        expectRefused(answers, head)
      }
    }
  }

  /// A line that ends with a bare line feed, or goes on in the next one, may be taken or refused: both readers of one
  /// request see the same requests in it.
  @Test(arguments: [
    "GET /healthz HTTP/1.1\nHost: localhost\n\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\nTransfer-Encoding: chunked\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \u{0}\r\n\r\n",
    "GET  /healthz  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz\r\n\r\n",
  ])
  func `an odd line is one request at most`(text: String) async throws {
    try await serving(false, limits: { $0.idleTime = .milliseconds(500) }) { _, address in
      let answers = try await answers(to: text, finishing: true, at: address)
      #expect(answers.count <= 1)
      #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 })
    }
  }

  @Test(arguments: [false, true])
  func `requests that are sent before the answers are answered in their order`(isEmulator: Bool) async throws {
    try await serving(isEmulator) { _, address in
      let count = 50
      let requests = (0..<count).map { number in
        let path = number.isMultiple(of: 2) ? "/v1/accounts:signUp?key=k" : "/nowhere/\(number)"
        return String.post(path, "{}", close: number == count - 1)
      }
      let answers = try await answers(to: requests.joined(), at: address)
      #expect(answers.map(\.status) == (0..<count).map { $0.isMultiple(of: 2) ? 200 : 404 })
    }
  }

  // MARK: Races

  @Test(arguments: [false, true])
  func `a code that many send at once is used once`(isEmulator: Bool) async throws {
    try await serving(isEmulator) { scene, address in
      _ = await scene.signUp()
      let link = MakeActionLink(.passwordReset, email: "ada@example.com")
      let code = try #require(try await scene.provider.answer(link).oobCode).revealed
      let request = String.post(
        "/v1/accounts:resetPassword?key=k", #"{"oobCode":"\#(code)","newPassword":"a longer horse"}"#)
      let answers = try await withThrowingTaskGroup(of: [WireAnswer].self) { group in
        for _ in 1...20 { group.addTask { try await self.answers(to: request, at: address) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(answers.count { $0.status == 200 } == 1)
      #expect(answers.count { $0.message == "INVALID_OOB_CODE" } == 19)
    }
  }

  @Test(arguments: [false, true])
  func `a refresh token that many send at once is spent once`(isEmulator: Bool) async throws {
    let answers = try await twentyRefreshes(isEmulator, grace: .zero)
    #expect(answers.count { $0.status == 200 } == 1)
    #expect(answers.count { $0.message?.hasPrefix("TOKEN_EXPIRED") == true } == 19)
  }

  @Test(arguments: [false, true])
  func `within the grace many who send a refresh token at once get the same next one`(isEmulator: Bool) async throws {
    let answers = try await twentyRefreshes(isEmulator)
    #expect(answers.count { $0.status == 200 } == 20)
    #expect(Set(answers.map { $0.json["refresh_token"]?.string }).count == 1)
  }

  /// Twenty refreshes with one token, at once.
  private func twentyRefreshes(
    _ isEmulator: Bool, grace: Duration = .seconds(30)
  ) async throws -> [WireAnswer] {
    var answers: [WireAnswer] = []
    let rotate: (inout LocalOptions) -> Void = { ($0.rotatesRefreshTokens, $0.rotationGrace) = (true, grace) }
    try await serving(isEmulator, rotate) { scene, address in
      let token = try #require(await scene.signUp()["refreshToken"])
      let request = String.post("/v1/token?key=k", #"{"grant_type":"refresh_token","refresh_token":"\#(token)"}"#)
      answers = try await withThrowingTaskGroup(of: [WireAnswer].self) { group in
        for _ in 1...20 { group.addTask { try await self.answers(to: request, at: address) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
    }
    return answers
  }

  @Test(arguments: [false, true])
  func `of many sign-ups for one address at once one succeeds, and its account is whole`(isEmulator: Bool) async throws
  {
    try await serving(isEmulator) { _, address in
      let passwords = (1...20).map { "correct horse \($0)" }
      let answers = try await withThrowingTaskGroup(of: (String, [WireAnswer]).self) { group in
        for password in passwords {
          let request = String.post(
            "/v1/accounts:signUp?key=k", #"{"email":"ada@example.com","password":"\#(password)"}"#)
          group.addTask { (password, try await self.answers(to: request, at: address)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let made = answers.filter { $0.1.map(\.status) == [200] }
      #expect(made.count == 1)
      #expect(answers.count { $0.1.map(\.message) == ["EMAIL_EXISTS"] } == 19)
      let password = try #require(made.first?.0)
      let signIn = String.post(
        "/v1/accounts:signInWithPassword?key=k", #"{"email":"ada@example.com","password":"\#(password)"}"#)
      #expect(try await self.answers(to: signIn, at: address).map(\.status) == [200])
    }
  }
}

/// An answer as it came over a connection.
private struct WireAnswer: Sendable {
  let text: String
  let status: Int
  let body: String

  var json: JSONObject { (try? JSONObject(parsing: Array(body.utf8))) ?? [:] }
  var message: String? { json["error"]?["message"]?.string }

  /// The answers in what a connection has sent, one after the other.
  static func all(in text: String) -> [WireAnswer] {
    var answers: [WireAnswer] = []
    var rest = text[...]
    while let end = rest.range(of: "\r\n\r\n") {
      let head = String(rest[..<end.upperBound])
      let lines = head.components(separatedBy: "\r\n")
      let length =
        lines.first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
      let body = String(decoding: rest[end.upperBound...].utf8.prefix(length), as: UTF8.self)
      let status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
      answers.append(WireAnswer(text: head + body, status: status ?? 0, body: body))
      let next = rest.utf8.index(end.upperBound, offsetBy: length, limitedBy: rest.endIndex) ?? rest.endIndex
      rest = rest[next...]
    }
    return answers
  }
}

extension String {
  /// A request with a body, the last one of its connection unless it is said otherwise.
  fileprivate static func post(_ path: String, _ body: String, _ fields: String = "", close: Bool = true) -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(close ? "Connection: close\r\n" : "")\(fields)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}
