import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseServer
import IdentityToolkit
import Testing

/// A caller decides who receives a message, and nothing about the hosts, paths and apps in it that the owner of the
/// provider has not named.
struct MessageMembersTests {
  /// The rule that binds a member of a request for a message, as in `Docs/accounts.md`.
  private enum Rule: String {
    case purpose = "the protocol's names of purposes"
    case recipient = "it is the recipient"
    case authorizedDomains = "its host must be one of `authorizedDomains`"
    case linkDomains = "it must be one of `linkDomains`"
    case tenant = "it must be the identifier of a tenant"
    case language = "it must have the form of a language tag"
    case unused = "it is in no message"
  }

  /// The members of the protocol's call, and those that other versions of it had.
  private static let rules: KeyValuePairs<String, Rule> = [
    "requestType": .purpose, "email": .recipient, "newEmail": .recipient, "continueUrl": .authorizedDomains,
    "linkDomain": .linkDomains, "tenantId": .tenant, "locale": .language, "dynamicLinkDomain": .unused,
    "iOSBundleId": .unused, "iOSAppStoreId": .unused, "androidPackageName": .unused, "androidInstallApp": .unused,
    "androidMinimumVersion": .unused, "canHandleCodeInApp": .unused, "targetProjectId": .unused, "idToken": .unused,
    "captchaResp": .unused, "challenge": .unused, "userIp": .unused, "clientType": .unused, "recaptchaVersion": .unused,
    "returnOobLink": .unused,
  ]

  private final class Place {
    let scene: ServerScene
    let outbox: EmulatorOutbox

    init(linkDomains: [String] = []) throws {
      var kept: EmulatorOutbox?
      scene = ServerScene {
        kept = $0.keepMessages()
        $0.linkDomains = linkDomains
        $0.authorizedDomains = ["localhost", "shop.example"]
        ($0.actionURL, $0.messageThrottle) = ("https://id.shop.example/action", .unlimited)
      }
      outbox = try #require(kept)
    }

    func send(_ members: JSONObject, headers: TransportHeaders = [:]) async -> Reply {
      await scene.post("/v1/accounts:sendOobCode", JSONValue.object(members).description, headers: headers)
    }
  }

  private static let reset: JSONObject = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]

  @Test func `every member of a request for a message has a rule`() throws {
    let known = Set(Self.rules.map(\.key))
    for call: Any in [SendOobCode(.passwordReset), MakeActionLink(.passwordReset, email: "")] {
      for member in Mirror(reflecting: call).children {
        #expect(known.contains(try #require(member.label)), "\(member.label ?? "")")
      }
    }
    let file = URL(filePath: #filePath).appending(path: "../../../../Docs/accounts.md").standardized
    let page = try String(contentsOf: file, encoding: .utf8)
    for (member, rule) in Self.rules where rule != .unused {
      #expect(page.contains("| `\(member)` | \(rule.rawValue) |"), "\(member)")
    }
  }

  @Test(arguments: [
    "evil.example", "https://evil.example/x", "https://shop.example@evil.example/", "localhost:80", "shop.example",
    "https://evil.example#shop.example", "https://shop.example.evil.example", "https://evil.example\\@shop.example",
    "id.shop.example", "//evil.example", "https://shop.example:80@evil.example",
  ])
  func `no caller chooses a host, a path or an app in another person's message`(text: String) async throws {
    let place = try Place()
    #expect(await place.scene.signUp().status == 200)
    for (member, rule) in Self.rules {
      var members = Self.reset
      if rule == .language { members["locale"] = .string(text) } else { members[member] = .string(text) }
      let reply = await place.send(members, headers: rule == .language ? ["X-Firebase-Locale": text] : [:])
      await place.scene.provider.settle()
      if rule == .linkDomains {
        #expect(reply.message?.hasPrefix("INVALID_HOSTING_LINK_DOMAIN") == true, "\(reply.message ?? "")")
      }
      for message in place.outbox.messages {
        let link = message.link.revealed
        #expect(link.hasPrefix("https://id.shop.example/action?mode=resetPassword&"), "\(member): \(link)")
        #expect(!message.text.revealed.replacing("id.shop.example", with: "").contains(text), "\(member)")
        #expect(!link.contains("evil") && message.recipient == "ada@example.com", "\(member): \(link)")
      }
    }
    #expect(!place.outbox.messages.isEmpty)
  }

  @Test func `an administrator chooses a named link domain, too`() async throws {
    for (domains, isTaken) in [(["links.shop.example"], true), ([], false), (["shop.example"], false)] {
      let place = try Place(linkDomains: domains)
      #expect(await place.scene.signUp().status == 200)
      for domain in ["links.shop.example", "LINKS.shop.example"] {
        var call = MakeActionLink(.passwordReset, email: "ada@example.com")
        call.linkDomain = domain
        let made = try? await place.scene.provider.answer(call).oobLink?.revealed
        var members = Self.reset
        members["linkDomain"] = .string(domain)
        let sent = await place.send(members)
        if isTaken {
          #expect(made?.hasPrefix("https://links.shop.example/action?") == true)
          #expect(sent.status == 200)
          #expect(place.outbox.messages.last?.link.revealed.hasPrefix("https://links.shop.example/action?") == true)
        } else {
          #expect(made == nil)
          #expect(sent.message?.hasPrefix("INVALID_HOSTING_LINK_DOMAIN : \(domain) is not in linkDomains") == true)
        }
      }
    }
  }

  @Test func `a text to a phone has nothing of its request but the number`() async throws {
    let place = try Place()
    for member in ["recaptchaToken", "iosReceipt", "iosSecret", "captchaResponse", "playIntegrityToken"] {
      let body = JSONValue.object(["phoneNumber": "+12025550123", member: "evil.example"])
      #expect(await place.scene.post("/v1/accounts:sendVerificationCode", body.description).status == 200)
    }
    let hash = #"{"phoneNumber":"+12025550123","autoRetrievalInfo":{"appSignatureHash":"evil.example"}}"#
    #expect(await place.scene.post("/v1/accounts:sendVerificationCode", hash).status == 200)
    #expect(place.outbox.texts.count == 6)
    #expect(place.outbox.texts.allSatisfy { !$0.text.revealed.contains("evil") && $0.phoneNumber == "+12025550123" })
  }

  @Test(arguments: ["https://links.example", "links.example/x", "links.example:80", "", "a b", "x@links.example"])
  func `a link domain is a host alone`(domain: String) async throws {
    let scene = ServerScene({ $0.linkDomains = [domain] })
    let error = await #expect(throws: AuthError.self) { try await scene.provider.open() }
    #expect(error?.message.contains("a link domain is a host alone") == true, "\(error?.message ?? "")")
  }
}
