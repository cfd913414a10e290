import Foundation
import FoundationNetworking
import GatehouseQueues
import GatehouseServer

/// Sixteen requests at a time, each as large as a server accepts by default, and how long another client's `/healthz`
/// waits beside them.
struct LargestRequests: Sendable {
  /// The address of the server, and a user's ID token.
  let address: String
  let idToken: String

  private static let atOnce = 16
  private let requests = Self.session()
  private let health = Self.session()

  /// The longest wait of `/healthz` beside all kinds of requests, in seconds, and the slowest kind.
  func longestWait() async throws -> (seconds: Double, kind: String) {
    var longest = (seconds: 0.0, kind: "none")
    for kind in Kind.allCases {
      let wait = try await longestWait(beside: kind)
      if wait > longest.seconds { longest = (wait, "\(kind)") }
    }
    return longest
  }

  private func longestWait(beside kind: Kind) async throws -> Double {
    let request = try kind.request(address, idToken)
    let sending = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<Self.atOnce { group.addTask { try await status(of: request, requests) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let hasEnded = Lock(false)
    Task {
      _ = await sending.result
      hasEnded.withLock { $0 = true }
    }
    var longest = 0.0
    repeat {
      let begin = ContinuousClock.now
      guard try await status(of: URLRequest(url: Self.url(address + "/healthz")), health) == 200 else {
        throw Load.Failure(description: "/healthz was refused beside \(kind)")
      }
      longest = max(longest, (ContinuousClock.now - begin) / .seconds(1))
    } while !hasEnded.withLock { $0 }
    // A refusal is an answer; a request that is too large would have cost nothing.
    let statuses = Set(try await sending.value)
    guard statuses.isDisjoint(with: [413, 431, 414, 500, 503]) else {
      throw Load.Failure(description: "\(kind): \(statuses)")
    }
    return longest
  }

  private func status(of request: URLRequest, _ session: URLSession) async throws -> Int {
    let (_, response) = try await session.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }

  private static func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = atOnce
    configuration.timeoutIntervalForRequest = 300
    return URLSession(configuration: configuration)
  }

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw Load.Failure(description: "no URL: \(text.prefix(100))") }
    return url
  }

  /// The part of a request that is as large as it may be.
  enum Kind: CaseIterable {
    /// JSON: long texts with a password, a list of texts, a list of objects, numbers within arrays, many members, a
    /// character of combining marks.
    case password, texts, objects, nested, members, marks
    case form, query, headers, path

    func request(_ address: String, _ idToken: String) throws -> URLRequest {
      let limits = HTTPLimits()
      // Some room for what else is in the body or the header section.
      let (body, header) = (limits.bodyLength - 4096, limits.headerLength - 2048)
      func text(_ count: Int) -> String { String(repeating: "a", count: count) }
      func list(_ element: String) -> String {
        "[" + Array(repeating: element, count: body / (element.utf8.count + 1)).joined(separator: ",") + "]"
      }
      func items(_ length: Int) -> String { (0..<250).map { "&name\($0)=\(text(length / 250 - 10))" }.joined() }
      var (path, json) = ("/v1/accounts:update?key=k", #"{"idToken":"\#(idToken)"}"#)
      switch self {
      case .password:
        path = "/v1/accounts:signInWithPassword?key=k"
        json = #"{"email":"ada@example.com","password":"\#(text(4000))","tenantName":"\#(text(body - 8192))"}"#
      case .texts: json = #"{"idToken":"\#(idToken)","deleteProvider":\#(list(#""phone""#))}"#
      case .objects: json = #"{"idToken":"\#(idToken)","others":\#(list(#"{"rawId":"a","providerId":"b"}"#))}"#
      case .nested:
        json = #"{"idToken":"\#(idToken)","others":[[[[[[[[[[\#(list("1"))]]]]]]]]]]}"#
      case .members:
        let members = (0..<250).map { #","unknown member \#($0)":"\#(text(body / 250 - 30))""# }.joined()
        json = #"{"idToken":"\#(idToken)"\#(members)}"#
      case .marks:
        let marks = ["\u{301}", "\u{316}"].map { String(repeating: $0, count: body / 4) }.joined()
        json = #"{"idToken":"\#(idToken)","deleteProvider":["a\#(marks)"]}"#
      case .query: path += items(header)
      case .path: path = "/v1/" + text(2000) + "?key=k"
      case .form, .headers: break
      }
      var request = URLRequest(url: try LargestRequests.url(address + path))
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(json.utf8)
      if self == .form {
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("idToken=\(idToken)\(items(body))".utf8)
      }
      if self == .headers {
        for number in 0..<80 { request.setValue(text(header / 80 - 20), forHTTPHeaderField: "X-\(number)") }
      }
      return request
    }
  }
}
