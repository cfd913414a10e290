import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The secrets that a reader of the provider's folder does not find there.
struct StoredSecretsTests {
  @Test func `no password, refresh token, code or cookie is in a file, and each has its bits`() async throws {
    let pager = Pager()
    let (scene, outbox) = Scene.sending { $0.textDelivery = pager }
    let user = try await scene.signUp("ada@example.com", "correct horse battery staple")
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: outbox.code))
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let reset = outbox.code
    let begun = try await scene.backend.answer(
      StartMfaEnrollment(idToken: user.idToken, phoneNumber: PhoneScene.number))
    let proof = PhoneVerificationInfo(
      sessionInfo: try #require(begun.phoneSessionInfo).sessionInfo, code: pager.code)
    let enrolled = try await scene.backend.answer(
      FinalizeMfaEnrollment(idToken: user.idToken, displayName: nil, proof))
    let recovery = try await scene.backend.answer(MakeRecoveryCodes(idToken: enrolled.idToken)).recoveryCodes
    let cookie = try await scene.backend.deviceCookie(forIDToken: enrolled.idToken.revealed)
    // Base64url has six bits in a character, and base32 five.
    #expect(enrolled.refreshToken.revealed.utf8.count * 6 >= 256)
    #expect(reset.revealed.utf8.count * 6 >= 320)
    #expect(recovery.allSatisfy { $0.revealed.filter { $0 != "-" }.utf8.count * 5 == 80 } && recovery.count == 10)
    let secrets =
      [Secret("correct horse battery staple"), user.refreshToken, enrolled.refreshToken, reset, cookie] + recovery
      + recovery.map { Secret($0.revealed.replacing("-", with: "")) }
    let files = try files(of: scene)
    #expect(files.contains { $0.bytes.range(of: Data("ada@example.com".utf8)) != nil })
    for file in files {
      for secret in secrets { #expect(file.bytes.range(of: Data(secret.revealed.utf8)) == nil, "\(file.name)") }
    }
  }

  @Test func `accounts with one password have hashes of different salts`() async throws {
    let scene = Scene()
    for name in ["ada", "bob"] { try await scene.signUp("\(name)@example.com", "correct horse") }
    var hashes: Set<Substring> = []
    for file in try files(of: scene) {
      let text = String(decoding: file.bytes, as: UTF8.self)
      for match in text.matches(of: /scrypt\$16\$1\$1\$([\w-]{22})\$[\w-]{43}/) { hashes.insert(match.1) }
    }
    #expect(hashes.count == 2)
  }

  private func files(of scene: Scene) throws -> [(name: String, bytes: Data)] {
    let names = try #require(FileManager.default.enumerator(atPath: scene.folder.home)).compactMap { $0 as? String }
    return names.compactMap { name in
      FileManager.default.contents(atPath: "\(scene.folder.home)/\(name)").map { (name, $0) }
    }
  }
}
