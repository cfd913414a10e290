import Dispatch
import GatehouseBase
import GatehouseCrypto
import HangGuard
import Testing

/// Each test runs in its own process, which strict mode ends when slow work begins on a queue that must stay quick.
@Suite(.endsIfItHangs)
struct `On a queue that must stay quick` {
  /// The work that a child does on the queue, by the name that is passed to it.
  enum Work: String, CaseIterable, Codable, Sendable {
    case sign, signEd25519, generate, readPEM, readNumbers, hashPassword
    case verify, digest

    var isSlow: Bool { self != .verify && self != .digest }

    func run() throws {
      let queue = DispatchQueue(label: "quick")
      SlowWork.guardQueue(queue)
      let key = try PrivateKey.generate(.p256)
      let ed25519 = try PrivateKey.generate(.ed25519)
      let pem = try key.pem()
      let numbers = try key.revealedParameters()
      try queue.sync {
        switch self {
        case .sign: _ = try key.sign([], with: .ecdsa(.p256))
        case .signEd25519: _ = try ed25519.sign([], with: .ed25519)
        case .generate: _ = try PrivateKey.generate(.p256)
        case .readPEM: _ = try PrivateKey(pem: pem)
        case .readNumbers: _ = try PrivateKey(numbers)
        case .hashPassword: _ = try Scrypt.derive(password: [], salt: [], n: 2, r: 1, p: 1, count: 1)
        case .verify: _ = try key.publicKey.isValid([], for: [], with: .ecdsa(.p256))
        case .digest: _ = try HashAlgorithm.sha256.hash([])
        }
      }
    }
  }

  @Test(arguments: Work.allCases.filter(\.isSlow))
  func `private keys and password hashes are not used`(work: Work) async throws {
    let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [work] in
      endIfItHangs()
      StrictMode.turnOn()
      try work.run()
    }
    let said = String(decoding: child.standardErrorContent, as: UTF8.self)
    #expect(said.contains("began on quick: move it to a background queue"))
  }

  @Test(arguments: Work.allCases.filter { !$0.isSlow })
  func `signatures may be verified, and digests taken`(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      endIfItHangs()
      StrictMode.turnOn()
      try work.run()
    }
  }
}
