import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseServer
import Testing

/// Who may make which call: every route, called with every kind of credential, without an emulator and in one.
struct AuthorityTests {
  /// The kinds of credentials: the columns of the table in `Docs/SECURITY.md`.
  private enum Credential: String, CaseIterable {
    case none = "none"
    case key = "API key"
    case otherKey = "another API key"
    case idToken = "user's ID token"
    case otherToken = "other token of a user"
    case pastAccount = "former service account"
    case account = "service account"
    case owner = "`Bearer owner`"
  }

  /// A server that knows one API key, and the texts of credentials.
  private struct Place {
    let scene: ServerScene
    let isEmulator: Bool
    private var bearers: [Credential: [String]] = [:]

    init(isEmulator: Bool) async throws {
      self.isEmulator = isEmulator
      scene = ServerScene(isEmulator: isEmulator) { _ in
      } options: {
        $0.apiKeys = ["k"]
        $0.publicURL = "http://localhost:9099"
      }
      let user = await scene.signUp()
      let account = try await KeyFile(scene, name: "present")
      let past = try await KeyFile(scene, name: "past")
      let custom = try account.customToken()
      func selfSigned(_ account: KeyFile) throws -> String {
        try account.assertion {
          $0["aud"] = "https://identitytoolkit.googleapis.com/"
          $0["sub"] = .string(account.email)
        }
      }
      let cookie = try await scene.provider.sessionCookie(forIDToken: user.idToken, lifetime: .seconds(300))
      bearers = [
        .idToken: [user.idToken],
        .otherToken: [
          try #require(user["refreshToken"]), cookie, custom, try account.assertion(), "k", "owner x", "x",
        ],
        .pastAccount: [try await past.accessToken(scene), try selfSigned(past)],
        .account: [try await account.accessToken(scene), try selfSigned(account)],
        .owner: ["owner"],
      ]
      _ = try await scene.provider.deleteServiceAccount("past")
    }

    /// Whether a credential's texts let a request in, which must be the same for all of them.
    func letsIn(_ route: String, with credential: Credential) async -> Set<Bool> {
      var answers: Set<Bool> = []
      for key in credential == .none ? [nil] : credential == .otherKey ? ["other"] : ["k", nil] {
        for bearer in bearers[credential].map({ $0.map(Optional.some) }) ?? [nil] {
          // A bearer's credential stands for itself; only an API key comes alone.
          if key == nil, credential == .key { continue }
          answers.insert(await letsIn(route, key: key, bearer: bearer))
        }
      }
      return answers
    }

    private func letsIn(_ route: String, key: String?, bearer: String?) async -> Bool {
      let words = route.split(separator: " ")
      var path = String(words[1])
      for (name, value) in [("project", "local"), ("tenantId", "none"), ("tenant", "none"), ("id", "none")] {
        path = path.replacing("{\(name)}", with: value)
      }
      var request = ServerRequest(String(words[0]), key.map { "\(path)?key=\($0)" } ?? path)
      if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
      if words[0] != "GET" { request.body = Array("{}".utf8) }
      let reply = await scene.send(request)
      return !Self.refusals.contains { reply.message?.hasPrefix($0) == true }
    }

    /// What a request is told whose sender may not make the call.
    private static let refusals = [
      "The request is missing a valid API key.", "API key not valid.",
      "The request's Authorization is not the credential of an administrator.",
      "INSUFFICIENT_PERMISSION : only an administrator may make this call",
    ]
  }

  /// The table's row for routes of the same call: at Google's host names as paths, and without them.
  private static func row(of route: String) -> String {
    var path = String(route.drop { $0 != " " }.dropFirst())
    for host in ["/identitytoolkit.googleapis.com", "/securetoken.googleapis.com", "/www.googleapis.com"]
    where path.hasPrefix(host) {
      path.removeFirst(host.count)
    }
    return "\(route.prefix { $0 != " " }) \(path)"
  }

  @Test func `every route lets in the credentials that the table names, and no others`() async throws {
    let real = try await Place(isEmulator: false)
    let emulator = try await Place(isEmulator: true)
    var rows: [String: [String]] = [:]
    var order: [String] = []
    for route in emulator.scene.server.routes {
      let isReal = real.scene.server.routes.contains(route)
      var cells: [String] = []
      for credential in Credential.allCases {
        let inEmulator = await emulator.letsIn(route, with: credential)
        let inReal = isReal ? await real.letsIn(route, with: credential) : [false]
        #expect(inEmulator.count == 1 && inReal.count == 1, "\(route): \(credential.rawValue)")
        switch (inReal.contains(true), inEmulator.contains(true)) {
        case (true, true): cells.append("yes")
        case (false, true): cells.append("emulator")
        case (false, false): cells.append("")
        case (true, false): Issue.record("\(route): only a server that is no emulator lets \(credential.rawValue) in")
        }
      }
      let row = Self.row(of: route)
      if let known = rows[row] {
        #expect(known == cells, "\(route) lets in others than the same call elsewhere")
      } else {
        rows[row] = cells
        order.append(row)
      }
    }
    #expect(real.scene.server.routes.allSatisfy(Set(emulator.scene.server.routes).contains))
    let header = ["call"] + Credential.allCases.map(\.rawValue)
    let lines =
      [header, header.map { _ in "---" }].map { "| \($0.joined(separator: " | ")) |" }
      + order.map { row in "| `\(row)` | \((rows[row] ?? []).joined(separator: " | ")) |" }
    let page = URL(filePath: #filePath).appending(path: "../../../../Docs/SECURITY.md").standardized
    let documented = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
    let missing = lines.filter { !documented.contains($0) }
    #expect(missing == [], "these rows are missing from Docs/SECURITY.md")
    let stale = documented.filter { ($0.hasPrefix("| `GET ") || $0.hasPrefix("| `P") || $0.hasPrefix("| `D")) }
      .filter { !lines.contains($0) }
    #expect(stale == [], "these rows of Docs/SECURITY.md are no longer so")
  }
}
