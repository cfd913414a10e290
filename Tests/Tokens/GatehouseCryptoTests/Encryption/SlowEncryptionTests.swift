import Dispatch
import GatehouseBase
import GatehouseCrypto
import HangGuard
import Testing

/// Each test runs in its own process, which strict mode ends when slow work begins on a queue that must stay quick.
@Suite(.endsIfItHangs)
struct `Encryption on a queue that must stay quick` {
  /// The work that a child does on the queue, by the name that is passed to it.
  enum Work: String, CaseIterable, Codable, Sendable {
    case decryptOAEP, agree
    case encryptOAEP, seal

    var isSlow: Bool { self == .decryptOAEP || self == .agree }

    func run() throws {
      let queue = DispatchQueue(label: "quick")
      SlowWork.guardQueue(queue)
      let rsa = try PrivateKey.generate(.rsa(bits: 2048))
      let encrypted = try rsa.publicKey.encryptOAEP(SecretBytes([1]))
      let x25519 = try PrivateKey.generate(.x25519)
      let key = try AuthenticatedCipher.aes256GCM.makeKey()
      try queue.sync {
        switch self {
        case .decryptOAEP: _ = try rsa.decryptOAEP(encrypted)
        case .agree: _ = try x25519.agree(with: x25519.publicKey)
        case .encryptOAEP: _ = try rsa.publicKey.encryptOAEP(SecretBytes([1]))
        case .seal: _ = try AuthenticatedCipher.aes256GCM.seal([1], key: key)
        }
      }
    }
  }

  @Test(arguments: Work.allCases.filter(\.isSlow))
  func `uses no private key`(work: Work) async throws {
    let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [work] in
      endIfItHangs()
      StrictMode.turnOn()
      try work.run()
    }
    let said = String(decoding: child.standardErrorContent, as: UTF8.self)
    #expect(said.contains("began on quick: move it to a background queue"))
  }

  @Test(arguments: Work.allCases.filter { !$0.isSlow })
  func `may encrypt`(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      endIfItHangs()
      StrictMode.turnOn()
      try work.run()
    }
  }
}
