import GatehouseBase
import GatehouseCrypto
import GatehouseFirebase
import GatehouseLocal
import Synchronization

/// The project's own server, and the authenticator app on a user's phone: everything that is not the app.
enum Project {
  private static let provider = Mutex((home: "", options: LocalOptions()))

  /// Options of a provider that hashes quickly, delivers to `Mailbox` and believes any Google.
  static func options(home: String) -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: "1:1234567890:ios:0a1b2c", gcmSenderID: "1234567890")
    options.home = home
    options.provider.passwordCost = .uncheckedForTests
    options.provider.delivery = Mailbox.shared
    options.provider.textDelivery = Mailbox.shared
    options.provider.acceptsUnverifiedIdentities = true
    options.provider.authorizedDomains = ["localhost", "example.com"]
    let made = (home, options.provider)
    provider.withLock { $0 = made }
    return options
  }

  /// A custom token, as a server of the project makes one.
  static func customToken(for uid: String, claims: JSONObject = JSONObject()) async throws -> String {
    let (home, options) = provider.withLock { $0 }
    return try await LocalBackend(directory: home + "/provider", options: options)
      .customToken(forUser: uid, claims: claims)
  }

  /// The one-time password that an authenticator app shows now, or a number of half minutes later.
  static func oneTimePassword(_ secret: String, later steps: Int = 0) -> String {
    let now = Int64(SystemClocks().now().wall) + Int64(30 * steps)
    let bytes = SecretBytes(Base32.decode(secret) ?? [])
    return (try? OneTimePassword.password(bytes, step: OneTimePassword.step(at: now))) ?? ""
  }

  /// Makes a user whose address is verified, and signs the user out.
  static func makeUser(_ email: String, password: String = "correct horse") async throws {
    let user = try await Auth.auth().createUser(withEmail: email, password: password).user
    try await user.sendEmailVerification()
    try await Auth.auth().applyActionCode(await Mailbox.shared.code(to: email))
    try Auth.auth().signOut()
  }
}
