import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// A provider in memory, under clocks that only the model moves, with all mailboxes, phones and identity providers.
///
/// Its runs come one after another, and each has addresses, numbers and users of its own.
public final class World: Sendable {
  /// The identity providers: one is trusted with the addresses that it has verified, the other is not.
  static let providers = ["oidc.trusted", "oidc.careless"]
  static let tenant = "north"
  private static let client = "app"

  let clock = ManualClocks()
  let post = Post()
  let backend: LocalBackend
  private let folder: String
  private let signer: TokenSigner
  private let runs = Lock(0)
  private let auditLines = Lock<[String: UInt64]>([:])

  /// Makes the provider.
  ///
  /// - Parameter isProtected: `LocalOptions.enumerationProtection`.
  init(isProtected: Bool) async throws {
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    folder = "\(parent)/gatehouse-ownership-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let key = try PrivateKey.generate(.p256)
    signer = try TokenSigner(key: key, keyID: "k1")
    let keys = String(
      decoding: try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k1")]).serialized(), as: UTF8.self)
    let transport = RecordingTransport()
    var options = LocalOptions()
    for name in Self.providers {
      let issuer = Self.issuer(name)
      transport.answer(
        "\(issuer)/.well-known/openid-configuration",
        .json(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#))
      transport.answer("\(issuer)/keys", .json(keys))
      var provider = IdentityProvider.openIDConnect(name, issuer: issuer, clientIDs: [Self.client])
      provider.isTrustedWithEmail = name == "oidc.trusted"
      options.identityProviders.append(provider)
    }
    options.transport = transport
    (options.delivery, options.textDelivery) = (post, post)
    options.clocks = clock
    options.signing = .es256
    options.passwordCost = .uncheckedForTests
    options.enumerationProtection = isProtected
    // The model is about what a credential opens, not about how often one may try.
    let often = Throttle(attempts: 1_000_000)
    (options.throttle, options.addressThrottle) = (often, often)
    (options.secondFactorThrottle, options.messageThrottle) = (often, often)
    options.audit = AuditOptions(maximumBytes: 1 << 40)
    backend = LocalBackend(directory: folder + "/home", options: options)
    _ = try await backend.createTenant(Self.tenant)
  }

  /// Closes the provider, and removes its folder.
  func close() async throws {
    try await backend.close()
    try FileManager.default.removeItem(atPath: folder)
  }

  /// Begins a run at the start of an hour, so that times of day are the same in each run.
  ///
  /// - Returns: what distinguishes the names of the run.
  func beginRun() -> Int {
    let now = clock.now().wall
    clock.advance(by: 3600 - now.truncatingRemainder(dividingBy: 3600) + 0.25)
    return runs.withLock { runs in
      runs += 1
      return runs
    }
  }

  /// The time, in seconds since 1970.
  var now: Int64 { Int64(clock.now().wall) }

  /// Makes a credential of an identity provider's user.
  func credential(_ provider: String, _ subject: String, _ email: String?, isVerified: Bool) throws
    -> IdentityCredential
  {
    var claims: JSONObject = [
      "iss": .string(Self.issuer(provider)), "aud": .string(Self.client), "sub": .string(subject),
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600)),
    ]
    if let email {
      claims["email"] = .string(email)
      claims["email_verified"] = .bool(isVerified)
    }
    var credential = IdentityCredential(providerID: provider)
    credential.idToken = Secret(try signer.sign(claims))
    return credential
  }

  /// The lines that the audit log has got since the last call.
  func newAuditLines() throws -> [JSONObject] {
    try auditLines.withLock { offsets in
      try ["audit", "security", "administration"].flatMap { name -> [JSONObject] in
        guard let log = FileHandle(forReadingAtPath: folder + "/home/audit/\(name).jsonl") else { return [] }
        defer { try? log.close() }
        try log.seek(toOffset: offsets[name, default: 0])
        let bytes = try log.readToEnd() ?? Data()
        offsets[name, default: 0] += UInt64(bytes.count)
        return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONObject(parsing: $0) }
      }
    }
  }

  private static func issuer(_ provider: String) -> String { "https://\(provider).example" }
}

/// All mailboxes and phones: keeps what the provider sends until a run takes it.
final class Post: MessageDelivery, TextDelivery {
  private let messages = Lock<[OutgoingMessage]>([])
  private let texts = Lock<[OutgoingText]>([])

  func deliver(_ message: OutgoingMessage) async throws(AuthError) { messages.withLock { $0.append(message) } }
  func deliver(_ text: OutgoingText) async throws(AuthError) { texts.withLock { $0.append(text) } }

  func takeMessages() -> [OutgoingMessage] { taken(messages) }
  func takeTexts() -> [OutgoingText] { taken(texts) }

  private func taken<Item>(_ box: Lock<[Item]>) -> [Item] {
    box.withLock { items in
      defer { items = [] }
      return items
    }
  }
}

extension RecordingTransport.Answer {
  fileprivate static func json(_ text: String) -> Self {
    .status(200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
  }
}
