import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// The programs of `Docs/tokens.md`, as a reader runs them.
struct TokensPageTests {
  @Test func `the page has a program for each task`() throws {
    let page = DocumentPrograms.tokens
    #expect(page.blocks.count == page.names.count)
    let tasks = try Repository.text(of: page.path).matches(of: /^##\s\d\.\s/.anchorsMatchLineEndings())
    #expect(tasks.count == page.names.count)
  }

  @Test(.releaseCheck) func `what one program signs another one verifies, and reads`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let token = try await package.run("TokensSign", in: folder).output
      let verified = try await package.run("TokensVerify", in: folder, input: token)
      #expect(verified.succeeded && verified.output == "Welcome, ada.\n", "\(verified)")
      let read = try await package.run("TokensRead", in: folder, input: token)
      #expect(read.succeeded && read.output == "ada is admin.\n", "\(read)")
      // Signed by another key under the same name.
      _ = try await package.run("TokensSign", in: folder)
      let refused = try await package.run("TokensVerify", in: folder, input: token)
      #expect(refused.succeeded && refused.output == "Refused: signatureInvalid.\n", "\(refused)")
    }
  }

  @Test(.releaseCheck, .enabled("python3 is not installed") { await WebServer.isThere })
  func `keys come from a server`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let token = try await package.run("TokensSign", in: folder).output
      let line = "printf '%sa.b.c\\n' \"$token\" | KEYS_URL=$url/keys.json \(try package.path(of: "TokensRemote"))"
      let outcome = try await WebServer.run(in: folder, line, environment: ["token": token])
      #expect(outcome.output == "Welcome, ada.\nRefused: base64Malformed.\n", "\(outcome)")
      let missing = try await WebServer.run(
        in: folder, line.replacing("keys.json", with: "nothing"), environment: ["token": token])
      #expect(missing.output == "Try again later.\nTry again later.\n", "\(missing)")
    }
  }

  @Test(.releaseCheck) func `a token is signed with the first of two published keys`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let token = try await package.run("TokensRotate", in: folder).output
      let verified = try await package.run("TokensVerify", in: folder, input: token)
      #expect(verified.succeeded && verified.output == "Welcome, ada.\n", "\(verified)")
      let header = try JSONObject(parsing: Base64URL.decode(String(token.prefix { $0 != "." })))
      #expect(header["kid"] == "2026-11" && header["region"] == "north")
    }
  }

  @Test(.releaseCheck) func `a message is decrypted by one of its receivers`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let outcome = try await package.run("TokensEncrypt", in: folder)
      #expect(outcome.succeeded && outcome.output == "to both readable\n", "\(outcome)")
    }
  }

  @Test(.releaseCheck) func `a token without the App Store's certificates is refused`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let root = try X509Certificate(pem: CertificateFixture.root.rawValue)
      try Data(root.der).write(to: URL(filePath: folder + "/AppleRootCA-G3.cer"))
      let token = try await package.run("TokensSign", in: folder).output
      let outcome = try await package.run("TokensCertified", in: folder, input: token)
      #expect(outcome.succeeded && outcome.output == "Refused: unknownKey.\n", "\(outcome)")
    }
  }

  @Test(.releaseCheck) func `a token is verified once`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let outcome = try await package.run("TokensCache", in: folder)
      #expect(outcome.succeeded && outcome.output == "1 verified in full, 2 remembered.\n", "\(outcome)")
    }
  }

  @Test(.releaseCheck) func `a proof is accepted with the nonce that the first answer has`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let outcome = try await package.run("TokensProof", in: folder)
      let answer =
        #"401 WWW-Authenticate: DPoP error="use_dpop_nonce", "#
        + #"error_description="The DPoP proof needs the nonce in DPoP-Nonce", algs="ES256 Ed25519 EdDSA""#
      #expect(outcome.succeeded && outcome.output == answer + "\nBound to the signer's key: true.\n", "\(outcome)")
    }
  }
}
