import GatehouseBase
import GatehouseHTTP
import GatehouseServer
import HangGuard
import Testing

/// The work that a request may cause. It is counted in steps (`Steps`) instead of seconds: in a process of its own,
/// because other tests would be counted too.
@Suite(.endsIfItHangs) struct CostTests {
  /// The largest body that the servers of this test accept, in bytes.
  private static let largest = 16 << 10

  @Test(.enabled(if: Steps.total != nil, "a release build counts no steps"))
  func `a request of any shape causes work in proportion to its length, on every route`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for isEmulator in [false, true] {
        let scene = ServerScene(isEmulator: isEmulator) { _ in
        } options: {
          $0.apiKeys = ["k"]
          $0.json.bytes = CostTests.largest
          $0.trustedProxies = (try? .networks(["10.0.0.0/8"])) ?? .none
        }
        for route in Set(scene.server.routes.map(CostTests.withoutHost)).sorted() {
          for shape in LargeRequest.allCases {
            var costs: [(bytes: Int, steps: Int)] = []
            for size in [CostTests.largest / 2, CostTests.largest] {
              // Each request has a session of its own, because the former one may have ended it.
              let user = await scene.post("/v1/accounts:signUp", "{}")
              let request = shape.request(route, of: size, idToken: user.idToken)
              let before = Steps.total ?? 0
              _ = await scene.server.answer(request)
              costs.append((size, (Steps.total ?? 0) - before))
            }
            let (half, whole) = (costs[0], costs[1])
            // Half of the work and a little more, and never more than so much for a byte.
            #expect(whole.steps <= 5 * half.steps / 2 + 2000, "\(route), \(shape): \(costs)")
            #expect(whole.steps <= 100 * whole.bytes, "\(route), \(shape): \(costs)")
          }
        }
      }
    }
  }

  /// The route without a host of Google's: it makes the same call there.
  private static func withoutHost(_ route: String) -> String {
    let parts = route.split(separator: " ", maxSplits: 1)
    let segments = parts[1].split(separator: "/")
    guard segments.count > 1, segments[0].hasSuffix(".googleapis.com") else { return route }
    return "\(parts[0]) /\(segments.dropFirst().joined(separator: "/"))"
  }
}

/// A shape of a request that is as large as a server accepts.
private enum LargeRequest: CaseIterable {
  /// In JSON: texts, lists of texts, lists of objects, unknown members, arrays in arrays.
  case texts, lists, objects, members, nested
  case form, query, headers, hops, path

  /// Makes a request.
  ///
  /// - Parameter size: the length of the part that is large, in bytes, as far as the limits of its kind allow.
  func request(_ route: String, of size: Int, idToken: String) -> ServerRequest {
    let words = route.split(separator: " ", maxSplits: 1)
    var path = String(words[1])
    for (name, value) in [("project", "local"), ("tenantId", "none"), ("tenant", "none"), ("id", "none")] {
      path = path.replacing("{\(name)}", with: value)
    }
    if self == .path { path += String(repeating: "/%61", count: min(size, 2000) / 4) }
    var query = "key=k"
    if self == .query { query += Self.items(size) }
    var request = ServerRequest(String(words[0]), "\(path)?\(query)", peer: "10.0.0.1")
    request.headers["Authorization"] = route.contains("/projects/") ? "Bearer owner" : nil
    if self == .headers {
      for number in 0..<size / 256 { request.headers.add("X-\(number)", Self.text(240)) }
    }
    if self == .hops { request.headers["X-Forwarded-For"] = Self.list(size, "10.0.0.1").joined(separator: ", ") }
    guard words[0] != "GET" else { return request }
    if self == .form { request.headers["Content-Type"] = "application/x-www-form-urlencoded" }
    let body = self == .form ? "idToken=\(idToken)" + Self.items(size) : json(size, idToken).description
    request.body = Array(body.utf8)
    return request
  }

  private func json(_ size: Int, _ idToken: String) -> JSONObject {
    // The rest of the body.
    let size = size - idToken.utf8.count - 512
    var body: JSONObject = ["idToken": .string(idToken), "requestType": "PASSWORD_RESET", "grantType": "refresh_token"]
    switch self {
    case .texts:
      for name in Self.textNames { body[name] = .string(Self.text(size / Self.textNames.count - 20)) }
    case .lists:
      let list = JSONValue.array(Self.list(size / Self.listNames.count - 24, "phone").map(JSONValue.string))
      for name in Self.listNames { body[name] = list }
    case .objects:
      let objects = JSONValue.array(
        Self.list(size / (Self.objectNames.count + 1) - 40, "0123456789012345678").map {
          ["rawId": .string($0), "providerId": "phone", "localId": "a"]
        })
      for name in Self.objectNames { body[name] = objects }
      body["mfa"] = ["enrollments": objects]
    case .members:
      for number in 0..<250 { body["unknown member \(number)"] = .string(Self.text(size / 250 - 30)) }
    case .nested:
      var value = JSONValue.array(Self.list(size - 200, "1").map(JSONValue.string))
      for _ in 0..<12 { value = .array([value]) }
      body["customAttributes"] = value
    default: break
    }
    return body
  }

  private static let textNames = [
    "email", "password", "displayName", "photoUrl", "refreshToken", "oobCode", "newPassword", "token", "phoneNumber",
    "sessionInfo", "code", "continueUrl", "newEmail", "mfaPendingCredential", "mfaEnrollmentId", "requestUri",
    "postBody", "identifier", "customAttributes", "sessionId", "sharedSecretKey",
  ]
  private static let listNames = ["deleteProvider", "deleteAttribute", "localId", "email", "phoneNumber"]
  private static let objectNames = ["mfaInfo", "providerUserInfo", "users", "expression", "sortBy", "federatedUserId"]

  private static func text(_ length: Int) -> String { String(repeating: "a", count: max(length, 1)) }

  /// As many texts as a part of the JSON of that length has.
  private static func list(_ length: Int, _ text: String) -> [String] {
    Array(repeating: text, count: max(length, 0) / (text.utf8.count + 3))
  }

  /// Parameters of a form or a query.
  private static func items(_ size: Int) -> String {
    (0..<min(size / 64, 250)).map { "&parameter\($0)=\(text(48))" }.joined()
  }
}
